/** The environment variables chitta reads, once. */
import type { Env } from '../platform/env.ts';

/** Name and purpose, for docs/configuration.md. */
export const ENVIRONMENT: readonly { readonly name: string; readonly doc: string }[] = [
  {
    name: 'CHITTA_HOME',
    doc: 'Folder of chitta’s own files. Default: `$XDG_DATA_HOME/chitta`, else `~/.local/share/chitta`.',
  },
  { name: 'CHITTA_DISABLE', doc: '`1` switches the hooks off, `0` on, whatever the files say.' },
  { name: 'CHITTA_DEBUG', doc: '`1` says more in the log file, for a bug report.' },
  { name: 'NO_COLOR', doc: 'Not empty: no colour in any output.' },
];

const OFF: ReadonlySet<string> = new Set(['0', 'false', 'no', 'off']);

/** What `CHITTA_DISABLE` says: undefined if unset or empty, false for `0`, `false`, `no`, `off`, true for anything else. */
export function disabledIn(env: Env): boolean | undefined {
  const word = env.CHITTA_DISABLE?.trim().toLowerCase();
  return word ? !OFF.has(word) : undefined;
}
