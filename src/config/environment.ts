/** The switches in the environment. */
import type { Env } from '../platform/env.ts';

const OFF: ReadonlySet<string> = new Set(['0', 'false', 'no', 'off']);

/** What a switch says: undefined if unset or empty, false for `0`, `false`, `no`, `off`, true for anything else. */
function saidBy(value: string | undefined): boolean | undefined {
  const word = value?.trim().toLowerCase();
  return word ? !OFF.has(word) : undefined;
}

/** What the environment says about settings, by their keys: `CHITTA_DISABLE` and `CHITTA_PRIVATE`. */
export function switchesIn(env: Env): ReadonlyMap<string, boolean | undefined> {
  return new Map([
    ['disabled', saidBy(env.CHITTA_DISABLE)],
    ['private', saidBy(env.CHITTA_PRIVATE)],
  ]);
}
