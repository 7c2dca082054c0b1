import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  acceptDirective,
  addDirective,
  forgetDirective,
  listDirectives,
  revokeDirective,
} from '../../src/actions/directives.ts';
import { purgeStored } from '../../src/memory/purge.ts';
import type { PurgeScope } from '../../src/ports/purge.ts';
import { beside, fact, filesWith, MS, type Opened, opened, openedAt } from './home.ts';

const DAY_MS = 86_400_000;
const WORD = 'xylophonequartz';
const where = { project: '/project', deadlineMs: MS } as const;

/** A hash for each row, by its number. */
function hashesOf(path: string, table: 'ledger' | 'ledger_texts'): Map<number, string> {
  const key = table === 'ledger' ? 'id' : 'entry';
  const rows = beside(path).prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).all();
  return new Map(rows.map((row) => [Number(row[key]), createHash('sha256').update(JSON.stringify(row)).digest('hex')]));
}

interface Ledger extends Opened {
  /** Runs a step, and checks what it did to the rows that were there before. */
  step(name: string, work: () => Promise<unknown>, removes?: 'removes'): Promise<void>;
  wait(ms: number): void;
}

function ledgerOf(): Ledger {
  let clock = Date.UTC(2026, 0, 1);
  const store = opened(() => clock);
  return {
    ...store,
    wait: (ms) => void (clock += ms),
    step: async (name, work, removes) => {
      clock += 1;
      const [rows, texts] = [hashesOf(store.path, 'ledger'), hashesOf(store.path, 'ledger_texts')];
      await work();
      const [later, left] = [hashesOf(store.path, 'ledger'), hashesOf(store.path, 'ledger_texts')];
      expect([name, ...[...later].slice(0, rows.size)]).toEqual([name, ...rows]);
      const kept = [...texts].filter(([id]) => left.has(id));
      expect([name, ...kept]).toEqual([name, ...[...left].filter(([id]) => texts.has(id))]);
      const gone = [...texts.keys()].filter((id) => !left.has(id));
      expect([name, gone.length > 0]).toEqual([name, removes === 'removes']);
      // Each text that went left an entry that says so.
      const tombstones = beside(store.path)
        .prepare<[number], number>("SELECT replaces FROM ledger WHERE status = 'removed' AND id > ?")
        .pluck()
        .all(rows.size);
      expect([name, ...tombstones.sort((a, b) => a - b)]).toEqual([name, ...gone.sort((a, b) => a - b)]);
    },
  };
}

const proposal = (text: string, session = 's1'): Parameters<Opened['memory']['capture']>[0] => ({
  session,
  project: '/project',
  transcript: '/t.jsonl',
  turns: [],
  proposals: [{ text, project: '/project', session, source: '#abcdefg' }],
  archivedBytes: 10,
});

test('no operation changes or removes a row of the ledger; a removed text leaves an entry that says so', async () => {
  const { memory, home, path, step, wait } = ledgerOf();
  await memory.stats(MS);
  await step('add', () => addDirective(memory, { ...where, text: `one ${WORD}`, session: `s1 ${WORD}` }));
  await step('add everywhere', () => addDirective(memory, { ...where, text: 'two', everywhere: true }));
  await step('add the same', () => addDirective(memory, { ...where, text: 'two', everywhere: true }));
  await step('amend', () => addDirective(memory, { ...where, text: 'three', amends: 2 }));
  await step('supersede', () => addDirective(memory, { ...where, text: 'four', supersedes: [2] }));
  await step('expires', () => addDirective(memory, { ...where, text: 'five', expiresMs: Date.UTC(2026, 0, 3) }));
  await step('propose', () => memory.capture(proposal('six'), MS));
  await step('accept', async () => {
    const [{ id = 0 } = {}] = (await listDirectives(memory, '/project', MS)).proposed;
    await acceptDirective(memory, { ...where, id });
  });
  await step('propose again', () => memory.capture(proposal('seven'), MS));
  await step('the model proposes', () => addDirective(memory, { ...where, text: 'eight', who: 'model' }));
  await step('turn down', async () => {
    const [{ id = 0 } = {}] = (await listDirectives(memory, '/project', MS)).proposed;
    await revokeDirective(memory, { ...where, id });
  });
  wait(3 * DAY_MS);
  await step('time passes', () => memory.directives('/project', MS));
  expect((await memory.directives('/project', MS)).at(-1)).toMatchObject({
    status: 'expired',
    text: 'five',
    who: 'rule',
  });
  wait(40 * DAY_MS);
  await step('a proposal is dropped', () => memory.directives('/project', MS));
  expect((await memory.directives('/project', MS)).at(-1)).toMatchObject({ status: 'expired', text: 'seven' });
  await step('revoke', () => revokeDirective(memory, { ...where, id: 4, session: 's9' }));
  await step('forget a memory', async () => {
    const { memory: stored } = await memory.remember(fact('a memory'), MS);
    await memory.forget(stored.id, MS);
  });
  const purge = async (scope: PurgeScope): Promise<unknown> =>
    purgeStored(scope, Date.now(), { home, deadlineMs: MS, log: () => undefined });
  await step('purge what is old', () => purge({ beforeMs: Date.UTC(2027, 0, 1) }));
  await step('purge a session', () => purge({ session: `s1 ${WORD}` }), 'removes');
  expect(filesWith(home, WORD)).toEqual([]);
  await step('forget a directive', () => forgetDirective(memory, { ...where, id: 2 }), 'removes');
  await step('purge the project', () => purge({ project: '/project' }), 'removes');
  expect(hashesOf(path, 'ledger').size).toBeGreaterThan(20);
  const { active, proposed, all } = await listDirectives(memory, '/project', MS);
  expect([active, proposed]).toEqual([[], []]);
  expect(new Set(all.map(({ status }) => status))).toEqual(
    new Set(['proposed', 'accepted', 'amended', 'revoked', 'superseded', 'expired', 'removed']),
  );
});

describe('the bytes of a text', () => {
  test('are gone once it is forgotten, also where an end repeated it', async () => {
    const { memory, home } = opened();
    await addDirective(memory, { ...where, text: `never say ${WORD}` });
    await addDirective(memory, { ...where, text: `never write ${WORD}`, amends: 1 });
    await revokeDirective(memory, { ...where, id: 1 });
    expect(filesWith(home, WORD)).not.toEqual([]);
    expect(await forgetDirective(memory, { ...where, id: 2 })).toMatchObject({ found: true, erased: true });
    expect(filesWith(home, WORD)).toEqual([]);
    await expect(forgetDirective(memory, { ...where, id: 9 })).rejects.toMatchObject({ code: 'E_NOT_FOUND' });
  });

  test('of a purged session are not in the end that another session wrote', async () => {
    const { memory, home } = opened();
    await addDirective(memory, { ...where, text: `say ${WORD}`, session: 'one' });
    await revokeDirective(memory, { ...where, id: 1, session: 'two' });
    expect(await memory.directives('/project', MS)).toMatchObject([{}, { status: 'revoked', text: `say ${WORD}` }]);
    await purgeStored({ session: 'one' }, Date.now(), { home, deadlineMs: MS, log: () => undefined });
    expect(filesWith(home, WORD)).toEqual([]);
  });
});

describe('proposals', () => {
  test('of the same words come once, whatever became of them', async () => {
    const { memory } = opened();
    for (const text of ['Use tabs.', 'use  TABS', 'use tabs!']) await memory.capture(proposal(text), MS);
    expect((await listDirectives(memory, '/project', MS)).proposed.map(({ text }) => text)).toEqual(['Use tabs.']);
    await revokeDirective(memory, { ...where, id: 1 });
    await memory.capture(proposal('use tabs'), MS);
    expect((await listDirectives(memory, '/project', MS)).proposed).toEqual([]);
  });

  test('are not made of what holds already', async () => {
    const { memory } = opened();
    await addDirective(memory, { ...where, text: 'always use tabs', everywhere: true });
    await memory.capture(proposal('Always use tabs.'), MS);
    expect((await listDirectives(memory, '/project', MS)).proposed).toEqual([]);
  });

  test('are bounded: fifty wait, no more', async () => {
    const { memory } = opened();
    for (let i = 0; i < 60; i += 1) await memory.capture(proposal(`always run step ${i}`), MS);
    expect((await listDirectives(memory, '/project', MS)).proposed).toHaveLength(50);
  });

  test('are masked, and go by the spool where the database cannot be written', async () => {
    const { memory, home } = opened();
    await memory.stats(MS);
    await memory.capture(proposal('always log in with DB_PASSWORD=hunter2'), MS, 'later');
    expect(filesWith(home, 'hunter2')).toEqual([]);
    expect(filesWith(home, 'always log in')).toEqual(['spool.ndjson']);
    memory.close();
    const { memory: other } = openedAt(home);
    expect((await listDirectives(other, '/project', MS)).proposed).toMatchObject([
      { text: 'always log in with DB_PASSWORD=[masked:password]', session: 's1', source: '#abcdefg', who: 'rule' },
    ]);
  });
});

test('what has expired is not told as holding even while nothing can be written', async () => {
  let clock = 1_000;
  const { memory, path } = opened(() => clock);
  await addDirective(memory, { ...where, text: 'soon over', expiresMs: 2_000 });
  clock = 3_000;
  const other = beside(path);
  other.exec('BEGIN IMMEDIATE');
  const { active } = await listDirectives(memory, '/project', MS);
  expect(active).toEqual([]);
  expect(hashesOf(path, 'ledger').size).toBe(1);
  other.exec('ROLLBACK');
  await listDirectives(memory, '/project', MS);
  expect(hashesOf(path, 'ledger').size).toBe(2);
});
