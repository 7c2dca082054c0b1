import { describe, expect, test } from 'vitest';
import type { NewDirective } from '../../src/ports/ledger.ts';
import type { NewMemory } from '../../src/ports/memories.ts';
import { estimateTokens } from '../../src/tokens/text.ts';
import { fire, type HookRig, hookRig, MS, SESSION } from './rig.ts';

let prompts = 0;

const event = (prompt: string, more: object = {}): object => ({
  session_id: SESSION,
  transcript_path: '/not/there.jsonl',
  cwd: '/work',
  prompt_id: `p${++prompts}`,
  permission_mode: 'default',
  hook_event_name: 'UserPromptSubmit',
  prompt,
  ...more,
});

const ask = (app: HookRig, prompt: string, more: object = {}): Promise<string> =>
  fire('user-prompt-submit', event(prompt, more), app);

function remember(app: HookRig, text: string, more: Partial<NewMemory> = {}): Promise<unknown> {
  const memory = {
    text,
    kind: 'fact',
    project: app.project,
    session: undefined,
    origin: 'person',
    sourceIds: [],
  } as const;
  return app.withMemory((store) => store.remember({ ...memory, ...more }, MS));
}

function say(app: HookRig, text: string, more: object = {}): Promise<unknown> {
  const turn = { handle: '#aaaaaaa', session: 'other', project: app.project, uuid: 'u1', role: 'assistant', tokens: 5 };
  return app.withMemory((store) => store.archive([{ ...turn, text, ...more }], MS));
}

function direct(app: HookRig, text: string, more: Partial<NewDirective> = {}): Promise<{ id: number }> {
  const entry = { text, status: 'accepted', replaces: undefined, project: app.project, session: undefined } as const;
  return app.withMemory((store) => store.addDirective({ ...entry, ...more }, MS));
}

const PORT = 'The staging database listens on port 5433.';
const ASKS_FOR_IT = 'On which port does the staging database listen?';

describe('most prompts get nothing', () => {
  test.each([
    'please make the button blue',
    'yes',
    'go on',
    '/compact keep the port of the staging database',
    '<task-notification>the staging database listens on a port</task-notification>',
    '[chitta:recall]\nThe staging database listens on port 5433.\n[/chitta:recall]',
    '',
    '\u0000"*) OR NEAR(',
  ])('%j', async (prompt) => {
    const app = hookRig();
    await remember(app, PORT);
    await say(app, 'It is in src/login.ts.');
    expect(await ask(app, prompt)).toBe('');
    expect(app.logged).toEqual([]);
  });

  test('also where nothing is stored', async () => {
    const app = hookRig();
    expect(await ask(app, ASKS_FOR_IT)).toBe('');
  });
});

describe('a memory that somebody stored on purpose', () => {
  test('comes whole, once, as material', async () => {
    const app = hookRig();
    await remember(app, PORT);
    const text = await ask(app, ASKS_FOR_IT);
    expect(text).toMatch(/^\[chitta:recall\]\n/);
    expect(text).toContain(`\n> fact, stored by the user (memory 1): ${PORT}\n`);
    expect(await ask(app, ASKS_FOR_IT)).toBe('');
  });

  test('comes again once a compaction has taken it away', async () => {
    const app = hookRig();
    await remember(app, PORT);
    await ask(app, ASKS_FOR_IT);
    await app.withMemory((memory) => memory.leaveContext(SESSION, [], MS));
    expect(await ask(app, ASKS_FOR_IT)).toContain(PORT);
  });

  test.each([
    ['chitta made it', { origin: 'auto', sourceIds: ['m'] }],
    ['it was stored in this session', { session: SESSION, origin: 'model' }],
    ['it is of another project', { project: '/elsewhere' }],
  ] as const)('does not come where %s', async (_, more) => {
    const app = hookRig();
    await remember(app, PORT, more);
    expect(await ask(app, ASKS_FOR_IT)).toBe('');
  });

  test('does not come where the context has it already', async () => {
    const app = hookRig();
    await remember(app, PORT);
    await say(app, 'I see: the staging database listens on port 5433, not 5432.', { session: SESSION });
    expect(await ask(app, ASKS_FOR_IT)).toBe('');
  });

  test('all of them stay within 400 tokens together with the pointers', async () => {
    const app = hookRig();
    for (let i = 0; i < 12; i += 1) {
      await remember(
        app,
        `Staging database ${i} listens on port ${5_000 + i}. ${'It is restarted at night. '.repeat(8)}`,
      );
    }
    await remember(app, `The staging database port is a long story. ${'x '.repeat(3_000)}`);
    const text = await ask(app, ASKS_FOR_IT);
    expect(text).toContain('(memory ');
    expect(estimateTokens(text)).toBeLessThanOrEqual(420);
  });
});

describe('a name that the context does not know', () => {
  test('gets a pointer to the turn that does', async () => {
    const app = hookRig();
    await say(app, 'Some words first.\nThe fault was in src/login.ts all along.');
    const text = await ask(app, 'what was wrong with src/login.ts again?');
    expect(text).toContain('> `src/login.ts` #aaaaaaa The fault was in src/login.ts all along.');
  });

  test('gets none where a turn before its eyes has it', async () => {
    const app = hookRig();
    await say(app, 'The fault was in src/login.ts all along.');
    await say(app, 'Reading src/login.ts now.', { session: SESSION, handle: '#bbbbbbb', uuid: 'u2' });
    expect(await ask(app, 'what was wrong with src/login.ts again?')).toBe('');
  });

  test('gets one from the same session after a compaction', async () => {
    const app = hookRig();
    await say(app, 'The fault was in src/login.ts all along.', { session: SESSION });
    expect(await ask(app, 'what was wrong with src/login.ts again?')).toBe('');
    await app.withMemory((memory) => memory.leaveContext(SESSION, [], MS));
    expect(await ask(app, 'what was wrong with src/login.ts again?')).toContain('#aaaaaaa');
  });

  test('at most five names get one', async () => {
    const app = hookRig();
    for (let i = 0; i < 8; i += 1) {
      await say(app, `About src/file${i}.ts: fine.`, { handle: `#aaaaaa${'abcdefgh'[i]}`, uuid: `u${i}` });
    }
    const names = Array.from({ length: 8 }, (_, i) => `src/file${i}.ts`);
    const text = await ask(app, `compare ${names.join(' ')}`);
    expect(text.match(/^> /gm)).toHaveLength(5);
  });
});

describe('directives that changed', () => {
  test('are told once, but not those of the session itself', async () => {
    const app = hookRig();
    const { id } = await direct(app, 'never change the public API');
    const begun = { project: app.project, transcript: undefined, toldDirective: id };
    await app.withMemory((memory) => memory.beginSession(SESSION, begun, MS));
    expect(await ask(app, 'go on please')).toBe('');
    await direct(app, 'answer in English');
    await direct(app, 'never change the public API', { status: 'revoked', replaces: id });
    await direct(app, 'use tabs', { session: SESSION });
    const text = await ask(app, 'yes');
    expect(text).toContain('- holds now: answer in English');
    expect(text).toContain('- holds no longer: never change the public API');
    expect(text).not.toContain('tabs');
    expect(await ask(app, 'yes')).toBe('');
  });
});

test('what the last summary lost is told once, unless it was given back', async () => {
  const app = hookRig();
  await app.withMemory(async (memory) => {
    const numbers = { trigger: 'auto', strategy: 'formula', beforeTokens: 9, afterTokens: 1, dropped: 1, tookMs: 1 };
    const where = { session: SESSION, project: app.project, lastUuid: 'u', embedding: false };
    await memory.recordEpisode({ ...numbers, ...where, state: 'done' }, MS);
    const lost = (...names: string[]): { checked: number; lost: string[] } => ({ checked: 9, lost: names });
    const audit = { identifiers: lost('a_name', 'b_name'), constraints: lost('Never drop data.') };
    await memory.noteEpisode(SESSION, { audit, restored: 'a_name' }, MS);
  });
  const text = await ask(app, 'go on');
  expect(text).toContain('> Never drop data.\n> names: b_name\n');
  expect(await ask(app, 'go on')).toBe('');
});

test('prompts and what they got are counted', async () => {
  const app = hookRig();
  await remember(app, PORT);
  await ask(app, 'please make the button blue');
  const text = await ask(app, ASKS_FOR_IT);
  const { prompts: counted } = await app.withMemory((memory) => memory.stats(MS));
  expect(counted).toEqual({ seen: 2, injected: 1, tokens: estimateTokens(text) });
});

test('without an id for the prompt it is counted as well', async () => {
  const app = hookRig();
  await ask(app, 'please make the button blue', { prompt_id: undefined });
  expect((await app.withMemory((memory) => memory.stats(MS))).prompts.seen).toBe(1);
});

describe('stays silent', () => {
  test.each([
    ['without a session', { session_id: undefined }, {}],
    ['inside a sub-agent', { agent_id: 'a1', agent_type: 'x' }, {}],
    ["in chitta's own child processes", {}, { CHITTA_CHILD: '1' }],
    ['when switched off', {}, { CHITTA_DISABLE: '1' }],
  ])('%s', async (_, more, env) => {
    const app = hookRig();
    await remember(app, PORT);
    expect(await fire('user-prompt-submit', event(ASKS_FOR_IT, more), app, env as Record<string, string>)).toBe('');
    expect((await app.withMemory((memory) => memory.stats(MS))).prompts.seen).toBe(0);
  });

  test('when the memory does not answer in time', async () => {
    const app = hookRig({ answerPrompt: () => new Promise(() => undefined) });
    expect(await ask(app, ASKS_FOR_IT)).toBe('');
    expect(app.logged).toEqual([expect.stringMatching(/user-prompt-submit: gave up after/)]);
  });

  test('when the memory cannot be read', async () => {
    const app = hookRig({ answerPrompt: () => Promise.reject(new Error('no disk')) });
    expect(await ask(app, ASKS_FOR_IT)).toBe('');
    expect(app.logged).toEqual(['user-prompt-submit: Error: no disk']);
  });
});

test('an answer that would come too late counts as not given', async () => {
  const { recallForPrompt } = await import('../../src/actions/recall-prompt.ts');
  const app = hookRig();
  await remember(app, PORT);
  const question = { prompt: ASKS_FOR_IT, session: SESSION, key: 'k', project: app.project };
  await app.withMemory(async (memory) => {
    expect(await recallForPrompt(memory, { ...question, deadlineMs: 0 })).toEqual({ text: '', tokens: 0 });
    expect((await memory.injected(SESSION, MS)).size).toBe(0);
    expect((await memory.stats(MS)).prompts).toEqual({ seen: 1, injected: 0, tokens: 0 });
    expect((await recallForPrompt(memory, { ...question, deadlineMs: MS })).text).toContain(PORT);
  });
});

test('with recall switched off nothing is looked for; what is new is told, and the prompt counted', async () => {
  const app = hookRig();
  await remember(app, PORT);
  await say(app, 'The fault was in src/login.ts all along.');
  const off = { ...app, settings: { ...app.settings, recall: false } };
  expect(await ask(off, `${ASKS_FOR_IT} And what of src/login.ts?`)).toBe('');
  const rule = { text: 'answer in English', status: 'accepted', replaces: undefined } as const;
  await app.withMemory((memory) => memory.addDirective({ ...rule, project: app.project, session: undefined }, MS));
  expect(await ask(off, ASKS_FOR_IT, { prompt_id: 'p2' })).toContain('holds now: answer in English');
  expect(await ask(off, ASKS_FOR_IT, { prompt_id: 'p3' })).toBe('');
  expect((await app.withMemory((memory) => memory.stats(MS))).prompts).toMatchObject({ seen: 3, injected: 1 });
});
