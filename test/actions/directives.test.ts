import { describe, expect, test } from 'vitest';
import { addDirective, listDirectives, revokeDirective } from '../../src/actions/directives.ts';
import type { NewDirective, StoredDirective } from '../../src/ports/memory.ts';

const MS = 1_000;

/** A ledger in memory, as the store keeps it. */
function ledger(): {
  rows: StoredDirective[];
  addDirective(entry: NewDirective): Promise<StoredDirective>;
  directives(project: string | undefined): Promise<readonly StoredDirective[]>;
} {
  const rows: StoredDirective[] = [];
  return {
    rows,
    addDirective: async (entry) => {
      rows.push({ ...entry, id: rows.length + 1, createdMs: rows.length });
      return rows.at(-1)!;
    },
    directives: async (project) => rows.filter((row) => row.project === undefined || row.project === project),
  };
}

const rule = (text: string, more: object = {}): { text: string; project: string; deadlineMs: number } => ({
  text,
  project: '/p',
  deadlineMs: MS,
  ...more,
});

describe('adding', () => {
  test('writes an accepted entry, trimmed', async () => {
    const store = ledger();
    expect((await addDirective(store, rule(' small commits\n', { session: 's' }))).directive).toMatchObject({
      text: 'small commits',
      status: 'accepted',
      replaces: undefined,
      project: '/p',
      session: 's',
    });
  });

  test('the same text twice is one entry, also once masked; in another scope it is another', async () => {
    const store = ledger();
    store.rows.push({
      id: 1,
      text: 'use DB_PASSWORD=[masked:password]',
      status: 'accepted',
      replaces: undefined,
      project: '/p',
      session: undefined,
      createdMs: 0,
    });
    expect(await addDirective(store, rule('use DB_PASSWORD=hunter2'))).toMatchObject({ added: false });
    expect(await addDirective(store, rule('use DB_PASSWORD=hunter2', { everywhere: true }))).toMatchObject({
      added: true,
    });
  });

  test('what was revoked may be added again', async () => {
    const store = ledger();
    await addDirective(store, rule('small commits'));
    await revokeDirective(store, 1, '/p', MS);
    expect(await addDirective(store, rule('small commits'))).toMatchObject({ added: true, directive: { id: 3 } });
  });
});

describe('amending', () => {
  test('goes on from the newest text, in the scope of the origin', async () => {
    const store = ledger();
    await addDirective(store, rule('one', { everywhere: true }));
    await addDirective(store, rule('two', { amends: 1 }));
    const { directive } = await addDirective(store, rule('three', { amends: 1 }));
    expect(directive).toMatchObject({ status: 'amended', replaces: 2, project: undefined });
    const { active, all } = await listDirectives(store, '/p', MS);
    expect(active.map(({ text }) => text)).toEqual(['three']);
    expect(all.map(({ id }) => id)).toEqual([3, 2, 1]);
  });

  test('of another project is not possible', async () => {
    const store = ledger();
    await addDirective(store, rule('one', { project: '/q' }));
    await expect(addDirective(store, rule('two', { amends: 1 }))).rejects.toMatchObject({ code: 'E_NOT_FOUND' });
  });
});

describe('revoking', () => {
  test('writes an entry and changes none', async () => {
    const store = ledger();
    await addDirective(store, rule('one'));
    const before = structuredClone(store.rows);
    expect(await revokeDirective(store, 1, '/p', MS)).toMatchObject({ status: 'revoked', replaces: 1, text: 'one' });
    expect(store.rows.slice(0, 1)).toEqual(before);
  });

  test('of what was revoked says so', async () => {
    const store = ledger();
    await addDirective(store, rule('one'));
    await revokeDirective(store, 1, '/p', MS);
    await expect(revokeDirective(store, 1, '/p', MS)).rejects.toMatchObject({
      code: 'E_NOT_FOUND',
      message: 'directive 1 holds no longer',
    });
  });
});
