import { describe, expect, test } from 'vitest';
import {
  type ContextEnd,
  contextEndOf,
  isCompactionOfAgent,
  mayBeSilentAboutAgents,
} from '../../src/session/context-end.ts';
import { TranscriptBuilder } from '../support/transcript.ts';

const agentCall = (id: string, name = 'Agent'): unknown[] => [
  { type: 'tool_use', id, name, input: { prompt: 'Look for the cause.' } },
];

function endOf(build: (rows: TranscriptBuilder) => void, isAgent = false): ContextEnd | undefined {
  const rows = new TranscriptBuilder();
  build(rows);
  const lines = rows.rows.map((row) => JSON.stringify({ ...row, version: '2.1.197', isSidechain: isAgent }));
  return contextEndOf([...lines, ''], isAgent);
}

const weighed = (rows: TranscriptBuilder, id: string, blocks: unknown, tokens: number): void => {
  const usage = { input_tokens: tokens - 6, cache_read_input_tokens: 4, output_tokens: 2 };
  rows.add({ type: 'assistant', message: { id, role: 'assistant', content: blocks, usage } });
};

describe('the end of a conversation', () => {
  test.each(['Agent', 'Task'])('that called the tool %s and has no result waits for a sub-agent', (name) => {
    const end = endOf((rows) => {
      rows.prompt('Find out.');
      weighed(rows, 'm1', [{ type: 'text', text: 'I delegate.' }], 900);
      weighed(rows, 'm1', agentCall('a', name), 900);
    });
    expect(end).toEqual({ version: '2.1.197', isFinished: false, waitsForAgent: true, usedTokens: 900 });
  });

  test('that has one of two results still waits', () => {
    const end = endOf((rows) => {
      rows.assistant('m1', agentCall('a'));
      rows.assistant('m1', agentCall('b'));
      rows.result('a');
    });
    expect(end?.waitsForAgent).toBe(true);
  });

  test('that has all results waits for nobody and goes on', () => {
    const end = endOf((rows) => {
      rows.assistant('m1', agentCall('a'));
      rows.result('a');
    });
    expect(end).toMatchObject({ isFinished: false, waitsForAgent: false });
  });

  test('is not about an older answer, whatever became of it', () => {
    const end = endOf((rows) => {
      rows.assistant('m1', agentCall('a'));
      rows.prompt('Leave it.');
      weighed(rows, 'm2', [{ type: 'text', text: 'Fine.' }], 50);
    });
    expect(end).toMatchObject({ isFinished: true, waitsForAgent: false, usedTokens: 50 });
  });

  test('is told by rows of that conversation alone', () => {
    const rows = new TranscriptBuilder();
    rows.prompt('Go on.');
    rows.text('m1', 'Beside it.', { isSidechain: true });
    const lines = rows.rows.map((row) => JSON.stringify(row));
    expect(contextEndOf(lines, false)?.isFinished).toBe(false);
    expect(contextEndOf(lines, true)?.isFinished).toBe(true);
  });

  test.each([
    ['nothing', []],
    ['no JSON', ['{"message":', 'x "message" y', '"message"', 'null', '["message"]']],
    ['rows without messages', ['{"type":"mode","message":3}', '{"message":null}']],
  ])('is unknown from %s', (_, lines) => {
    expect(contextEndOf(lines, false)).toBeUndefined();
  });
});

test.each([
  ['2.1.197', true],
  ['2.1.322', true],
  ['2.1.327', false],
  ['2.1.332', false],
  ['2.2.0', false],
  ['3.0.0', false],
  ['1.9.999', true],
  ['unknown', false],
  [undefined, false],
])('a host of version %s may keep silent about sub-agents: %s', (version, silent) => {
  expect(mayBeSilentAboutAgents({ version, isFinished: false, waitsForAgent: false, usedTokens: 0 })).toBe(silent);
});

describe('a compaction that came by itself', () => {
  const main = { version: '2.1.197', isFinished: false, waitsForAgent: false, usedTokens: 60_000 };
  const agent = { ...main, usedTokens: 20_000 };

  test.each([
    ["is the main conversation's where there is no sub-agent", main, [], false],
    ["is the main conversation's where the sub-agents have finished", main, [{ ...agent, isFinished: true }], false],
    ["is a sub-agent's where the main conversation waits for one", { ...main, waitsForAgent: true }, [agent], true],
    [
      "is the main conversation's where the call has no result yet, but the sub-agent has finished",
      { ...main, waitsForAgent: true },
      [{ ...agent, isFinished: true }],
      false,
    ],
    [
      "is a sub-agent's where one in the background has the fuller context",
      main,
      [agent, { ...agent, usedTokens: 99_000 }],
      true,
    ],
    ["is the main conversation's where it has the fuller context", main, [agent], false],
  ] as const)('%s', (_, of, agents, expected) => {
    expect(isCompactionOfAgent(of, agents)).toBe(expected);
  });
});
