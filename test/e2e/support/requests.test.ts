/** How the scenarios read a request, tried on requests that no host sent. */
import { expect, test } from 'vitest';
import type { Message } from '../../../src/messages/types.ts';
import {
  assertNoOrphans,
  blocksIn,
  guideIn,
  instructionsIn,
  requestAfterCompaction,
  type ModelRequest,
  type RequestKind,
} from './requests.ts';

const REST = { agent: undefined, session: 's', model: 'm', system: '', thinking: 'adaptive' };

function request(kind: RequestKind, messages: readonly Message[]): ModelRequest {
  return { ...REST, kind, messages };
}

function asked(instructions: string): ModelRequest {
  const task = `Write a summary.\n\nAdditional Instructions:\n${instructions}\n\nREMINDER: Do NOT call any tools. Go on.`;
  return request('summary', [{ role: 'user', content: [{ type: 'text', text: task }] }]);
}

const GUIDE = '[chitta:guide]\nKeep the name.\n[/chitta:guide]';

test('instructions are what stands between their heading and the reminder', () => {
  expect(instructionsIn(asked(`keep it\n\n${GUIDE}`))).toBe(`keep it\n\n${GUIDE}`);
  expect(instructionsIn(request('main', [{ role: 'user', content: 'Hello.' }]))).toBe('');
});

test('a guide counts only once', () => {
  expect(guideIn(asked(GUIDE))).toBe('Keep the name.');
  expect(() => guideIn(asked('keep it'))).toThrow('there are 0');
  expect(() => guideIn(asked(`${GUIDE}\n\n${GUIDE}`))).toThrow('there are 2');
});

test('blocks of one kind are told from those of another', () => {
  expect(blocksIn(`a ${GUIDE} b [chitta:recall]\nx\n[/chitta:recall]`, 'recall')).toEqual(['x']);
});

test("the request behind a compaction is the main conversation's, and that of a sub-agent's compaction is none", () => {
  const main = (content: string): ModelRequest => request('main', [{ role: 'user', content }]);
  const summary = asked(GUIDE);
  expect(requestAfterCompaction([main('a'), summary, request('agent', []), main('b'), main('c')])).toEqual(main('b'));
  expect(() => requestAfterCompaction([main('a'), { ...summary, agent: 'x' }, main('b')])).toThrow('no request');
});

test('half a pair is found in requests of every kind but asides', () => {
  const orphan: Message = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] };
  for (const kind of ['main', 'agent', 'summary'] as const) {
    expect(() => assertNoOrphans([request(kind, [orphan])])).toThrow('unexpected tool_use_id');
  }
  expect(() => assertNoOrphans([request('aside', [orphan])])).not.toThrow();
});

test('a system turn that only sets something is no fault', () => {
  const messages: Message[] = [
    { role: 'user', content: 'Hello.' },
    { role: 'system', content: [], output_config: { effort: 'medium' } },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'Go on.' },
  ];
  expect(() => assertNoOrphans([request('main', messages)])).not.toThrow();
});
