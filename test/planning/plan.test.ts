import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block, Message } from '../../src/messages/types.ts';
import { planCompaction } from '../../src/planning/plan.ts';
import type { CompactionPlan, PlanOptions, PlanState } from '../../src/planning/state.ts';
import { estimateMessageTokens } from '../../src/tokens/message.ts';

/** Messages that cost what they say: `#600` is 600 tokens, so that figures can be followed. */
function cost(message: Message): number {
  const text = JSON.stringify(message.content ?? '');
  return Number(/#(\d+)/.exec(text)?.[1] ?? 10) + (text.includes('[chitta:') ? 10 : 0);
}
const user = (text: string): Message => ({ role: 'user', content: text });
const says = (text: string): Message => ({ role: 'assistant', content: text });
let ids = 0;
/** A call and its answer. The padding makes results long enough to be worth a mark. */
function step(tokens: number, name = 'Read'): Message[] {
  const id = `toolu_${++ids}`;
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name, input: { file_path: `f${ids}` } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: `#${tokens} ${'word '.repeat(200)}` }] },
  ];
}
const turn = (text: string, ...steps: Message[][]): Message[] => [user(text), ...steps.flat(), says('done')];

const OPTIONS: PlanOptions = { countTokens: cost };
const plan = (state: PlanState, config = {}, options: PlanOptions = {}): CompactionPlan =>
  planCompaction(state, { contextWindow: 10_000, reserved: 1_000, ...config }, { ...OPTIONS, ...options });
const names = ({ report }: CompactionPlan): string[] => report.stages.map(({ name }) => name);
const isStubbed = (message: Message | undefined): boolean => JSON.stringify(message).includes('[chitta:stub ');

describe('the trigger', () => {
  test('is the window without the reserve and without the largest result of this turn', () => {
    const { report } = plan({ messages: [user('a'), ...step(300), ...step(500), ...step(400)] });
    expect(report.limits).toEqual({ window: 10_000, reserved: 1_000, growth: 500, trigger: 8_500 });
  });

  test('caps either at a quarter of the window', () => {
    const { report } = plan({ messages: [user('a'), ...step(4_000)] }, { reserved: 8_192 });
    expect(report.limits).toEqual({ window: 10_000, reserved: 2_500, growth: 2_500, trigger: 5_000 });
  });

  test('forgets the largest result with the turn, and not before it', () => {
    let { state } = plan({ messages: [user('a'), ...step(500)] });
    const next = (...messages: Message[]): number | undefined => {
      const planned = plan({ ...state, messages: [...state.messages, ...messages] });
      state = planned.state;
      return planned.report.limits?.growth;
    };
    expect(next(...step(100))).toBe(500);
    expect(next(says('done'))).toBe(0);
    expect(next(user('b'))).toBe(0);
    expect(next(...step(70))).toBe(70);
  });

  test('remembers a result of this turn that has been let go of', () => {
    const first = plan({ messages: [user('a'), ...step(2_000), ...step(3_000), ...step(3_500)] });
    expect(names(first)).toEqual(['prune']);
    const second = plan({ ...first.state, messages: [...first.state.messages, ...step(100)] });
    expect(second.report.limits?.growth).toBe(2_500);
  });

  test('adds what arrived after the last count, and only that', () => {
    const messages = [user('#900'), says('#900')];
    const measured = { tokens: 5_000, messages: 2 };
    expect(plan({ messages, measured }).report.before).toBe(5_000);
    expect(plan({ messages: [...messages, ...step(4_000)], measured }).report.before).toBe(9_010);
  });

  test.each([
    ['a system prompt of', { baseTokens: Number.NaN }, {}, 'baseTokens'],
    ['a counter that answers', {}, { countTokens: () => Number.NaN }, 'countTokens'],
  ])('refuses %s no number of tokens, by which nothing would ever be too large', (_what, state, options, field) => {
    expect(() => planCompaction({ messages: [user('#900')], ...state }, { contextWindow: 8_000 }, options)).toThrow(
      expect.objectContaining({ code: 'E_PARAM_INVALID', field }),
    );
  });

  test.each([undefined, null, {}, 5, { messages: {} }])('refuses %j as a state', (state) => {
    // As a caller without types may pass it.
    expect(() => planCompaction(state as PlanState, { contextWindow: 8_000 })).toThrow(
      expect.objectContaining({ code: 'E_PARAM_INVALID' }),
    );
  });

  test.each([
    ['of more messages than there are', { tokens: 50, messages: 9 }],
    ['that is no number', { tokens: Number.NaN, messages: 1 }],
    ['below zero', { tokens: -1, messages: 1 }],
    ['without end', { tokens: Infinity, messages: 1 }],
    ['that is a text', { tokens: '12', messages: 1 }],
    ['that a provider forgot', { tokens: undefined, messages: 1 }],
    ['of a negative number of messages', { tokens: 50, messages: -1 }],
    ['of a part of a message', { tokens: 50, messages: 0.5 }],
    ['that is null', null],
    ['without anything in it', {}],
  ])('does without a count %s: all is estimated, with the system prompt and the tools', (_what, measured) => {
    // As it may come from outside.
    const state = { messages: [user('#900'), says('#900')], measured, baseTokens: 100 } as PlanState;
    expect(plan(state).report.before).toBe(1_900);
  });

  test('a count that is far too low makes no size below zero', () => {
    const messages = [...turn('a', step(3_000)), ...turn('b', step(3_000)), ...turn('c', step(3_000)), user('d')];
    const { report, action } = plan({ messages, measured: { tokens: 1, messages: 12 } }, { contextWindow: 1_000 });
    expect([report.before, report.after >= 0, action]).toEqual([11, true, 'send']);
  });

  test.each<[string, unknown[], string]>([
    ['null', [null], 'messages[1]'],
    ['a content that is none', [{ role: 'user', content: 5 }], 'messages[1].content'],
    ['a block that is none', [{ role: 'user', content: [null] }], 'messages[1].content[0]'],
  ])('a message that is none is named: %s', (_what, added, field) => {
    // As a caller without types may pass them.
    const messages = [user('a'), ...added] as Message[];
    const { state } = plan({ messages: [user('a')] });
    const wrong = expect.objectContaining({ code: 'E_MESSAGE_INVALID', field });
    expect(() => plan({ messages })).toThrow(wrong);
    expect(() => plan({ ...state, messages })).toThrow(wrong);
    expect(() => plan({ messages }, {}, { manual: true })).toThrow(wrong);
  });

  test('a request of exactly as much is sent, and one of a token more is compacted', () => {
    const messages = [...turn('a', step(3_000)), ...turn('b'), ...turn('c'), user('#5930')];
    expect(plan({ messages }).report).toMatchObject({ before: 9_000, stages: [] });
    const more = [...messages.slice(0, -1), user('#5931')];
    expect(names(plan({ messages: more }))).toEqual(['prune']);
  });

  test('below it nothing is touched: the very list that was given', () => {
    const messages = [...turn('a', step(3_000)), ...turn('b', step(3_000)), user('c')];
    const { action, state, report, notices } = plan({ messages });
    expect(state.messages).toBe(messages);
    expect([action, report.stages, report.before === report.after, notices]).toEqual(['send', [], true, []]);
  });
});

describe('without a window, or switched off', () => {
  const messages = [...turn('a', step(90_000)), user('b')];

  test('nothing is compacted, and that no window is declared is said once in a session', () => {
    const first = planCompaction({ messages }, {}, OPTIONS);
    expect([first.action, first.notices.map(({ code }) => code), first.report.limits]).toEqual([
      'send',
      ['no-window'],
      undefined,
    ]);
    expect(first.state.messages).toBe(messages);
    const stored: PlanState = { ...first.state, memory: JSON.parse(JSON.stringify(first.state.memory)) };
    expect(planCompaction(stored, {}, OPTIONS).notices).toEqual([]);
  });

  test('a model of which nothing is declared is one without a window', () => {
    const { action, notices } = planCompaction({ messages }, undefined, OPTIONS);
    expect([action, notices.map(({ code }) => code)]).toEqual(['send', ['no-window']]);
  });

  test('auto: false is not worth a word', () => {
    const { state, notices } = plan({ messages }, { auto: false });
    expect([state.messages === messages, notices]).toEqual([true, []]);
  });

  test.each([{ auto: false }, { contextWindow: undefined }])('a compaction that is asked for works: %o', (config) => {
    const long = [...turn('a', step(900)), ...turn('b', step(900)), ...turn('c', step(900)), ...turn('d')];
    const { action, summarise } = plan({ messages: long }, config, { manual: true });
    expect(action).toBe('summarise');
    expect(summarise?.messages).toEqual(long.slice(0, 8));
    expect(summarise?.rest).toEqual(long.slice(8));
  });
});

describe('a compaction that is asked for', () => {
  test('takes fewer turns, and in one turn the older steps, if nothing stands before two', () => {
    const one = turn('a', step(900), step(900), step(900), step(900));
    const { summarise } = plan({ messages: one }, {}, { manual: true });
    expect(summarise?.rest).toContain(one[0]);
    expect(summarise?.messages.length).toBeGreaterThanOrEqual(4);
    const two = [...turn('a', step(9)), ...turn('b', step(9))];
    expect(plan({ messages: two }, {}, { manual: true }).summarise?.rest).toEqual(two.slice(4));
  });

  test('says it where there is too little', () => {
    const { action, notices } = plan({ messages: turn('a') }, {}, { manual: true });
    expect([action, notices.map(({ code }) => code)]).toEqual(['send', ['too-little']]);
  });

  test('prunes nothing: a summary that is given up leaves the history as it was', () => {
    const messages = [...turn('a', step(900)), ...turn('b', step(900)), ...turn('c', step(900)), ...turn('d')];
    const asked = plan({ messages }, {}, { manual: true });
    const given = plan(asked.state, {}, { manual: true });
    expect([asked.state.messages, given.state.messages]).toEqual([messages, messages]);
    expect(given.action).toBe('send');
  });
});

describe('the order of stages', () => {
  test('old tool results go first, outside the last two turns, and that may be enough', () => {
    const messages = [...turn('a', step(4_000)), ...turn('b', step(3_000)), ...turn('c', step(3_000)), user('d')];
    const planned = plan({ messages });
    expect([planned.action, names(planned), planned.report.after < 9_000]).toEqual(['send', ['prune'], true]);
    const { messages: after } = planned.state;
    expect(after.map(isStubbed)).toEqual(messages.map((_, at) => at === 2));
    expect(after.filter((message, at) => message !== messages[at])).toHaveLength(1);
  });

  test('then a summary of what stands before a user’s message', () => {
    const messages = [
      ...turn('#4000', step(900)),
      ...turn('#900 x', step(900)),
      ...turn('#3000'),
      ...turn('#3000'),
      user('e'),
    ];
    const planned = plan({ messages });
    expect([planned.action, names(planned)]).toEqual(['summarise', ['prune']]);
    const { lead, messages: going, rest, upTo, prompt } = planned.summarise!;
    expect([lead, going.length, rest, upTo, prompt]).toEqual([[], 8, messages.slice(8), 8, undefined]);
    const state = { ...planned.state, messages: [...lead, user('[CONVERSATION SUMMARY — 8] #700'), ...rest] };
    const second = plan(state);
    expect([second.action, second.report.after, second.state.memory?.asked]).toEqual(['send', 6_730, undefined]);
    expect(second.state.messages).toBe(state.messages);
  });

  test.each([
    [1_500, 256],
    [20_000, 2_250],
    [400_000, 4_096],
  ])(
    'in a window of %i tokens the summary is best no longer than %i: an eighth of the budget, within limits',
    (contextWindow, most) => {
      const many = Array.from({ length: 40 }, () => turn(`#${contextWindow / 20}`)).flat();
      const reserved = contextWindow / 10;
      expect(plan({ messages: many }, { contextWindow, reserved }).summarise?.maxTokens).toBe(most);
    },
  );

  test('prune: false goes for the summary at once', () => {
    const messages = [...turn('a', step(4_000)), ...turn('b', step(3_000)), ...turn('c', step(3_000)), user('d')];
    const planned = plan({ messages }, { prune: false });
    expect([planned.action, names(planned), planned.state.messages === messages]).toEqual(['summarise', [], true]);
  });

  test('results inside the tail go only if the request is larger than the window itself', () => {
    const fits = [user('a'), ...step(9_500)];
    const between = plan({ messages: fits });
    expect([between.report.over, names(between), between.state.messages === fits]).toEqual([false, [], true]);
    const both = [...turn('a', step(6_000)), ...turn('b', step(6_000)), user('c')];
    const planned = plan({ messages: both });
    expect([planned.action, names(planned), planned.report.over]).toEqual(['send', ['prune-tail'], false]);
    // The older one, and no more than is needed.
    expect(planned.state.messages.map(isStubbed)).toEqual(both.map((_, at) => at === 2));
  });

  test('of the results that the model has not seen, the middle goes and the ends stay', () => {
    const id = 'toolu_big';
    const lines = Array.from({ length: 9_000 }, (_, at) => `line ${at} of the log`);
    const messages: Message[] = [
      user('read it'),
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input: { command: 'cat log' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: lines.join('\n') }] },
    ];
    const planned = planCompaction({ messages }, { contextWindow: 8_192 });
    const text = JSON.stringify(planned.state.messages[2]);
    expect(text).toMatch(/chitta:cut #[a-z2-7]{7} kept \d+ of \d+ tokens/);
    expect([text.includes('line 3 of'), text.includes('line 8999 of'), text.includes('line 4500 of')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(planned.report.after).toBeLessThanOrEqual(8_192 - 2_048);
  });
});

describe('in the middle of a turn', () => {
  test('the tail has a quarter of the budget at most, and the prompt stays before it', () => {
    const messages = [
      user('#200 do all'),
      ...Array.from({ length: 12 }, () => [says('#800'), ...step(60, 'Task')]).flat(),
    ];
    const planned = plan({ messages });
    expect(planned.action).toBe('summarise');
    const { rest, prompt, messages: going } = planned.summarise!;
    expect(rest[0]).toBe(messages[0]);
    expect(prompt).toBe(messages[0]);
    const tail = rest.slice(1);
    expect(tail.reduce((sum, message) => sum + cost(message), 0)).toBeLessThanOrEqual(9_000 / 4);
    expect([...going, ...tail]).toEqual(messages.slice(1));
  });

  test('at least one step stays, however large, with its call', () => {
    const messages = [user('a'), ...step(700), ...step(700), ...step(9_000)];
    const planned = plan({ messages });
    expect(planned.state.messages.map(isStubbed)).toEqual([false, false, true, false, true, false, false]);
    expect(planned.state.messages.slice(-2)).toEqual(messages.slice(-2));
  });

  test('a cut goes in front of thinking, or the first answer of the turn stays: the API asks for it', () => {
    const think: Block = { type: 'thinking', thinking: 'hm #50', signature: 'c2ln' };
    const first = step(700);
    const thinks = (message: Message): Message => ({ ...message, content: [think, ...(message.content as Block[])] });
    const once = [
      user('a'),
      thinks(first[0]!),
      first[1]!,
      ...Array.from({ length: 12 }, () => [says('#100'), ...step(600, 'Task')]).flat(),
      ...step(600),
    ];
    const kept = plan({ messages: once }).summarise!.rest;
    expect(kept.slice(0, 2)).toEqual([once[0], once[1]]);
    const often = once.map((message) =>
      message.role === 'assistant' && Array.isArray(message.content) ? thinks(message) : message,
    );
    const tail = plan({ messages: often }).summarise!.rest;
    expect(tail[0]).toBe(often[0]);
    expect(JSON.stringify(tail[1])).toContain('"thinking"');
    expect(tail).not.toContain(often[1]);
  });
});

describe('who is out of reach', () => {
  const pinned = (message: Message): boolean => JSON.stringify(message).includes('PLAN');
  const task = step(2_000, 'Task');
  const agent = step(2_000, 'Agent');

  test('results of sub-agents are not pruned, and in the last resort the mark says what they cost', () => {
    const messages = [
      ...turn('a', task, step(4_000)),
      ...turn('b', agent),
      ...turn('c', step(900)),
      ...turn('d', step(900)),
      user('e'),
    ];
    const pruned = plan({ messages });
    expect([names(pruned), pruned.state.messages.map(isStubbed).indexOf(true)]).toEqual([['prune'], 4]);
    expect(pruned.state.messages).toEqual(expect.arrayContaining([task[1], agent[1]]));
    const last = plan({ messages: [...turn('a', task), ...turn('b', step(6_000)), user('#3000')] });
    expect(isStubbed(last.state.messages[2])).toBe(false);
    const larger = plan(
      { messages: [...turn('a', task), ...turn('b', step(900)), user('#7500')] },
      { reserved: 2_000 },
    );
    expect(JSON.stringify(larger.state.messages[2])).toMatch(
      /stub #[a-z2-7]{7} result of Task .*the sub-agent has to run again/,
    );
  });

  test('beside a sub-agent’s result, another one in the same message goes', () => {
    const message: Message = {
      role: 'user',
      content: [...(task[1]!.content as Block[]), ...(step(1)[1]!.content as Block[])],
    };
    const other = (message.content as Block[])[1]!['tool_use_id'] as string;
    const call: Message = {
      role: 'assistant',
      content: [...(task[0]!.content as Block[]), { type: 'tool_use', id: other, name: 'Read', input: {} }],
    };
    const { state } = planCompaction(
      {
        messages: [user('a'), call, message, says('x'), ...turn('b'), ...turn('c'), user('d')],
        measured: { tokens: 9_990, messages: 9 },
      },
      { contextWindow: 10_000 },
    );
    const [first, second] = state.messages[2]!.content as Block[];
    expect(first).toBe((message.content as Block[])[0]);
    expect(second!['content']).toMatch(/^\[chitta:stub /);
  });

  test('what is pinned is neither pruned nor summarised nor shortened', () => {
    const plans = step(4_000).map((message) => ({ ...message, note: 'PLAN' }));
    const messages = [
      ...turn('a', plans),
      ...turn('#3000'),
      ...turn('b', step(3_000)),
      ...turn('c', step(3_000)),
      user('d'),
    ];
    const planned = plan({ messages }, {}, { pinned });
    const kept = planned.summarise?.rest ?? planned.state.messages;
    expect(kept).toEqual(expect.arrayContaining(plans));
    const alone = plan({ messages: [user('a'), ...plans.map((one) => ({ ...one })), ...step(8_000)] }, {}, { pinned });
    expect(alone.state.messages.slice(1, 3)).toEqual(plans);
  });

  test('system messages lead, and stay', () => {
    const system: Message = { role: 'system', content: '#500 rules' };
    const messages = [system, ...turn('#4000'), ...turn('#4000'), ...turn('b'), ...turn('c'), user('#900')];
    expect(plan({ messages }).summarise?.lead).toEqual([system]);
  });
});

describe('no loop', () => {
  const failing = (state: PlanState): [asked: number, state: PlanState] => {
    const planned = plan(state);
    return planned.action === 'send' ? [0, planned.state] : [1, plan(planned.state).state];
  };

  test('one summary for an overflow: none is asked for again until the request has grown', () => {
    const messages = [...turn('#4000'), ...turn('#2000'), ...turn('#1500'), ...turn('#1500'), user('e')];
    const planned = plan({ messages });
    // A poor summary: the request is still above the trigger.
    const summary = user('[CONVERSATION SUMMARY — 4] #6015');
    let state = plan({ ...planned.state, messages: [summary, ...planned.summarise!.rest] }).state;
    for (let steps = 0; steps < 5; steps++) {
      state = { ...state, messages: [...state.messages, says('x'), user('y')] };
      const next = plan(state);
      expect(next.action).toBe('send');
      state = next.state;
    }
  });

  test('after failures ever more steps pass before the next try', () => {
    let state: PlanState = { messages: [user('go')] };
    let asked = 0;
    for (let steps = 0; steps < 64; steps++) {
      const [count, next] = failing({ ...state, messages: [...state.messages, says('#500')] });
      asked += count;
      state = next;
    }
    expect(asked).toBeGreaterThan(2);
    expect(asked).toBeLessThan(8);
  });

  test('what cannot become less is said once, no summary is asked for, and it is said again only after it has fitted', () => {
    let state: PlanState = { messages: [user('#12000')], baseTokens: 500 };
    const codes: string[][] = [];
    for (let steps = 0; steps < 4; steps++) {
      const planned = plan({ ...state, messages: [...state.messages, ...step(700)] });
      codes.push(planned.notices.map(({ code }) => code));
      expect([planned.action, planned.report.over, planned.report.irreducible]).toEqual(['send', true, 12_500]);
      state = planned.state;
    }
    expect(codes).toEqual([['irreducible', 'over-window'], [], [], []]);
    const other = plan({ ...state, messages: [user('short')], measured: undefined });
    const again = plan({ ...other.state, messages: [user('#12000')], measured: undefined });
    expect([other.notices, again.notices.map(({ code }) => code)]).toEqual([[], ['irreducible', 'over-window']]);
  });

  test('no summary is asked for, however much it would free, where what must stay is larger than the window', () => {
    const messages = [...Array.from({ length: 8 }, () => turn('#1500')).flat(), user('#10001')];
    const { action, notices } = plan({ messages });
    expect([action, notices.map(({ code }) => code)]).toEqual(['send', ['irreducible', 'over-window']]);
    expect(plan({ messages: [...messages.slice(0, -1), user('#9999')] }).action).toBe('summarise');
  });
});

describe('odd histories', () => {
  test.each<[string, Message[]]>([
    ['no messages at all', []],
    ['no user message', Array.from({ length: 30 }, () => step(600)).flat()],
    ['only answers', Array.from({ length: 20 }, () => says('#600'))],
    ['only prompts', Array.from({ length: 20 }, () => user('#600'))],
    ['only system messages', Array.from({ length: 20 }, (): Message => ({ role: 'system', content: '#600' }))],
    ['results before their calls', step(9_000).toReversed().concat(step(9_000).toReversed())],
    ['calls without results', Array.from({ length: 20 }, () => step(600)[0]!).concat(user('#9000'))],
    ['answers without content', [{ role: 'assistant', content: null }, { role: 'assistant' }, user('#20000')]],
  ])('%s: a plan nevertheless', (_what, messages) => {
    const planned = plan({ messages });
    expect(planned.report.after).toBeLessThanOrEqual(planned.report.before);
    expect(planned.summarise?.messages.length ?? 4).toBeGreaterThanOrEqual(4);
  });

  test('without a user message the steps of the tail are a quarter, and all before may be summarised', () => {
    const messages = Array.from({ length: 31 }, () => says('#300'));
    const { summarise } = plan({ messages });
    expect(summarise!.rest.length).toBe(7);
  });
});

/** What a store may make of a part of the state. */
const damage = fc.oneof(
  fc.constantFrom(undefined, null, Number.NaN, Infinity, -1, 2.5, '7', true),
  fc.constantFrom({}, [], { tokens: null, messages: 1 }, { size: 'x', estimated: 1, messages: 1 }, { counted: -1 }),
);

test('whatever became of the memory of a state: it is planned, with sizes that are numbers, and what is too large is compacted', () => {
  const messages = [...turn('a', step(3_000)), ...turn('b', step(3_000)), ...turn('c', step(3_000)), user('d')];
  const { memory } = plan({ messages: messages.slice(0, 5) }).state;
  const names = ['growth', 'seen', 'told', 'asked', 'floor', 'failed', 'wait', 'rate', 'last', 'own'];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), damage), fc.boolean(), damage, (parts, isWhole, other) => {
      const broken: unknown = isWhole ? { ...memory, ...parts } : other;
      const { report, state } = plan({ messages, memory: broken as PlanState['memory'] }, {}, OPTIONS);
      expect(report.stages.map(({ name }) => name)).toEqual(['prune']);
      expect([report.before, report.after < report.before, report.limits?.trigger]).toEqual([9_100, true, 9_000]);
      expect(JSON.stringify(state.memory)).not.toContain('null');
    }),
  );
});

test('how a provider counts is learned from its counts, not from what a plan takes the size to be', () => {
  let state: PlanState = { messages: [user('a')] };
  for (let at = 0; at < 5; at++) {
    const planned = planCompaction(state, { contextWindow: 100_000 });
    expect(planned.state.memory?.rate).toBeUndefined();
    state = { ...planned.state, messages: [...planned.state.messages, says('word '.repeat(300)), user('b')] };
  }
  const { measured, messages } = planCompaction(state, { contextWindow: 100_000 }).state;
  const counted = planCompaction(
    { ...state, messages, measured: { tokens: 2 * measured!.tokens, messages: messages.length } },
    { contextWindow: 100_000 },
  ).state;
  const more = [...messages, says('word '.repeat(300)), user('c')];
  const again = { tokens: counted.measured!.tokens + 900, messages: more.length };
  expect(
    planCompaction({ ...counted, messages: more, measured: again }, { contextWindow: 100_000 }).state.memory?.rate,
  ).toMatchObject({
    counted: 900,
  });
});

test('a state survives JSON, and the default count is the estimate', () => {
  const messages = [...turn('a', step(9)), user('b')];
  const { state, report } = planCompaction({ messages, baseTokens: 50 }, { contextWindow: 8_192 });
  expect(report.after).toBe(50 + messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0));
  const stored: PlanState = JSON.parse(JSON.stringify(state));
  expect(planCompaction(stored, { contextWindow: 8_192 }).report).toEqual(
    planCompaction(state, { contextWindow: 8_192 }).report,
  );
});
