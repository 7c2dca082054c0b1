/** Time as a busy machine cannot lengthen it: limits hold there too, and prove as much as on a quiet one. */
import { expect } from 'vitest';

/** Milliseconds of processor time that work takes in this process. */
export function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Holds work to a deadline, and to so much beyond it for its end: where this process is not woken in time, a timer beside it is not either. */
export async function inTime<T>(deadlineMs: number, slackMs: number, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  let firedMs = deadlineMs;
  const timer = setTimeout(() => (firedMs = performance.now() - startedAt), deadlineMs);
  const result = await work();
  const tookMs = performance.now() - startedAt;
  clearTimeout(timer);
  expect(tookMs).toBeLessThan(Math.max(firedMs, deadlineMs) + slackMs);
  return result;
}
