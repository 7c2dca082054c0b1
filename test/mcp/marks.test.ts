/** What the server says of itself stands in contexts, and is no mark: marks are what chitta wrote in place of something. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const src = join(import.meta.dirname, '..', '..', 'src');
const files = [
  join(src, 'protocol', 'tools.ts'),
  ...readdirSync(join(src, 'mcp')).map((name) => join(src, 'mcp', name)),
];

test('neither the instructions nor the descriptions of tools quote a mark', () => {
  expect(files.filter((path) => readFileSync(path, 'utf8').includes('[chitta:'))).toEqual([]);
});
