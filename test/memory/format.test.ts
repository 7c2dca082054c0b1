import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/memory/schema.ts';
import { beside, MS, opened } from './home.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'memory-format.md'), 'utf8');

test('docs/memory-format.md names every table and column, and the format', async () => {
  const { memory, path } = opened();
  await memory.stats(MS);
  const db = beside(path);
  const tables = db
    .prepare(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite_%'`,
    )
    .pluck()
    .all();
  const missing = tables.flatMap((table) => {
    const columns = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table);
    // `only` keeps a table at one row and says nothing; an index's columns are SQLite's.
    const own = String(table).endsWith('_fts') ? [] : columns.filter((column) => column !== 'only');
    const named = page.includes(`**${String(table)}**`) ? [] : [table];
    return [
      ...named,
      ...own
        .filter((column) => !page.includes(`\`${String(column)}\``))
        .map((column) => `${String(table)}.${String(column)}`),
    ];
  });
  expect(missing).toEqual([]);
  expect(page).toContain(`is the format, ${MIGRATIONS.length} now`);
});
