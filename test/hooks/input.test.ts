import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseHookInput } from '../../src/hooks/input.ts';

const bytes = (value: unknown): Buffer => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

test('reads the fields of a PreCompact event', () => {
  expect(
    parseHookInput(
      bytes(
        '{"session_id":"31a1","transcript_path":"/p/31a1.jsonl","cwd":"/p","prompt_id":"556a","hook_event_name":"PreCompact","trigger":"manual","custom_instructions":"keep the DB schema"}\n',
      ),
    ),
  ).toEqual({
    input: {
      event: 'PreCompact',
      sessionId: '31a1',
      transcriptPath: '/p/31a1.jsonl',
      cwd: '/p',
      trigger: 'manual',
      customInstructions: 'keep the DB schema',
      source: undefined,
      prompt: undefined,
      promptId: '556a',
      compactSummary: undefined,
      agentTranscriptPath: undefined,
      agentId: undefined,
      agentType: undefined,
    },
  });
});

test.each([null, '', '   ', 7, ['x'], {}])('custom instructions of %j are none', (instructions) => {
  const parsed = parseHookInput(bytes({ custom_instructions: instructions }));
  expect(parsed).toMatchObject({ input: { customInstructions: undefined } });
});

test('a field of another type counts as absent; unknown fields are nothing to stumble over', () => {
  const parsed = parseHookInput(
    bytes({ session_id: 5, transcript_path: ['x'], cwd: null, agent_id: {}, agent_type: '', new_field: { deep: [1] } }),
  );
  expect(parsed).toEqual({ input: expect.objectContaining({ transcriptPath: undefined, agentType: '' }) });
});

test.each([
  ['', true, 'standard input is empty'],
  [' \n', true, 'standard input is empty'],
  ['{"a":', true, 'standard input is not JSON'],
  ['[1]', true, 'standard input is not a JSON object'],
  ['null', true, 'standard input is not a JSON object'],
  ['"text"', true, 'standard input is not a JSON object'],
  ['{"a":1', false, 'standard input is longer than 6 bytes or did not end'],
  ['['.repeat(100_000), true, 'standard input is not JSON'],
])('%.20j becomes a problem, not an error', (text, complete, problem) => {
  expect(parseHookInput(bytes(text), complete)).toEqual({ problem });
});

test('what is whole is taken, also from a host that keeps its end open', () => {
  expect(parseHookInput(bytes('{"cwd":"/p"}\n'), false)).toMatchObject({ input: { cwd: '/p' } });
});

test('a byte order mark does not matter', () => {
  expect(parseHookInput(bytes('\uFEFF{"cwd":"/p"}'))).toMatchObject({ input: { cwd: '/p' } });
});

test('no bytes make it throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), fc.json().map(bytes)), (input) => {
      expect(Object.keys(parseHookInput(Buffer.from(input)))).toHaveLength(1);
    }),
  );
});
