import { expect, test } from 'vitest';
import { METHODS } from '../../src/evaluation/methods.ts';
import { faultOf } from '../../src/evaluation/normalise.ts';
import type { Message } from '../../src/messages/types.ts';
import { answer, call, counter, prompt } from './session.ts';

const long = 'plain words in a row, again and again. '.repeat(40);
const messages: readonly Message[] = [
  prompt('Look at the lease'),
  ...Array.from({ length: 30 }, (_, n) => call('Read', { file_path: `/r/f${n}.ts` }, `file ${n}\n${long}`)).flat(),
  answer('The lease is held by worker_seven.'),
  prompt('And who waits for it?'),
  ...call('Grep', { pattern: 'wait' }, long),
];
const total = counter.messages(messages);
const every = Object.entries(METHODS).flatMap(([name, runs]) =>
  [0.05, 0.1, 0.2, 0.4, 1].flatMap((ratio) => runs.map((run, index) => ({ name, ratio, run, index }))),
);

test.each(every)('$name (run $index) at $ratio keeps pairs whole, stays within the budget, and repeats', (one) => {
  const budget = Math.floor(total * one.ratio);
  const query = 'And who waits for it?';
  const kept = one.run(messages, query, budget, counter);
  expect(faultOf(kept)).toBeUndefined();
  expect(counter.messages(kept)).toBeLessThanOrEqual(budget);
  expect(one.run(messages, query, budget, counter)).toEqual(kept);
});

function kept(name: string, ratio: number, query = ''): string {
  const [run] = METHODS[name] ?? [];
  return JSON.stringify(run?.(messages, query, Math.floor(total * ratio), counter));
}

test('keep-last keeps the end, prompts what was typed, masking the calls without their output', () => {
  expect(kept('keep-last', 0.2)).toContain('And who waits');
  expect(kept('keep-last', 0.2)).not.toContain('Look at the lease');
  expect(kept('prompts', 0.2)).toContain('Look at the lease');
  expect(kept('prompts', 0.2)).not.toContain('file_path');
  expect(kept('masking', 0.2)).toContain('[Old tool result content cleared]');
});

test('bm25 keeps what shares words with the query', () => {
  expect(kept('bm25', 0.05, 'worker_seven')).toContain('worker_seven');
  expect(kept('bm25', 0.2, 'f7')).toContain('/r/f7.ts');
});

test('random draws differ from run to run', () => {
  const runs = METHODS['random'] ?? [];
  expect(new Set(runs.map((run) => JSON.stringify(run(messages, '', total / 5, counter)))).size).toBe(runs.length);
});
