import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isBoundOtherwise } from '../../src/scoring/binding.ts';
import { cpuMs } from '../support/time.ts';

test.each<[why: string, turn: string, memory: string]>([
  [
    'two values changed over',
    'The shop listens on port 1200. The till listens on port 3400.',
    'The shop listens on port 3400. The till listens on port 1200.',
  ],
  [
    'the value of another',
    'The shop listens on port 1200.',
    'The shop listens on port 3400. The till listens on port 1200.',
  ],
  [
    'in other words',
    'Ada owns the shop module. Ben owns the till module.',
    'The shop module is owned by Ben. The till module is owned by Ada.',
  ],
  ['in two lines', 'lint with oxlint', '- lint with eslint\n- format with oxlint --fix'],
])('sees %s', (_, turn, memory) => {
  expect(isBoundOtherwise(turn, memory)).toBe(true);
});

test.each<[why: string, turn: string, memory: string]>([
  ['single sentences', 'The shop listens on port 1200.', 'The till listens on port 3400'],
  [
    'the same in another order',
    'The shop is on 1200. The till is on 3400.',
    'The till is on 3400. The shop is on 1200.',
  ],
  ['what the memory says on top', 'The shop listens on port 1200.', 'The shop listens on port 1200. Ada owns it.'],
  ['one sentence told in two', 'Log files rotate at 10 MB and 5 are kept.', 'Log files rotate at 10 MB. 5 are kept.'],
  ['nothing', '', ''],
])('finds no fault with %s', (_, turn, memory) => {
  expect(isBoundOtherwise(turn, memory)).toBe(false);
});

test('a text is never bound otherwise than itself, and any two texts can be compared', () => {
  const text = fc.array(fc.constantFrom('a.b', 'port', '1200', '. ', '; ', 'not', 'The', 'x', '\n', ' '), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(isBoundOtherwise(one.join(' '), one.join(' '))).toBe(false);
      expect(typeof isBoundOtherwise(one.join(' '), other.join(' '))).toBe('boolean');
    }),
  );
});

test('the longest texts that are compared take less than a second', () => {
  const text = Array.from({ length: 24 }, (_, at) => `${'the shop listens there '.repeat(6)} on port ${at}.`).join(' ');
  expect(cpuMs(() => isBoundOtherwise(text, text.replaceAll('port', 'porch')))).toBeLessThan(1_000);
});
