import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Block, Message } from '../../src/messages/types.ts';
import { planCompaction } from '../../src/planning/plan.ts';
import type { PlanState } from '../../src/planning/state.ts';
import { enforceToolRoundTrips } from '../../src/shaping/round-trips.ts';
import { estimateMessageTokens } from '../../src/tokens/message.ts';
import { anthropicProblems, openAiProblems } from '../support/api-rules.ts';
import { brokenConversation, conversation } from '../support/conversation.ts';
import { frozen, looseHalves } from '../support/laws.ts';

const config = fc.record({
  contextWindow: fc.integer({ min: 1_000, max: 6_000 }),
  reserved: fc.integer({ min: 0, max: 4_000 }),
  tailTurns: fc.integer({ min: 0, max: 3 }),
  prune: fc.boolean(),
});
const base = fc.integer({ min: 0, max: 500 });
/** What the summariser does each time it is asked; then it fails. */
const summariser = fc.array(fc.constantFrom('short', 'long', 'fails'), { maxLength: 40 });
const manual = fc.boolean();
/** Long enough for a window to fill up: said again and again, in longer words. */
const large = (messages: Message[]): Message[] =>
  Array.from({ length: 6 }, () => enlarged(messages, 1 + (messages.length % 9))).flat();

const isPinned = ({ content }: Message): boolean => JSON.stringify(content ?? '').includes('naïve 42');
const sum = (messages: readonly Message[]): number =>
  messages.reduce((all, one) => all + estimateMessageTokens(one), 0);

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** The same with texts and results that are large beside a window; ids and names stay. */
function enlarged(messages: readonly Message[], factor: number): Message[] {
  const grow = (value: unknown): unknown => (typeof value === 'string' ? value.repeat(factor) : value);
  return messages.map((message): Message => {
    if (typeof message.content === 'string') return { ...message, content: message.content.repeat(factor) };
    if (!Array.isArray(message.content)) return message;
    const content = message.content.map((block: Block): Block => ({
      ...block,
      ...(block.type === 'text' ? { text: grow(block['text']) } : {}),
      ...(block.type === 'tool_result' ? { content: grow(block['content']) } : {}),
    }));
    return { ...message, content };
  });
}

/** Plays a conversation message by message: a request in front of each answer of the model, and one at the end. */
function play(
  messages: readonly Message[],
  given: Parameters<typeof planCompaction>[1] & { contextWindow: number },
  baseTokens: number,
  answers: readonly string[],
  onRequest: (state: PlanState, sent: readonly Message[], stays: number | undefined) => void,
): void {
  let state: PlanState = { messages: [], baseTokens };
  let asked = 0;
  const request = (): void => {
    const before = state;
    let plan = planCompaction(state, given, { pinned: isPinned });
    const wasAsked = plan.summarise !== undefined;
    if (plan.summarise !== undefined) {
      const { lead, messages: going, rest } = plan.summarise;
      must(going.length >= 4, 'a summary of too little');
      must(lead.length + rest.length + going.length === plan.state.messages.length, 'messages lost on the way');
      const what = answers[asked++] ?? 'fails';
      const text = what === 'short' ? 'short' : JSON.stringify(going);
      const summary: Message = {
        role: 'user',
        content: `[CONVERSATION SUMMARY — ${going.length} messages compressed]\n${text}`,
      };
      plan = planCompaction(
        what === 'fails' ? plan.state : { ...plan.state, messages: [...lead, frozen(summary), ...rest] },
        given,
        { pinned: isPinned },
      );
      must(plan.action === 'send', 'a second summary for one request');
    }
    const { report } = plan;
    expect(report.after).toBeLessThanOrEqual(report.before);
    expect(report.over).toBe(report.after > given.contextWindow);
    // Sizes are carried on without being counted anew; nothing is lost on the way.
    expect(report.after).toBe(baseTokens + sum(plan.state.messages));
    const fits = report.limits !== undefined && report.before <= report.limits.trigger && !wasAsked;
    must(!fits || plan.state.messages === before.messages, 'what fits was touched');
    onRequest(before, plan.state.messages, report.irreducible);
    state = { ...plan.state, memory: JSON.parse(JSON.stringify(plan.state.memory)) };
  };
  for (const message of messages) {
    if (message.role === 'assistant') request();
    state = { ...state, messages: [...state.messages, message] };
  }
  request();
}

test('whatever is planned: nothing torn, what must stay stays, in order, and nothing of the caller’s is changed', () => {
  fc.assert(
    fc.property(brokenConversation(40).map(large), config, base, summariser, (messages, given, baseTokens, answers) => {
      play(frozen(messages), given, baseTokens, answers, ({ messages: before }, sent) => {
        const loose = looseHalves(before);
        expect(looseHalves(sent).filter((half) => !loose.includes(half))).toEqual([]);
        const kept = before.filter(
          (message) => message.role === 'system' || message.role === 'developer' || isPinned(message),
        );
        const survivors = sent.filter((message) => before.includes(message));
        expect(kept.filter((message) => !survivors.includes(message))).toEqual([]);
        const order = survivors.map((message) => before.indexOf(message));
        const own = new Set(before).size === before.length;
        must(!own || order.every((at, index) => index === 0 || at > order[index - 1]!), 'out of order');
      });
    }),
    { numRuns: 15 },
  );
});

const small = { contextWindow: 1_000, reserved: 0, tailTurns: 1, prune: false };
/** The prompt before the system message is summarised, and a pinned answer comes to stand before it. */
const pinnedBeforeSystem: Message[] = [
  { role: 'user', content: 'one long prompt '.repeat(60) },
  { role: 'assistant', content: 'naïve 42' },
  { role: 'user', content: 'another long prompt '.repeat(60) },
  { role: 'system', content: 'Be brief.' },
  ...Array.from({ length: 8 }, (_, at): Message[] => [
    { role: 'assistant', content: `answer ${at} `.repeat(40) },
    { role: 'user', content: `prompt ${at} `.repeat(40) },
  ]).flat(),
];

/** A system message stays where it stands, also when the user's turn before it is summarised: docs/guard.md says to pin both. */
function isLeftAlone(problem: string, before: readonly Message[], sent: readonly Message[]): boolean {
  const [, at] = /^messages\[(\d+)\]: system behind no user turn$/.exec(problem) ?? [];
  const turn = at === undefined ? undefined : before[before.indexOf(sent[Number(at)]!) - 1];
  return turn?.role === 'user' && !sent.includes(turn);
}

function withoutPlace(problem: string): string {
  return problem.replace(/^messages\[\d+\]/, '');
}

test('what an API takes stays what an API takes', () => {
  fc.assert(
    fc.property(conversation(40).map(large), config, base, summariser, (messages, given, baseTokens, answers) => {
      const history: Message[] = [{ role: 'user', content: 'begin' }, ...messages];
      const isOpenAi = messages.some(({ role }) => role === 'tool' || role === 'developer');
      const problemsOf = isOpenAi ? openAiProblems : anthropicProblems;
      play(frozen(history), given, baseTokens, answers, ({ messages: before }, sent) => {
        const known = new Set(problemsOf(before).map(withoutPlace));
        const own = problemsOf(sent).filter((problem) => !isLeftAlone(problem, before, sent));
        expect(own.map(withoutPlace).filter((problem) => !known.has(problem))).toEqual([]);
        const isWhole = (list: readonly Message[]): boolean => enforceToolRoundTrips(list).messages === list;
        must(!isWhole(before) || isWhole(sent), 'a round trip was torn');
      });
    }),
    { numRuns: 15, endOnFailure: true, examples: [[pinnedBeforeSystem, small, 0, ['short', 'short', 'short']]] },
  );
});

test('with a summariser that works, no request is over the window but for what must stay, one step and a summary', () => {
  const works = Array.from({ length: 200 }, () => 'short');
  fc.assert(
    fc.property(conversation(60).map(large), base, (messages, baseTokens) => {
      const given = { contextWindow: 4_000 };
      const largest = Math.max(0, ...messages.map(estimateMessageTokens));
      play(messages, given, baseTokens, works, (_before, sent, stays = baseTokens) => {
        // What must stay (with whole round trips) is too much alone: that is told, and nothing is done.
        if (stays > given.contextWindow) return;
        // A quarter for the tail, what is too little for a summary, one step.
        expect(baseTokens + sum(sent)).toBeLessThanOrEqual(Math.max(4_000, stays + 1_000 + 750 + 3 * largest));
      });
    }),
    { numRuns: 15 },
  );
});

test('a compaction that is asked for tears nothing, whatever the history', () => {
  fc.assert(
    fc.property(brokenConversation(40).map(large), config, manual, (messages, given, hasWindow) => {
      const { contextWindow, ...rest } = given;
      const plan = planCompaction({ messages: frozen(messages) }, hasWindow ? given : rest, { manual: true });
      expect(plan.state.messages).toBe(messages);
      if (plan.summarise === undefined) return;
      const { lead, messages: going, rest: left } = plan.summarise;
      const loose = looseHalves(messages);
      expect(looseHalves([...lead, ...left]).filter((half) => !loose.includes(half))).toEqual([]);
      expect(going.length + lead.length + left.length).toBe(messages.length);
      expect(contextWindow).toBeGreaterThan(0);
    }),
    { numRuns: 100 },
  );
});
