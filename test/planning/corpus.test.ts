import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/messages/types.ts';
import { planCompaction } from '../../src/planning/plan.ts';
import type { PlanState } from '../../src/planning/state.ts';
import { readTranscript } from '../../src/transcript/index.ts';
import { estimateMessageTokens } from '../../src/tokens/message.ts';
import { firstWords } from '../support/agent-loop.ts';
import { looseHalves } from '../support/laws.ts';

const corpus = join(import.meta.dirname, '../../../shared/corpus');
const sessions = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.endsWith('.jsonl')) : [];
const BASE = 500;
/** Of each session, its newest messages. */
const LAST = 400;

const known = new WeakMap<Message, number>();
function count(message: Message): number {
  const tokens = known.get(message) ?? estimateMessageTokens(message);
  known.set(message, tokens);
  return tokens;
}

/** Requests that are over the window although what must stay would fit; and those with torn round trips. */
function replay(messages: readonly Message[], contextWindow: number): { requests: number; over: number; torn: number } {
  const tally = { requests: 0, over: 0, torn: 0 };
  const config = { contextWindow };
  const options = { countTokens: count };
  let state: PlanState = { messages: [], baseTokens: BASE };
  for (const message of messages) {
    if (message.role === 'assistant') {
      const before = state.messages;
      let plan = planCompaction(state, config, options);
      if (plan.summarise !== undefined) {
        const { lead, rest } = plan.summarise;
        plan = planCompaction(
          { ...plan.state, messages: [...lead, firstWords(plan.summarise), ...rest] },
          config,
          options,
        );
      }
      tally.requests += 1;
      const sent = plan.state.messages;
      if (plan.report.over && (plan.report.irreducible ?? 0) <= contextWindow) tally.over += 1;
      if (plan.action !== 'send') tally.over += 1;
      const loose = looseHalves(before);
      if (looseHalves(sent).some((half) => !loose.includes(half))) tally.torn += 1;
      state = plan.state;
    }
    state = { ...state, messages: [...state.messages, message] };
  }
  return tally;
}

describe.skipIf(sessions.length === 0)('recorded sessions (skipped where there are none)', () => {
  test.each(sessions)('%s: nothing torn, and nothing over the window that could fit', async (name) => {
    const { messages } = await readTranscript(join(corpus, name), { all: true, maxBytes: 1 << 28 });
    for (const window of [8_192, 32_768, 200_000]) {
      const { requests, ...breaches } = replay(messages.slice(-LAST), window);
      expect([window, requests > 0, breaches]).toEqual([window, true, { over: 0, torn: 0 }]);
    }
  });
});
