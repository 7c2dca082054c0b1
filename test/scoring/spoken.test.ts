import { expect, test } from 'vitest';
import { isSpoken } from '../../src/scoring/spoken.ts';

const LISTING = '     1→import { a } from "./a.ts";\n     2→\n     3→export const b = (x) => a(x) + 1;';

test.each([
  ['user', 'Why does the nightly export of pricing fail since Tuesday?', true],
  ['user', '为什么 билд падает après le déploiement nocturne?', true],
  ['user', 'yes', false],
  ['user', LISTING, false],
  ['user', 'drwxr-xr-x  2 root root 4096 Nov 30 17:10 models\n-rw-r--r--  1 root root 174 Nov 30 SHA256SUMS', false],
  ['user', 'word '.repeat(5_000), false],
  ['assistant', 'The export fails because `collectTokenWindow()` returns `[]` (line 12, `src/a.ts`).', true],
  ['assistant', 'Let me look at the export first.\nRead {"file_path":"/work/src/a.ts"}', true],
  ['assistant', 'Read {"file_path":"/work/src/what is it all about.ts"}', false],
  ['assistant', '', false],
  ['tool', 'The export fails because it returns nothing at all.', false],
])('%s: %j', (role, text, expected) => {
  expect(isSpoken(role, text)).toBe(expected);
});
