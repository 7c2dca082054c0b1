import { expect, test } from 'vitest';
import { turnstile } from '../../src/mcp/turnstile.ts';

const live = (): AbortSignal => new AbortController().signal;

test('lets no more through at once than it may, in the order of arrival', async () => {
  const pass = turnstile(2);
  let [running, most] = [0, 0];
  const order: number[] = [];
  const work = async (n: number): Promise<number> => {
    order.push(n);
    most = Math.max(most, (running += 1));
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return n;
  };
  const numbers = Array.from({ length: 20 }, (_, n) => n);
  expect(await Promise.all(numbers.map((n) => pass(live(), () => work(n))))).toEqual(numbers);
  expect([most, order]).toEqual([2, numbers]);
});

test('a long line of calls that never wait leaves the process its turn between them', async () => {
  const pass = turnstile();
  let [done, doneAtTurn] = [0, 0];
  const calls = Array.from({ length: 100 }, () => pass(live(), async () => void (done += 1)));
  setImmediate(() => (doneAtTurn = done));
  await Promise.all(calls);
  expect(doneAtTurn).toBeGreaterThan(0);
  expect(doneAtTurn).toBeLessThan(20);
});

test('work that fails gives its place to the next', async () => {
  const pass = turnstile(1);
  const failing = pass(live(), () => Promise.reject(new Error('no')));
  const next = pass(live(), async () => 'yes');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
