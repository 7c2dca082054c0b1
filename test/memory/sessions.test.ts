import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { spool } from '../../src/memory/spool.ts';
import type { Capture, PromptRecord } from '../../src/ports/sessions.ts';
import { beside, episode, filesWith, MS, opened, openedAt, turn } from './home.ts';

const capture = (more: Partial<Capture> = {}): Capture => ({
  session: 'session',
  project: '/project',
  transcript: '/t.jsonl',
  turns: [],
  archivedBytes: 0,
  ...more,
});

const prompt = (more: Partial<PromptRecord> = {}): PromptRecord => ({
  session: 'session',
  key: 'p1',
  project: '/project',
  tokens: 0,
  injected: [],
  toldDirective: undefined,
  ...more,
});

const scope = { session: 'session', project: '/project' };

describe('a transcript that is read bit by bit', () => {
  test('is read on from where it was left, and never from before', async () => {
    const { memory } = opened();
    await memory.capture(capture({ turns: [turn(1)], archivedBytes: 500 }), MS);
    await memory.capture(capture({ archivedBytes: 300 }), MS);
    expect(await memory.session('session', MS)).toMatchObject({ transcript: '/t.jsonl', archivedBytes: 500 });
    await memory.capture(capture({ transcript: '/other.jsonl', archivedBytes: 10 }), MS);
    expect(await memory.session('session', MS)).toMatchObject({ transcript: '/other.jsonl', archivedBytes: 10 });
  });

  test('gives a turn that has grown its longer text, also in the index', async () => {
    const { memory } = opened();
    await memory.capture(capture({ turns: [turn(1, { text: 'half' })] }), MS);
    await memory.capture(capture({ turns: [turn(1, { text: 'half and the whole' })] }), MS);
    await memory.capture(capture({ turns: [turn(1, { text: 'half' })] }), MS);
    expect(await memory.turns(turn(1).handle, MS)).toMatchObject([{ text: 'half and the whole' }]);
    expect((await memory.searchText('whole', '/project', 5, MS)).turns).toHaveLength(1);
  });

  test('may wait in the spool, and is taken in by the next process', async () => {
    const { memory, home } = opened();
    await memory.capture(capture({ turns: [turn(1)], archivedBytes: 77 }), MS, 'later');
    expect(readFileSync(join(home, 'spool.ndjson'), 'utf8')).toContain('turn number 1');
    expect(await memory.session('session', MS)).toMatchObject({ archivedBytes: 77 });
    expect(await memory.turns(turn(1).handle, MS)).toHaveLength(1);
  });

  test('goes to the spool where the database is locked', async () => {
    const { memory, path, home } = opened();
    await memory.stats(MS);
    const other = beside(path);
    other.exec('BEGIN IMMEDIATE');
    await memory.capture(capture({ turns: [turn(1)], archivedBytes: 9 }), 120);
    await memory.recordPrompt(prompt({ tokens: 12, injected: ['memory 1'] }), 120);
    other.exec('COMMIT');
    const { memory: next } = openedAt(home);
    expect(await next.session('session', MS)).toMatchObject({ archivedBytes: 9 });
    expect([...(await next.injected('session', MS))]).toEqual(['memory 1']);
  });
});

describe('names', () => {
  test('are found in other sessions, and in what left the context, never in what stands in it', async () => {
    const { memory } = opened();
    const said = 'the fault is in src/login.ts';
    await memory.archive([turn(1, { text: said }), turn(2, { text: said, session: 'other' })], MS);
    const found = async (session: string): Promise<unknown> => {
      const [hits] = await memory.findNames(['src/login.ts'], { ...scope, session }, 5, MS);
      return [hits?.isLive, hits?.turns.map(({ handle }) => handle)];
    };
    expect(await found('session')).toEqual([true, []]);
    expect(await found('third')).toEqual([false, [turn(2).handle, turn(1).handle]]);
    await memory.leaveContext('session', [], MS);
    expect(await found('session')).toEqual([false, [turn(2).handle, turn(1).handle]]);
  });

  test('stay live where the compaction kept their turn', async () => {
    const { memory } = opened();
    await memory.archive([turn(1, { text: 'retry_limit' }), turn(2, { text: 'page_size' })], MS);
    await memory.leaveContext('session', ['uuid-2'], MS);
    const hits = await memory.findNames(['retry_limit', 'page_size'], scope, 5, MS);
    expect(hits.map(({ isLive }) => isLive)).toEqual([false, true]);
  });

  test('are looked for in order, and whatever they hold is no query', async () => {
    const { memory } = opened();
    await memory.archive([turn(1, { text: 'ts login src', session: 'other' })], MS);
    const names = ['src/login.ts', '"', 'a" OR "b', '*', '', '☃'];
    const hits = await memory.findNames(names, scope, 5, MS);
    expect(hits.map(({ turns }) => turns.length)).toEqual(names.map(() => 0));
  });
});

test('what all stands in one live turn is known to be live', async () => {
  const { memory } = opened();
  await memory.archive([turn(1, { text: 'The dev server listens on port 8080 here.' })], MS);
  const texts = ['dev server listens on port 8080', 'dev server listens on port 9090', '', 'the'];
  expect(await memory.areLive('session', texts, MS)).toEqual([true, false, false, false]);
});

describe('prompts', () => {
  test('are counted once each, with what was put into the context for them', async () => {
    const { memory } = opened();
    await memory.recordPrompt(prompt(), MS);
    await memory.recordPrompt(prompt({ key: 'p2', tokens: 40, injected: ['memory 3'], toldDirective: 2 }), MS);
    await memory.recordPrompt(prompt({ key: 'p2', tokens: 40, injected: ['memory 3'] }), MS);
    expect((await memory.stats(MS)).prompts).toEqual({ seen: 2, injected: 1, tokens: 40 });
    expect([...(await memory.injected('session', MS))]).toEqual(['memory 3']);
    expect(await memory.session('session', MS)).toMatchObject({ toldDirective: 2 });
  });

  test('leave nothing in a context that was compacted', async () => {
    const { memory } = opened();
    await memory.recordPrompt(prompt({ tokens: 5, injected: ['memory 3'] }), MS);
    await memory.leaveContext('session', [], MS);
    expect((await memory.injected('session', MS)).size).toBe(0);
    expect((await memory.stats(MS)).prompts.injected).toBe(1);
  });
});

test('a session knows the newest directive it was ever told of', async () => {
  const { memory } = opened();
  const begun = { project: '/project', transcript: '/t.jsonl', toldDirective: 4 };
  await memory.beginSession('session', begun, MS);
  await memory.beginSession('session', { ...begun, transcript: undefined, toldDirective: 1 }, MS);
  expect(await memory.session('session', MS)).toEqual({ transcript: '/t.jsonl', archivedBytes: 0, toldDirective: 4 });
  expect(await memory.session('unknown', MS)).toBeUndefined();
});

describe('what becomes known of a compaction', () => {
  test('is added to the newest episode of the session', async () => {
    const { memory } = opened();
    const line = { handle: '#aaaaaaa', role: 'user', tokens: 3, score: 0.5, reason: 'protected', line: 'hello' };
    await memory.recordEpisode(episode({ decisions: { kept: [line], dropped: [] } }), MS);
    await memory.noteEpisode('session', { restored: 'given back' }, MS);
    const audit = { identifiers: { checked: 9, lost: ['a_b'] }, constraints: { checked: 1, lost: [] } };
    await memory.noteEpisode('session', { audit }, MS);
    expect(await memory.episodes({ limit: 1 }, MS)).toMatchObject([
      { decisions: { kept: [line], dropped: [] }, restored: 'given back', audit },
    ]);
  });

  test('holds no secret', async () => {
    const { memory, home } = opened();
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const line = { handle: '#aaaaaaa', role: 'user', tokens: 3, score: 0.5, reason: 'x', line: `use ${token}` };
    await memory.recordEpisode(episode({ decisions: { kept: [line], dropped: [line] } }), MS);
    const lost = { checked: 1, lost: [`never print ${token}`] };
    await memory.noteEpisode('session', { restored: token, audit: { identifiers: lost, constraints: lost } }, MS);
    await memory.capture(capture({ turns: [turn(1, { text: token })] }), MS, 'later');
    await memory.recordPrompt(prompt({ injected: [token] }), MS);
    expect(filesWith(home, token)).toEqual([]);
  });
});

describe('a replacement', () => {
  test('is kept by the spool alone, with what left and what did not, until the next call takes it in', async () => {
    const { memory, home } = opened();
    await memory.capture(capture({ turns: [turn(1, { text: 'alpha_one was said' })] }), MS);
    await memory.archiveLater(
      [turn(1, { text: 'alpha_one was said' }), turn(2, { text: 'beta_two too' }), turn(3)],
      MS,
    );
    await memory.recordReplacement({ episode: episode({ state: 'done' }), stillThere: ['uuid-3'] });
    const spooled = readFileSync(join(home, 'spool.ndjson'), 'utf8');
    expect(spooled).toContain('beta_two');
    // It is in the database as it is.
    expect(spooled).not.toContain('alpha_one');
    const after = openedAt(home).memory;
    expect(await after.newestEpisode('session', MS)).toMatchObject({ state: 'done' });
    await after.capture(capture({ turns: [turn(4, { text: 'gamma_four came later' })] }), MS);
    const live = async (text: string): Promise<boolean | undefined> => (await after.areLive('session', [text], MS))[0];
    expect(await live('alpha_one')).toBe(false);
    expect(await live('beta_two')).toBe(false);
    expect(await live('turn number 3')).toBe(true);
    expect(await live('gamma_four')).toBe(true);
  });

  test('that may still be thrown away leaves everything where it is', async () => {
    const { memory, home } = opened();
    await memory.archiveLater([turn(1)], MS);
    await memory.recordReplacement({ episode: episode(), stillThere: undefined });
    const after = openedAt(home).memory;
    expect(await after.areLive('session', ['turn number 1'], MS)).toEqual([true]);
    expect(await after.newestEpisode('session', MS)).toMatchObject({ state: 'proposed' });
  });

  test('notes of what left do not reach what came behind it, however late they are taken in', async () => {
    let now = 1_000;
    const { memory, home } = opened(() => now);
    await memory.capture(capture({ turns: [turn(1, { text: 'alpha_one' })] }), MS);
    spool(home, [{ kind: 'leave', atMs: 2_000, session: 'session', stillThere: [] }]);
    now = 3_000;
    // No time to take anything in.
    await memory.capture(capture({ turns: [turn(2, { text: 'beta_two' })] }), 60);
    const later = openedAt(home, () => 4_000).memory;
    expect(await later.areLive('session', ['alpha_one', 'beta_two'], MS)).toEqual([false, true]);
  });
});

test('a turn that has left when it is archived is not before the eyes of the session, and so is one that is known', async () => {
  const { memory } = opened();
  await memory.archive([turn(1, { text: 'alpha_one' })], MS);
  await memory.archive([turn(1, { text: 'alpha_one', left: true }), turn(2, { text: 'beta_two', left: true })], MS);
  expect(await memory.areLive('session', ['alpha_one', 'beta_two'], MS)).toEqual([false, false]);
});
