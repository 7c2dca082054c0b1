/** How a model's window is divided between instructions, focus, conversation and answer. Pure. */
import { ChittaError } from '../errors.ts';
import { estimateTokens } from '../tokens/text.ts';
import { clipToTokens } from './clip.ts';
import { chunkPrompt, SYSTEM_PROMPT } from './prompt.ts';

/** An answer is given so many tokens, or a quarter of the window. */
const ANSWER_TOKENS = 4_096;
const ANSWER_SHARE = 0.25;
/** Of the window, what a focus may take. */
const FOCUS_SHARE = 0.25;
/** Estimates are not counts: a tenth of the window stays empty. */
const USED_SHARE = 0.9;
/** A chunk of fewer tokens holds hardly a thought, and there would be no end of them. */
const MIN_CHUNK_TOKENS = 256;
/** Several summaries have to fit one prompt, or summarising them would not make them fewer. */
const SUMMARIES_PER_PROMPT = 3;

export interface SummaryBudget {
  /** Tokens of conversation in one prompt; undefined: any number, as no window is declared. */
  readonly chunkTokens: number | undefined;
  /** Tokens of the last answer, and of those that are summarised again. */
  readonly answerTokens: number;
  readonly partTokens: number;
  readonly focus: string | undefined;
  readonly focusTokens: number;
  /** Whether the focus was longer than its share, and cut. */
  readonly focusClamped: boolean;
}

/**
 * Divides the window. `maxAnswerTokens` limits the answer further. Throws E_SUMMARY if the window is too small to summarise
 * anything in it, E_PARAM_INVALID if it is no number.
 */
export function budgetOf(
  window: number | undefined,
  focusText: string | undefined,
  maxAnswerTokens: number = ANSWER_TOKENS,
): SummaryBudget {
  if (Number.isNaN(window)) {
    throw new ChittaError('E_PARAM_INVALID', 'window is no number of tokens', { field: 'window' });
  }
  const asked = focusText === undefined || focusText.trim() === '' ? undefined : focusText.trim();
  const answerTokens = Math.max(
    1,
    Math.min(ANSWER_TOKENS, maxAnswerTokens, Math.floor((window ?? Infinity) * ANSWER_SHARE)),
  );
  const focus =
    asked === undefined || window === undefined ? asked : clipToTokens(asked, Math.floor(window * FOCUS_SHARE));
  const focusTokens = focus === undefined ? 0 : estimateTokens(focus);
  const focusClamped = focus !== asked;
  const rest = { answerTokens, focus, focusTokens, focusClamped };
  if (window === undefined) return { ...rest, chunkTokens: undefined, partTokens: answerTokens };
  const fixed = estimateTokens(SYSTEM_PROMPT) + estimateTokens(chunkPrompt('', 100, 100, { focus, maxWords: 10_000 }));
  const chunkTokens = Math.floor((window - answerTokens) * USED_SHARE) - fixed;
  if (chunkTokens < MIN_CHUNK_TOKENS) {
    throw new ChittaError('E_SUMMARY', `a window of ${window} tokens is too small to summarise in`, {
      hint: 'choose a model with a larger window, or declare the one it really has',
    });
  }
  const partTokens = Math.min(answerTokens, Math.floor(chunkTokens / SUMMARIES_PER_PROMPT));
  return { ...rest, chunkTokens, partTokens };
}
