import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { handleOf } from '../../src/messages/handle.ts';
import { estimateTokens } from '../../src/tokens/text.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';
import { beside } from '../memory/home.ts';
import { TranscriptBuilder, uuidOf } from '../support/transcript.ts';
import { fire, type HookRig, hookRig, MS, newFolder, SESSION, transcriptOf } from './rig.ts';

const event = (source: string, more: object = {}): object => ({
  session_id: SESSION,
  transcript_path: '/not/yet.jsonl',
  cwd: '/work',
  hook_event_name: 'SessionStart',
  source,
  ...more,
});

const start = (app: HookRig, source: string, more: object = {}): Promise<string> =>
  fire('session-start', event(source, more), app);

const direct = (app: HookRig, text: string): Promise<unknown> =>
  app.withMemory((memory) =>
    memory.addDirective(
      { text, status: 'accepted', replaces: undefined, project: app.project, session: undefined },
      MS,
    ),
  );

const store = <T>(app: HookRig, work: (memory: MemoryDatabase) => Promise<T>): Promise<T> => app.withMemory(work);

describe('a session that begins', () => {
  test.each(['startup', 'clear', 'fork'])('by %s is told nothing where there is nothing to tell', async (source) => {
    const app = hookRig();
    expect(await start(app, source)).toBe('');
    expect(app.followed).toEqual([['/not/yet.jsonl', false]]);
    expect(app.logged).toEqual([]);
  });

  test.each(['startup', 'clear', 'fork'])('by %s is told the directives, in a block of their own', async (source) => {
    const app = hookRig();
    await direct(app, 'never change the public API');
    const text = await start(app, source);
    expect(text).toBe('[chitta:hot]\n## Directives\n- never change the public API\n[/chitta:hot]');
  });

  test('is told the charter only where the host does not load one itself', async () => {
    const app = hookRig();
    writeFileSync(join(app.project, 'AGENTS.md'), 'Use tabs.\n');
    expect(await start(app, 'startup')).toContain('Use tabs.');
    writeFileSync(join(app.project, 'CLAUDE.md'), '@AGENTS.md\n');
    expect(await start(app, 'startup')).toBe('');
  });

  test('is told no more than 2,000 tokens and 10,000 characters', async () => {
    const app = hookRig();
    writeFileSync(join(app.project, 'AGENTS.md'), `${'supercalifragilistic '.repeat(40)}\n`.repeat(300));
    for (let i = 0; i < 60; i += 1) await direct(app, `Rule ${i}: ${'be exact and be kind. '.repeat(8)}`);
    const text = await start(app, 'startup');
    expect(estimateTokens(text)).toBeLessThanOrEqual(2_000);
    expect(text.length).toBeLessThanOrEqual(10_000);
    expect(text.length).toBeGreaterThan(2_000);
  });

  test('is told how many directives wait, in a line behind those that hold, and never by itself', async () => {
    const app = hookRig();
    const propose = (text: string): Promise<unknown> =>
      app.withMemory((memory) => memory.addDirective({ ...proposed, text, project: app.project }, MS));
    const proposed = { status: 'proposed', replaces: undefined, session: undefined, who: 'rule' } as const;
    await propose('always use tabs');
    expect(await start(app, 'startup')).toBe('');
    await direct(app, 'small commits');
    expect(await start(app, 'startup')).toBe(
      '[chitta:hot]\n## Directives\n- small commits\n\nOne proposed directive waits for the user: chitta directives list\n[/chitta:hot]',
    );
    await propose('never use spaces');
    expect(await start(app, 'startup')).toContain(
      '\n2 proposed directives wait for the user: chitta directives list\n',
    );
    for (let i = 0; i < 60; i += 1) await direct(app, `Rule ${i}: ${'be exact and be kind. '.repeat(8)}`);
    writeFileSync(join(app.project, 'AGENTS.md'), `${'supercalifragilistic '.repeat(40)}\n`.repeat(300));
    const text = await start(app, 'startup');
    expect(estimateTokens(text)).toBeLessThanOrEqual(2_000);
    expect(text.length).toBeLessThanOrEqual(10_000);
  });

  test('is told the charter where the database is damaged', async () => {
    const app = hookRig();
    writeFileSync(join(app.project, 'AGENTS.md'), 'Use tabs.\n');
    const broken = { ...app, withMemory: <T>(work: (memory: MemoryDatabase) => Promise<T>) => work(unusable()) };
    expect(await start(broken, 'startup')).toContain('Use tabs.');
    expect(app.logged.join('\n')).toContain('the directives cannot be read: no disk');
  });
});

/** A database of which every call fails. */
function unusable(): MemoryDatabase {
  // Whatever is asked of it, it rejects: no other member is used.
  return new Proxy({}, { get: () => () => Promise.reject(new Error('no disk')) }) as MemoryDatabase;
}

describe('a session that goes on', () => {
  test('is not told again what it knows', async () => {
    const app = hookRig();
    await direct(app, 'never change the public API');
    expect(await start(app, 'startup')).not.toBe('');
    expect(await start(app, 'resume')).toBe('');
  });

  test.each([
    ['a fork', 'fork'],
    ['a fork that an older host calls resumed', 'resume'],
  ])('%s has what its origin was told, and hears with its prompt what has changed since', async (_, source) => {
    const app = hookRig();
    await direct(app, 'never change the public API');
    expect(await start(app, 'startup')).toContain('never change the public API');
    await direct(app, 'answer in English');
    const session_id = '99999999-0000-4000-8000-000000000000';
    expect(await start(app, source, { session_id })).toBe('');
    const prompt = { session_id, hook_event_name: 'UserPromptSubmit', prompt: 'Go on with it.', prompt_id: 'p' };
    const text = await fire('user-prompt-submit', prompt, app);
    expect(text).toContain('holds now: answer in English');
    expect(text).not.toContain('public API');
  });

  test('is told if it never was', async () => {
    const app = hookRig();
    await direct(app, 'never change the public API');
    expect(await start(app, 'resume')).toContain('never change the public API');
    const there = { transcript_path: transcriptOf(conversation()), session_id: 'another' };
    expect(await start(app, 'resume', there)).toContain('never change the public API');
    expect(await start(app, 'fork', { session_id: 'third' })).toBe('');
  });
});

function conversation(): TranscriptBuilder {
  const rows = new TranscriptBuilder();
  rows.prompt('Rename the column user_id. Never drop data.');
  for (let i = 0; i < 12; i += 1) {
    const input = { file_path: `/work/src/part${i}.sql` };
    rows.assistant(`c${i}`, [{ type: 'tool_use', id: `t${i}`, name: 'Read', input }]);
    rows.result(`t${i}`, `create table part${i} (user_id int);\n${'-- a line of the dump\n'.repeat(30)}`);
  }
  rows.text('m2', 'The table part3 has a foreign key named fk_owner_part3 that must be renamed with user_id.');
  rows.assistant('m3', [{ type: 'tool_use', id: 'f1', name: 'Bash', input: { command: 'make migrate' } }]);
  const content = [
    {
      type: 'tool_result',
      tool_use_id: 'f1',
      is_error: true,
      content: 'Exit code 2\nERROR: fk_owner_part3 is missing',
    },
  ];
  rows.add({ type: 'user', message: { role: 'user', content } });
  rows.prompt('Go on with the foreign key fk_owner_part3 in src/part3.sql.');
  rows.text('m9', 'I am on it.');
  return rows;
}

/** Of an episode of the session. */
const numbers = {
  session: SESSION,
  trigger: 'auto',
  strategy: 'need',
  beforeTokens: 9,
  afterTokens: 1,
  dropped: 1,
  embedding: false,
  tookMs: 1,
};

const compacted = (path: string, more: object = {}): object => ({ transcript_path: path, model: 'm', ...more });

describe('after a compaction', () => {
  test('gives back what a summary is likely to have lost, in order', async () => {
    const app = hookRig();
    await direct(app, 'answer in English');
    const text = await start(app, 'compact', compacted(transcriptOf(conversation())));
    const order = [
      '[chitta:restored]',
      'The newest prompt:\n> Go on with the foreign key',
      'Directives that hold',
      'Limits the user set:\n> Never drop data.',
      'Names in use:\n> ',
      'Files in use, newest first:\n> /work/src/part11.sql (read)',
      'Calls that failed',
      'error: ERROR: fk_owner_part3 is missing',
      'No longer in the context',
      'Passages that were dropped',
      '[/chitta:restored]',
    ];
    const places = order.map((part) => text.indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(text.length).toBeLessThanOrEqual(10_000);
    expect(app.logged).toEqual([]);
  });

  test('points to turns by handles that bring them back, and quotes nothing of the newest group', async () => {
    const app = hookRig();
    const rows = conversation();
    const text = await start(app, 'compact', compacted(transcriptOf(rows)));
    const read = rows.rows.find((row) => JSON.stringify(row).includes('create table part3'));
    const handle = handleOf({ role: 'user', uuid: uuidOf(read ?? {}) });
    expect(text).toContain(`> \`/work/src/part3.sql\` ${handle}`);
    expect(await store(app, (memory) => memory.turns(handle, MS))).toHaveLength(1);
    expect(text).not.toContain('I am on it.');
  });

  test('the file that the next step names comes before others that say as much', async () => {
    const text = await start(hookRig(), 'compact', compacted(transcriptOf(conversation())));
    const passages = text.slice(text.indexOf('Passages that were dropped'));
    expect(passages.indexOf('create table part3 ')).toBeGreaterThan(0);
    expect(passages.indexOf('create table part3 ')).toBeLessThan(
      Math.max(passages.indexOf('create table part4 '), passages.length * 0.9),
    );
  });

  test('marks the episode as done, notes what it gave, and what has left the context', async () => {
    const app = hookRig();
    const path = transcriptOf(conversation());
    await fire(
      'pre-compact',
      { ...event(''), hook_event_name: 'PreCompact', trigger: 'auto', ...compacted(path) },
      app,
    );
    const text = await start(app, 'compact', compacted(path));
    const [episode] = await store(app, (memory) => memory.episodes({ session: SESSION, limit: 5 }, MS));
    expect(episode).toMatchObject({ state: 'done', restored: text });
    expect(episode?.decisions?.kept.length).toBeGreaterThan(0);
    const scope = { session: SESSION, project: app.project };
    const [name] = await store(app, (memory) => memory.findNames(['fk_owner_part3'], scope, 9, MS));
    expect(name?.isLive).toBe(false);
    expect(name?.turns.length).toBeGreaterThan(0);
  });

  test('leaves no trace of a compaction that did not come', async () => {
    const app = hookRig();
    const rows = conversation();
    for (let i = 0; i < 10; i += 1) {
      const path = transcriptOf(rows);
      await fire('pre-compact', { ...event(''), hook_event_name: 'PreCompact', ...compacted(path) }, app);
      rows.text(`n${i}`, `Still at it, ${i}.`);
    }
    const episodes = await store(app, (memory) => memory.episodes({ session: SESSION, limit: 50 }, MS));
    expect(episodes.map(({ state }) => state)).toEqual(['proposed']);
  });

  test('says nothing where the compaction was a replacement that chitta made', async () => {
    const app = hookRig();
    const episode = { ...numbers, project: app.project, lastUuid: 'u', state: 'done' } as const;
    await store(app, (memory) => memory.recordEpisode(episode, MS));
    expect(await start(app, 'compact', compacted(transcriptOf(conversation())))).toBe('');
  });

  describe('where another process holds the database', () => {
    async function held(): Promise<{ app: HookRig; path: string; letGo: () => void }> {
      const app = hookRig();
      await store(app, (memory) => memory.stats(MS));
      const other = beside(join(app.home, 'memory.db'));
      other.exec('BEGIN EXCLUSIVE');
      return { app, path: transcriptOf(conversation()), letGo: () => other.exec('ROLLBACK') };
    }
    const record = (app: HookRig, state: 'done' | 'proposed', lastUuid: string): Promise<void> =>
      store(app, (memory) => memory.recordEpisode({ ...numbers, state, lastUuid, project: app.project }, 60));

    test('says nothing behind a replacement that only the spool knows', async () => {
      const { app, path, letGo } = await held();
      await record(app, 'done', 'u1');
      expect(await start(app, 'compact', compacted(path))).toBe('');
      letGo();
    });

    test('gives back what a summary loses, also soon after a replacement, and the episode is done', async () => {
      const { app, path, letGo } = await held();
      await record(app, 'done', 'u1');
      await record(app, 'proposed', 'u2');
      expect(await start(app, 'compact', compacted(path))).toContain('Never drop data.');
      letGo();
      const episodes = await store(app, (memory) => memory.episodes({ session: SESSION, limit: 5 }, MS));
      expect(episodes.map(({ state, lastUuid }) => [state, lastUuid])).toEqual([
        ['done', 'u2'],
        ['done', 'u1'],
      ]);
    });
  });

  test('says nothing behind a replacement that could be noted nowhere but in passing, once', async () => {
    const passing = new Set([SESSION]);
    const app = hookRig({ takeReplaced: (session) => passing.delete(session) });
    const path = transcriptOf(conversation());
    expect(await start(app, 'compact', compacted(path))).toBe('');
    expect(await start(app, 'compact', compacted(path))).toContain('Never drop data.');
  });

  test('quotes turns of the session that an earlier compaction took', async () => {
    const app = hookRig();
    const early = {
      handle: '#aaaaaaa',
      session: SESSION,
      project: app.project,
      uuid: 'e1',
      role: 'assistant',
      tokens: 9,
    };
    const said = 'Long ago: fk_owner_part3 was made by migration 0042 and must keep its name.';
    await store(app, (memory) => memory.archive([{ ...early, text: said }], MS));
    await store(app, (memory) => memory.leaveContext(SESSION, [], MS));
    const text = await start(app, 'compact', compacted(transcriptOf(conversation())));
    expect(text).toContain(`> #aaaaaaa (assistant, from before)\n>   ${said}`);
  });

  test('of a context that cannot be read in time, what its end says', async () => {
    const rig = hookRig();
    const path = transcriptOf(conversation());
    await fire('pre-compact', { ...event(''), hook_event_name: 'PreCompact', ...compacted(path) }, rig);
    const app: HookRig = {
      ...rig,
      // The whole is asked for without a number of turns.
      readTranscript: (file, options) =>
        options.last === undefined ? new Promise(() => undefined) : rig.readTranscript(file, options),
    };
    const startedAt = performance.now();
    const text = await start(app, 'compact', compacted(path));
    expect(performance.now() - startedAt).toBeLessThan(3_900);
    expect(text).toContain('The newest prompt:\n> Go on with the foreign key');
    expect(text).toContain('Limits the user set:\n> Never drop data.');
    const [episode] = await store(app, (memory) => memory.episodes({ session: SESSION, limit: 5 }, MS));
    expect(episode).toMatchObject({ state: 'done', restored: text });
  });

  test('of a context that cannot be read as a whole, what its end says', async () => {
    const rig = hookRig();
    const app: HookRig = {
      ...rig,
      readTranscript: (file, options) =>
        options.last === undefined ? Promise.reject(new Error('no memory')) : rig.readTranscript(file, options),
    };
    expect(await start(app, 'compact', compacted(transcriptOf(conversation())))).toContain('Never drop data.');
    expect(app.logged.join('\n')).toContain('only the end was read: no memory');
  });

  test('masks secrets', async () => {
    const rows = conversation();
    const token = `ghp_${'a1B2'.repeat(9)}`;
    rows.text('m10', `fk_owner_part3 needs the token ${token} for src/part3.sql.`);
    rows.text('m11', 'Next.');
    const text = await start(hookRig(), 'compact', compacted(transcriptOf(rows)));
    expect(text).toContain('[masked:');
    expect(text).not.toContain(token);
  });

  test('works where another process holds the database', async () => {
    const app = hookRig();
    await store(app, (memory) => memory.stats(MS));
    const other = beside(join(app.home, 'memory.db'));
    other.exec('BEGIN IMMEDIATE');
    expect(await start(app, 'compact', compacted(transcriptOf(conversation())))).toContain('Never drop data.');
    other.exec('ROLLBACK');
  });

  test.each([
    ['a missing transcript', '/no/such.jsonl'],
    ['a folder', newFolder()],
    ['a device', '/dev/zero'],
  ])('says nothing on %s, with a line in the log', async (_, path) => {
    const app = hookRig();
    expect(await start(app, 'compact', compacted(path))).toBe('');
    expect(app.logged).toEqual(['session-start: no transcript to restore from']);
  });

  test("a sub-agent's compaction is not the main session's", async () => {
    const more = { agent_id: 'a1', agent_type: 'general-purpose' };
    expect(await start(hookRig(), 'compact', compacted(transcriptOf(conversation()), more))).toBe('');
  });
});

test('a private session is told the same, and nothing of it is stored', async () => {
  const rig = hookRig();
  const app = { ...rig, settings: { ...rig.settings, private: true } };
  expect(await start(app, 'startup')).toBe('');
  const text = await start(app, 'compact', compacted(transcriptOf(conversation())));
  expect(text).toContain('Never drop data.');
  expect(app.followed).toEqual([]);
  const stats = await store(app, (memory) => memory.stats(MS));
  expect(stats).toMatchObject({ turns: 0, episodes: 0 });
  expect(await store(app, (memory) => memory.session(SESSION, MS))).toBeUndefined();
  expect(readdirSync(app.home)).not.toContain('spool.ndjson');
});
