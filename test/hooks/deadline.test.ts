import { expect, test } from 'vitest';
import { within } from '../../src/hooks/deadline.ts';

const never = new Promise<string>(() => undefined);

test('hands on what comes in time', async () => {
  expect(await within(10_000, Promise.resolve('done'))).toBe('done');
  await expect(within(10_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

test.each([1, 0, -5])('gives up after %i ms on work that never ends', async (deadlineMs) => {
  expect(await within(deadlineMs, never)).toBeUndefined();
});

test('a rejection that comes too late is dropped', async () => {
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<string>((_, reject) => {
    fail = reject;
  });
  expect(await within(1, work)).toBeUndefined();
  fail(new Error('late'));
  await new Promise(setImmediate);
});
