import { expect, test } from 'vitest';
import { errorLineOf, isRejection, wordsOfRejection } from '../../src/session/failures.ts';

test.each([
  ['Exit code 1\n\n> app@1.0.0 test\n> vitest\n\nFAIL test/a.test.ts > adds', 'FAIL test/a.test.ts > adds'],
  ['Exit code 2\nsrc/a.ts(3,4): error TS2345: no', 'src/a.ts(3,4): error TS2345: no'],
  ['<tool_use_error>File has not been read yet.</tool_use_error>', 'File has not been read yet.'],
  ['just words', 'just words'],
  ['Exit code 1', 'Exit code 1'],
  ['', ''],
])('names the error of %j', (result, expected) => {
  expect(errorLineOf(result)).toBe(expected);
});

test('looks at the top of a long log only', () => {
  expect(errorLineOf(`starting\n${'fine\n'.repeat(100_000)}error at the end`)).toBe('starting');
});

test('tells a call that was turned down from one that failed, and keeps what the user said to it', () => {
  const rejected =
    "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nuse pnpm";
  expect(isRejection(rejected)).toBe(true);
  expect(wordsOfRejection(rejected)).toBe('use pnpm');
  expect(wordsOfRejection("The user doesn't want to proceed with this tool use.")).toBeUndefined();
  expect(wordsOfRejection('error: the user said: no')).toBeUndefined();
});
