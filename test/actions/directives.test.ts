import { describe, expect, test } from 'vitest';
import {
  acceptDirective,
  addDirective,
  directiveHistory,
  listDirectives,
  revokeDirective,
} from '../../src/actions/directives.ts';
import type { NewDirective, StoredDirective } from '../../src/ports/ledger.ts';

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
      rows.push({ ...entry, who: entry.who ?? 'person', id: rows.length + 1, createdMs: rows.length });
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
      who: 'person',
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
    await revokeDirective(store, { id: 1, project: '/p', deadlineMs: MS });
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
    expect(await revokeDirective(store, { id: 1, project: '/p', deadlineMs: MS })).toMatchObject({
      status: 'revoked',
      replaces: 1,
      text: 'one',
    });
    expect(store.rows.slice(0, 1)).toEqual(before);
  });

  test('of what was revoked says so', async () => {
    const store = ledger();
    await addDirective(store, rule('one'));
    await revokeDirective(store, { id: 1, project: '/p', deadlineMs: MS });
    await expect(revokeDirective(store, { id: 1, project: '/p', deadlineMs: MS })).rejects.toMatchObject({
      code: 'E_NOT_FOUND',
      message: 'directive 1 holds no longer',
    });
  });
});

const at = { project: '/p', deadlineMs: MS } as const;

/** A ledger with a proposal, number 1. */
async function proposed(more: Partial<NewDirective> = {}): Promise<ReturnType<typeof ledger>> {
  const store = ledger();
  const entry = { text: 'use tabs', status: 'proposed', who: 'rule', replaces: undefined, project: '/p' } as const;
  await store.addDirective({ ...entry, session: 's', expiresMs: 99, ...more });
  return store;
}

const activeTexts = async (store: ReturnType<typeof ledger>): Promise<string[]> =>
  (await listDirectives(store, '/p', MS)).active.map(({ text }) => text);

describe('a proposal', () => {
  test('waits, and holds once it is accepted, for good', async () => {
    const store = await proposed();
    expect(await activeTexts(store)).toEqual([]);
    expect((await listDirectives(store, '/p', MS)).proposed.map(({ id }) => id)).toEqual([1]);
    expect(await acceptDirective(store, { ...at, id: 1 })).toMatchObject({
      added: true,
      directive: { status: 'accepted', replaces: 1, expiresMs: undefined, who: 'person' },
    });
    expect(await activeTexts(store)).toEqual(['use tabs']);
    expect((await listDirectives(store, '/p', MS)).proposed).toEqual([]);
    expect(await acceptDirective(store, { ...at, id: 1 })).toMatchObject({ added: false, directive: { id: 2 } });
  });

  test('is turned down by revoking it, and cannot be accepted then', async () => {
    const store = await proposed();
    await revokeDirective(store, { ...at, id: 1 });
    expect((await listDirectives(store, '/p', MS)).proposed).toEqual([]);
    await expect(acceptDirective(store, { ...at, id: 1 })).rejects.toMatchObject({
      code: 'E_NOT_FOUND',
      message: 'directive 1 waits no longer',
    });
  });

  test('is accepted in other words by amending it', async () => {
    const store = await proposed();
    await addDirective(store, rule('use tabs in Go', { amends: 1 }));
    expect(await activeTexts(store)).toEqual(['use tabs in Go']);
    expect((await listDirectives(store, '/p', MS)).proposed).toEqual([]);
    expect(store.rows.at(-1)).toMatchObject({ expiresMs: undefined });
  });

  test('that would change a rule leaves it as it is when it is turned down, and takes its place when accepted', async () => {
    for (const isAccepted of [false, true]) {
      const store = ledger();
      await addDirective(store, rule('use tabs'));
      await addDirective(store, rule('use spaces', { amends: 1, who: 'model' }));
      expect(await activeTexts(store)).toEqual(['use tabs']);
      await (isAccepted ? acceptDirective(store, { ...at, id: 2 }) : revokeDirective(store, { ...at, id: 2 }));
      expect(await activeTexts(store)).toEqual([isAccepted ? 'use spaces' : 'use tabs']);
    }
  });

  test('whose text holds already is answered, and nothing is added', async () => {
    const store = await proposed();
    await addDirective(store, rule('use tabs'));
    expect(await acceptDirective(store, { ...at, id: 1 })).toMatchObject({ added: false, directive: { id: 2 } });
    expect((await listDirectives(store, '/p', MS)).proposed).toEqual([]);
  });

  test('is what the model gets when it adds a directive, once', async () => {
    const store = ledger();
    expect(await addDirective(store, rule('use tabs', { who: 'model', session: 's' }))).toMatchObject({
      added: true,
      directive: { status: 'proposed', who: 'model', session: 's' },
    });
    expect(await addDirective(store, rule('use tabs', { who: 'model' }))).toMatchObject({ added: false });
    expect(await activeTexts(store)).toEqual([]);
  });

  test('must be accepted before another can supersede it', async () => {
    const store = await proposed();
    await expect(addDirective(store, rule('use spaces', { supersedes: [1] }))).rejects.toMatchObject({
      message: 'directive 1 is only proposed',
    });
  });
});

test('an amendment holds as long as its origin, unless another time is told', async () => {
  const store = ledger();
  await addDirective(store, rule('one', { expiresMs: 50 }));
  expect((await addDirective(store, rule('two', { amends: 1 }))).directive.expiresMs).toBe(50);
  expect((await addDirective(store, rule('three', { amends: 1, expiresMs: 70 }))).directive.expiresMs).toBe(70);
  expect((await addDirective(store, rule('four', { amends: 1, expiresMs: null }))).directive.expiresMs).toBeUndefined();
});

test('the history of a directive is every entry about it, oldest first', async () => {
  const store = ledger();
  await addDirective(store, rule('one'));
  await addDirective(store, rule('other'));
  await addDirective(store, rule('two', { amends: 1 }));
  await revokeDirective(store, { ...at, id: 3 });
  const { entries, active } = await directiveHistory(store, { ...at, id: 3 });
  expect([entries.map(({ id }) => id), active]).toEqual([[1, 3, 4], undefined]);
  await expect(directiveHistory(store, { ...at, id: 9 })).rejects.toMatchObject({ code: 'E_NOT_FOUND' });
});
