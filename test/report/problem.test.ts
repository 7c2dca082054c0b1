import { expect, test } from 'vitest';
import { ChittaError } from '../../src/errors.ts';
import { problemOf } from '../../src/report/problem.ts';

test('a known error is what is wrong, its code, and what to try', () => {
  const error = new ChittaError('E_USAGE', "unknown option '--x'", { hint: 'chitta --help' });
  expect(problemOf(error, false)).toEqual({
    text: "chitta: unknown option '--x'   [E_USAGE]\ntry:    chitta --help\n",
    exitCode: 2,
  });
});

test('an error without a hint is one line, and so is a message of several lines', () => {
  expect(problemOf(new ChittaError('E_INPUT_EMPTY', 'nothing\n  here'), false)).toEqual({
    text: 'chitta: nothing here   [E_INPUT_EMPTY]\n',
    exitCode: 1,
  });
});

test.each([
  ['an error', new TypeError('x is not a function'), 'x is not a function'],
  ['a text', 'gone', 'gone'],
  ['nothing', undefined, 'undefined'],
])('%s that was not expected is one line', (_, error, message) => {
  expect(problemOf(error, false)).toEqual({
    text: `chitta: internal error: ${message} (--debug shows where)   [E_INTERNAL]\n`,
    exitCode: 1,
  });
});

test('debugging shows the stack, and the stack of the cause', () => {
  const cause = new Error('the disk is full');
  const { text } = problemOf(new ChittaError('E_CONFIG_WRITE', 'not written', { cause }), true);
  expect(text).toMatch(/^chitta: not written {3}\[E_CONFIG_WRITE\]\n.*not written\n {4}at /s);
  expect(text).toMatch(/caused by: Error: the disk is full\n {4}at /);
  expect(problemOf(new Error('x'), true).text).not.toContain('--debug');
});
