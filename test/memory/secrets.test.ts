import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SECRETS } from '../redact/secrets.ts';
import { beside, directive, episode, fact, filesWith, MS, newHome, opened, openedAt, turn } from './home.ts';

/** All but a word that the mask itself is named after. */
const FINDABLE = SECRETS.filter(({ secret }) => secret !== 'password');

function leaksIn(home: string): string[] {
  return readdirSync(home).flatMap((name) => {
    const bytes = readFileSync(join(home, name));
    return FINDABLE.filter(({ secret }) => bytes.includes(secret)).map(({ kind }) => `${name}: ${kind}`);
  });
}

describe('no planted secret is in the raw bytes', () => {
  test('of the database and its journal', async () => {
    expect(FINDABLE.length).toBeGreaterThan(20);
    const { memory, home } = opened();
    await memory.archive(
      SECRETS.map(({ text }, i) => turn(i, { text })),
      MS,
    );
    for (const { text } of SECRETS) await memory.remember(fact(text), MS);
    for (const { text } of SECRETS) await memory.addDirective(directive(text, { session: text }), MS);
    await memory.recordEpisode(
      episode({ trigger: SECRETS[0]!.text, session: SECRETS[10]!.text, transcript: SECRETS[5]!.text }),
      MS,
    );
    expect(readdirSync(home)).toContain('memory.db-wal');
    expect((await memory.stats(MS)).turns).toBe(SECRETS.length);
    expect(leaksIn(home)).toEqual([]);
    memory.close();
    expect(leaksIn(home)).toEqual([]);
  });

  test('of the spool', async () => {
    const { memory, home, path } = opened();
    await memory.stats(MS);
    beside(path).exec('BEGIN IMMEDIATE');
    await memory.archive(
      SECRETS.map(({ text }, i) => turn(i, { text })),
      60,
    );
    expect(readdirSync(home)).toContain('spool.ndjson');
    expect(leaksIn(home)).toEqual([]);
  });
});

describe('forgetting', () => {
  const word = 'xylophonequartz';

  test('takes the bytes out of every file, whatever else is stored', async () => {
    const { memory, home } = opened();
    const filler = (i: number): string => `filler ${i} ${'lorem ipsum dolor '.repeat((i * 7) % 90)}`;
    for (let i = 0; i < 60; i += 1) await memory.remember(fact(filler(i)), MS);
    const { memory: short } = await memory.remember(fact(`the code word is ${word}`), MS);
    const { memory: long } = await memory.remember(fact(`${word} `.repeat(2_000)), MS);
    await memory.putVectors('m', [{ id: short.id, vector: Float32Array.from([0.123_456_7, 0.765_432_1]) }], MS);
    for (let i = 60; i < 120; i += 1) await memory.remember(fact(filler(i)), MS);
    expect(filesWith(home, word)).not.toEqual([]);
    for (const id of [short.id, long.id]) {
      expect(await memory.forget(id, MS)).toEqual({ found: true, removedFiles: [], erased: true });
    }
    expect(filesWith(home, word)).toEqual([]);
    expect(filesWith(home, 'xylophonequartz'.slice(0, 8))).toEqual([]);
    memory.close();
    expect(filesWith(home, word)).toEqual([]);
    expect(await memory.memoriesById([short.id, long.id], MS)).toEqual([]);
  });

  test('takes copies of the database along', async () => {
    const { memory, home } = opened();
    const { memory: row } = await memory.remember(fact(word), MS);
    beside(join(home, 'memory.db')).prepare('VACUUM INTO ?').run(join(home, 'memory.db.backup-v1'));
    expect(filesWith(home, word)).toContain('memory.db.backup-v1');
    expect((await memory.forget(row.id, MS)).removedFiles).toEqual(['memory.db.backup-v1']);
    expect(filesWith(home, word)).toEqual([]);
  });

  test('says so when a reader keeps the bytes in the journal, and the next one that can removes them', async () => {
    const { memory, home, path } = opened();
    const { memory: row } = await memory.remember(fact(word), MS);
    const reader = beside(path);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM memories').get();
    expect((await memory.forget(row.id, 400)).erased).toBe(false);
    reader.exec('COMMIT');
    memory.close();
    reader.close();
    expect(filesWith(home, word)).toEqual([]);
  });

  test('of what is not there says so', async () => {
    expect(await openedAt(newHome()).memory.forget(5, MS)).toMatchObject({ found: false });
  });
});
