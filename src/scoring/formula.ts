/**
 * The formula: how much a message is worth keeping, from its role, its age, its likeness to the query, and what the
 * memory already holds of it.
 *
 *     score(m) = W(role) × (0.3·recency + 0.4·similarity + 0.3·(1 − coverage))
 */
import type { MessageView, Role } from '../messages/types.ts';

/** W(role). A system message outweighs everything; a tool result is bulk that can be fetched again. */
export const ROLE_WEIGHT: Readonly<Record<Role, number>> = {
  system: 2.0,
  user: 1.0,
  assistant: 0.8,
  tool: 0.5,
  other: 0.6,
};

const RECENCY_PART = 0.3;
const SIMILARITY_PART = 0.4;
const NOVELTY_PART = 0.3;

const OLDEST = 0.1;
const NEWEST = 1.0;

/** What similarity is for every message when there is no query, or not all vectors are there. */
export const NEUTRAL_SIMILARITY = 0.5;

/** The three terms of the formula, each 0..1. */
export interface Terms {
  readonly recency: number;
  readonly similarity: number;
  readonly coverage: number;
}

/** The score of one message; 0.015 at the least for a tool result, 2 at the most for a system message. */
export function formulaScore(roleWeight: number, terms: Terms): number {
  const { recency, similarity, coverage } = terms;
  return roleWeight * (RECENCY_PART * recency + SIMILARITY_PART * similarity + NOVELTY_PART * (1 - coverage));
}

/**
 * Recency of each message: linear from 0.1 (oldest) to 1.0 (newest) over the non-system messages, in order. System
 * messages do not age: 1.0. A single message is the newest.
 */
export function recencies(roles: readonly Role[]): number[] {
  const last = roles.reduce((count, role) => (role === 'system' ? count : count + 1), 0) - 1;
  let position = 0;
  return roles.map((role) => {
    if (role === 'system' || last <= 0) return NEWEST;
    const recency = OLDEST + ((NEWEST - OLDEST) * position) / last;
    position += 1;
    return recency;
  });
}

/**
 * W of a message: its role's weight, except that tool results inside it weigh as tool, in proportion to their share of
 * the message's characters. A user message that only carries results weighs exactly as tool.
 */
export function roleWeightOf(view: MessageView): number {
  const own = ROLE_WEIGHT[view.role];
  if (view.results.length === 0 || view.role === 'tool') return own;
  let resultChars = 0;
  for (const { text } of view.results) resultChars += text.length;
  if (view.text === '' && view.calls.length === 0) return ROLE_WEIGHT.tool;
  let chars = resultChars + view.text.length;
  for (const { name } of view.calls) chars += name.length;
  return chars === 0 ? own : own + (ROLE_WEIGHT.tool - own) * (resultChars / chars);
}
