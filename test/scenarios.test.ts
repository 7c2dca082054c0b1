/** The page about the host says where each scenario is told. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const repository = join(import.meta.dirname, '..');
const HEAD = '| | mode guide | mode replace |\n';

test('the table of scenarios names every file of them, and none that is not there', () => {
  const page = readFileSync(join(repository, 'docs', 'claude-code.md'), 'utf8');
  const [, behind = ''] = page.split(HEAD);
  const [table = ''] = behind.split('\n\n');
  const cells = table.split('\n').flatMap((row) => row.split('|').slice(2));
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name));
  const files = readdirSync(join(repository, 'test', 'e2e')).filter((name) => name.endsWith('.e2e.ts'));
  expect([...new Set(named)].toSorted()).toEqual(files.map((name) => name.replace('.e2e.ts', '')).toSorted());
});
