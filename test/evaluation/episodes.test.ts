import { expect, test } from 'vitest';
import { cutsOf, queryOf } from '../../src/evaluation/episodes.ts';
import type { Message } from '../../src/messages/types.ts';
import { answer, call, counter, prompt } from './session.ts';

/** A call of about 500 tokens. */
const step = (n: number): Message[] => call('Bash', { command: `step ${n}` }, `${n} `.repeat(1000).slice(0, 1_900));
const steps = (count: number): Message[] => Array.from({ length: count }, (_, n) => step(n)).flat();

test('cuts near 40, 60 and 80 % of the tokens, after a user’s message', () => {
  const messages = [prompt('begin'), ...steps(100)];
  const total = counter.messages(messages);
  const cuts = cutsOf(messages, counter);
  expect(cuts).toHaveLength(3);
  for (const [index, cut] of cuts.entries()) {
    expect(messages[cut - 1]?.role).toBe('user');
    expect(counter.messages(messages.slice(0, cut)) / total).toBeCloseTo([0.4, 0.6, 0.8][index] ?? 0, 1);
  }
});

test('cuts after a typed prompt where one is near', () => {
  const messages = [prompt('begin'), ...steps(62), prompt('now the other half'), ...steps(38)];
  expect(cutsOf(messages, counter)).toContain(126);
});

test('leaves out segments that are too short, and places with too little before or behind them', () => {
  expect(cutsOf([prompt('begin'), ...steps(25)], counter)).toEqual([]);
  const messages = [prompt('begin'), ...steps(34)];
  for (const cut of cutsOf(messages, counter)) {
    expect(counter.messages(messages.slice(0, cut))).toBeGreaterThanOrEqual(8_000);
    expect(messages.length - cut).toBeGreaterThanOrEqual(15);
  }
});

test('the query is the newest typed prompt, else any text of the user', () => {
  const machine = prompt('<command-name>/clear</command-name>');
  expect(queryOf([prompt('one'), prompt('two'), machine, answer('three')])).toBe('two');
  expect(queryOf([machine])).toBe('<command-name>/clear</command-name>');
  expect(queryOf([answer('three')])).toBe('');
  expect(queryOf([prompt('x'.repeat(9_000))])).toHaveLength(4_000);
});
