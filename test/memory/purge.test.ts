import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { activeDirectives } from '../../src/hot/directives.ts';
import { countStored, purgeStored } from '../../src/memory/purge.ts';
import type { PurgeScope } from '../../src/ports/purge.ts';
import { beside, directive, episode, fact, filesWith, MS, newHome, opened, openedAt, summary, turn } from './home.ts';

const WORD = 'xylophonequartz';
const OTHER = 'keepsakemarble';
const DAY_MS = 86_400_000;

const options = (home: string, deadlineMs = MS): Parameters<typeof countStored>[1] => ({
  home,
  deadlineMs,
  log: () => undefined,
});

/** Two sessions in two projects, each with a row of every kind; the words of the first are WORD, of the second OTHER. */
async function filled(nowMs = Date.now()): Promise<ReturnType<typeof opened>> {
  let time = nowMs - 10 * DAY_MS;
  const store = opened(() => time);
  const { memory } = store;
  for (const [word, session, project] of [
    [WORD, 'one', '/first'],
    [OTHER, 'two', '/second'],
  ] as const) {
    const filler = Array.from({ length: 40 }, (_, i) => turn(i, { text: `filler ${i} ${word}`, session, project }));
    await memory.archive(
      filler.map((one) => ({ ...one, uuid: `${session} ${one.uuid}` })),
      MS,
    );
    await memory.archive(
      [turn(99, { text: `of an agent ${word}`, session: `${session}/agent`, project, uuid: word })],
      MS,
    );
    await memory.recordEpisode(
      episode({
        session,
        project,
        decisions: {
          kept: [],
          dropped: [{ handle: '#a', role: 'user', tokens: 1, score: 1, reason: 'old', line: word }],
        },
      }),
      MS,
    );
    await memory.noteEpisode(session, { restored: `it was ${word}` }, MS);
    const { memory: stored } = await memory.remember(fact(`note ${word}`, { session, project }), MS);
    await memory.remember(fact(`auto ${word}`, { session, project, origin: 'auto', sourceIds: [word] }), MS);
    await memory.putVectors('m', [{ id: stored.id, vector: Float32Array.from([0.6, 0.8]) }], MS);
    const rule = await memory.addDirective(directive(`rule ${word}`, { session, project }), MS);
    await memory.addDirective(
      directive(`rule ${word} 2`, { status: 'amended', replaces: rule.id, session, project }),
      MS,
    );
    await memory.addSummary(summary({ session, project, text: `summary of ${word}` }), MS);
    await memory.recordPrompt(
      { session, key: word, project, tokens: 3, injected: [`memory ${stored.id}`], toldDirective: 1 },
      MS,
    );
    time += 9 * DAY_MS;
  }
  await memory.remember(fact('of every project', { project: undefined }), MS);
  return store;
}

const OF_ONE = { memories: 2, directives: 2, turns: 41, episodes: 1, prompts: 1, summaries: 1 };

describe('a purge takes the bytes of', () => {
  test.each<[string, PurgeScope]>([
    ['a session, with its sub-agents', { session: 'one' }],
    ['a project', { project: '/first' }],
  ])('%s, and of nothing else', async (_, scope) => {
    const { memory, home } = await filled();
    expect(filesWith(home, WORD)).not.toEqual([]);
    expect(await countStored(scope, options(home))).toEqual(OF_ONE);
    expect(filesWith(home, WORD)).not.toEqual([]);
    expect(await purgeStored(scope, Date.now(), options(home))).toEqual({
      counts: OF_ONE,
      removedFiles: [],
      erased: true,
    });
    expect(filesWith(home, WORD)).toEqual([]);
    expect(filesWith(home, WORD.slice(0, 7))).toEqual([]);
    expect(await memory.searchText(OTHER, '/second', 50, MS)).toMatchObject({
      turns: { length: 41 },
      memories: { length: 2 },
    });
    expect(await memory.stats(MS)).toMatchObject({ memories: { active: 3 }, turns: 41, episodes: 1 });
    expect(await countStored(scope, options(home))).toEqual({
      memories: 0,
      directives: 0,
      turns: 0,
      episodes: 0,
      prompts: 0,
      summaries: 0,
    });
  });

  test('everything', async () => {
    const { memory, home } = await filled();
    const before = await memory.memories({ project: { all: true }, limit: 1 }, MS);
    const { counts, erased } = await purgeStored({}, Date.now(), options(home));
    expect({ counts, erased }).toEqual({
      counts: { memories: 5, directives: 4, turns: 82, episodes: 2, prompts: 2, summaries: 2 },
      erased: true,
    });
    for (const text of [WORD, OTHER, 'of every project', '/first', 'agent']) expect(filesWith(home, text)).toEqual([]);
    // Of the ledger it shows that it was emptied, and no more.
    expect(await memory.directives('/first', MS)).toMatchObject([
      { id: 5, status: 'removed', text: '', project: undefined, replaces: undefined },
    ]);
    // The connection that was open goes on, and numbers do not start over.
    const { memory: next } = await memory.remember(fact('new'), MS);
    expect(next.id).toBeGreaterThan(before[0]?.id ?? 0);
    expect(await memory.stats(MS)).toMatchObject({ memories: { active: 1 }, turns: 0, episodes: 0 });
  });

  test('what is older; what was stored on purpose, and directives, stay', async () => {
    const nowMs = Date.now();
    const { memory, home } = await filled(nowMs);
    const scope = { beforeMs: nowMs - 5 * DAY_MS };
    const expected = { memories: 1, directives: 0, turns: 41, episodes: 1, prompts: 1, summaries: 1 };
    expect((await purgeStored(scope, nowMs, options(home))).counts).toEqual(expected);
    const stats = await memory.stats(MS);
    expect(stats).toMatchObject({ memories: { active: 4 }, turns: 41, episodes: 1 });
    expect(await memory.directives('/first', MS)).toHaveLength(2);
    expect((await memory.searchText(WORD, '/first', 50, MS)).turns).toEqual([]);
  });
});

describe('what stays behind', () => {
  test('is the place of a directive in the ledger, which no longer holds, and that a memory was forgotten', async () => {
    const { memory, home } = await filled();
    const old = (await memory.memories({ project: '/first', limit: 50 }, MS)).map(({ id }) => id);
    await purgeStored({ project: '/first' }, Date.now(), options(home));
    const ledger = await memory.directives('/first', MS);
    expect(ledger.map(({ text, status, session, replaces }) => [text, status, session, replaces])).toEqual([
      ['', 'accepted', undefined, undefined],
      ['', 'amended', undefined, 1],
      ['', 'removed', undefined, 1],
      ['', 'removed', undefined, 2],
    ]);
    expect(activeDirectives(ledger)).toEqual([]);
    const { rows } = await memory.changesSince('m', 0, 100, MS);
    for (const id of old.slice(1)) expect(rows).toContainEqual(expect.objectContaining({ id, vector: undefined }));
  });

  test('is how far a transcript was read, so that the session that goes on is not archived again', async () => {
    const { memory, home } = await filled();
    const transcript = join(home, 'session.jsonl');
    writeFileSync(transcript, 'x'.repeat(1_234));
    await memory.capture({ session: 'one', project: '/first', transcript, turns: [], archivedBytes: 10 }, MS);
    await purgeStored({ session: 'one' }, Date.now(), options(home));
    expect(await memory.session('one', MS)).toMatchObject({ transcript, archivedBytes: 1_234 });
    expect(await memory.injected('one', MS)).toEqual(new Set());
  });
});

describe('files beside the database', () => {
  test('backups and damaged files go, whatever the scope', async () => {
    const { home, path } = await filled();
    beside(path).prepare('VACUUM INTO ?').run(`${path}.backup-v3`);
    for (const end of ['.corrupt-2026', '.corrupt-2026-wal']) writeFileSync(path + end, WORD);
    const { removedFiles } = await purgeStored({ session: 'one' }, Date.now(), options(home));
    expect(removedFiles.toSorted()).toEqual([
      'memory.db.backup-v3',
      'memory.db.corrupt-2026',
      'memory.db.corrupt-2026-wal',
    ]);
    expect(filesWith(home, WORD)).toEqual([]);
  });

  test.each<[string, PurgeScope]>([
    ['a session', { session: 'session' }],
    ['everything', {}],
  ])('what waits in the spool goes with %s', async (_, scope) => {
    const { memory, home, path } = opened();
    await memory.stats(MS);
    const blocker = beside(path);
    blocker.exec('BEGIN IMMEDIATE');
    await memory.archive([turn(1, { text: WORD })], 60);
    await memory.archive([turn(2, { text: OTHER, session: 'another' })], 60);
    blocker.exec('ROLLBACK');
    expect(filesWith(home, WORD)).toEqual(['spool.ndjson']);
    await purgeStored(scope, Date.now(), options(home));
    expect(filesWith(home, WORD)).toEqual([]);
    expect(readdirSync(home).filter((name) => name.startsWith('spool'))).toEqual([]);
    expect((await memory.stats(MS)).turns).toBe('session' in scope ? 1 : 0);
  });

  test.each([
    ['damaged', (home: string) => writeFileSync(join(home, 'memory.db'), `no database ${WORD}`.repeat(500))],
    [
      'of a newer format',
      (home: string) => {
        const db = beside(join(home, 'memory.db'));
        db.exec(`CREATE TABLE t (x); INSERT INTO t VALUES ('${WORD}'); PRAGMA user_version = 99`);
        db.close();
      },
    ],
  ])('everything goes from a database that is %s, too', async (_, make) => {
    const home = newHome();
    make(home);
    expect(filesWith(home, WORD)).toEqual(['memory.db']);
    await purgeStored({}, Date.now(), options(home));
    expect(filesWith(home, WORD)).toEqual([]);
    const { memory } = openedAt(home);
    expect((await memory.stats(MS)).turns).toBe(0);
  });

  test('a home that is not there is purged already', async () => {
    const home = join(newHome(), 'nowhere');
    expect(await purgeStored({}, Date.now(), options(home))).toMatchObject({ removedFiles: [], erased: true });
    expect(await countStored({ session: 'x' }, options(home))).toMatchObject({ turns: 0 });
  });
});

test('a reader of an older state is said to keep bytes; the same once more removes them', async () => {
  const { memory, home, path } = await filled();
  const reader = beside(path);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM turns').get();
  expect((await purgeStored({ session: 'one' }, Date.now(), options(home, 1_500))).erased).toBe(false);
  reader.exec('COMMIT');
  expect((await purgeStored({ session: 'one' }, Date.now(), options(home))).erased).toBe(true);
  expect(filesWith(home, WORD)).toEqual([]);
  memory.close();
});

test('a database that is locked for longer is an error that says so, and nothing is removed', async () => {
  const { home, path } = await filled();
  beside(path).exec('BEGIN IMMEDIATE');
  await expect(purgeStored({ session: 'one' }, Date.now(), options(home, 300))).rejects.toMatchObject({
    code: 'E_STORE_BUSY',
  });
  expect((await countStored({ session: 'one' }, options(home))).turns).toBe(41);
});
