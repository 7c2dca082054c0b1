/** The switch in the environment. */
import type { Env } from '../platform/env.ts';

const OFF: ReadonlySet<string> = new Set(['0', 'false', 'no', 'off']);

/** What `CHITTA_DISABLE` says: undefined if unset or empty, false for `0`, `false`, `no`, `off`, true for anything else. */
export function disabledIn(env: Env): boolean | undefined {
  const word = env.CHITTA_DISABLE?.trim().toLowerCase();
  return word ? !OFF.has(word) : undefined;
}
