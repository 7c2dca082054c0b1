import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { runHook } from '../../src/hooks/run.ts';
import { TranscriptBuilder } from '../support/transcript.ts';
import { fire, type HookRig, hookRig } from './rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'chitta-hooks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const transcript = join(folder, 'session.jsonl');
const rows = new TranscriptBuilder();
rows.prompt('Rename the column. Never drop data.');
for (let i = 0; i < 8; i += 1) {
  rows.call(`c${i}`, `t${i}`);
  rows.result(`t${i}`, 'one more line of output\n'.repeat(60));
}
rows.text('m2', 'The column `user_id` is now called `account_id` in all tables.');
writeFileSync(transcript, rows.rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

const appOf = hookRig;

function run(
  input: unknown,
  app: HookRig,
  env: Readonly<Record<string, string>> = {},
  event = 'pre-compact',
): Promise<string> {
  return fire(event, input, app, env);
}

/** As the host sends it. */
const EVENT = {
  session_id: '31a1f7e0-0000-4000-8000-000000000000',
  transcript_path: transcript,
  cwd: '/work',
  prompt_id: '556a',
  hook_event_name: 'PreCompact',
  trigger: 'auto',
  custom_instructions: null,
};

test('a compaction is recorded as proposed, with its session, its last message and its numbers', async () => {
  const app = appOf();
  await run(EVENT, app);
  expect(app.episodes).toHaveLength(1);
  expect(app.episodes[0]).toMatchObject({
    session: EVENT.session_id,
    state: 'proposed',
    trigger: 'auto',
    strategy: expect.any(String),
    embedding: false,
    transcript,
    transcriptBytes: statSync(transcript).size,
  });
  expect(app.episodes[0]?.lastUuid).toMatch(/./);
});

test('an episode that cannot be recorded costs a log line, not the instructions', async () => {
  const app = appOf({ recordEpisode: () => Promise.reject(new Error('disk full')) });
  expect(await run(EVENT, app)).not.toBe('');
  expect(app.logged).toEqual(['pre-compact: error: no episode was recorded: disk full']);
});

test('answers PreCompact with instructions for the summariser', async () => {
  const app = appOf();
  const text = await run(EVENT, app);
  expect(text).toContain('Never drop data.');
  expect(text).toContain('account_id');
  expect(app.logged).toEqual([]);
});

test('answers in a session that runs as an agent, too: it has a type, but no id', async () => {
  expect(await run({ ...EVENT, agent_type: 'reviewer' }, appOf())).toContain('Never drop data.');
});

test("opens the application for the project that the host names, else for the event's directory", async () => {
  const app = appOf();
  await run(EVENT, app, { CLAUDE_PROJECT_DIR: '/project' });
  await run(EVENT, app);
  await run('{}', app);
  expect(app.opened).toEqual(['/project', '/work', undefined]);
});

describe('the length of the answer', () => {
  const long = join(folder, 'long.jsonl');
  const many = new TranscriptBuilder(7);
  for (let i = 0; i < 40; i += 1) {
    many.prompt(`Step ${i}: ${'do it properly and never guess '.repeat(30)}`);
    many.text(`m${i}`, `Step ${i} is done: ${'it works as it should '.repeat(40)}`);
  }
  writeFileSync(long, many.rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

  test.each([
    ['auto', 1_500, 10_000],
    ['manual', 500, 1_500],
    ['precompute', 500, 1_500],
    [undefined, 500, 1_500],
  ])('is for trigger %s between %i and %i characters', async (trigger, least, most) => {
    const text = await run({ ...EVENT, transcript_path: long, trigger }, appOf());
    expect(text.length).toBeGreaterThan(least);
    expect(text.length).toBeLessThanOrEqual(most);
  });
});

describe('stays silent', () => {
  test.each([
    ['when switched off by the environment', EVENT, { CHITTA_DISABLE: '1' }],
    ["in chitta's own child processes", EVENT, { CHITTA_CHILD: '1' }],
    ['inside a sub-agent', { ...EVENT, agent_id: 'a38c', agent_type: 'general-purpose' }, {}],
    ['for the fork that writes a summary', { ...EVENT, agent_type: '' }, {}],
  ])('%s', async (_, input, env) => {
    const app = appOf();
    expect(await run(input, app, env as Record<string, string>)).toBe('');
    expect(app.logged).toEqual([]);
  });

  test('when switched off in the settings', async () => {
    const app = appOf({ settings: { ...appOf().settings, disabled: true } });
    expect(await run(EVENT, app)).toBe('');
    expect(app.logged).toEqual([]);
  });

  test.each([
    ['empty input', '', /empty/],
    ['input that is not JSON', '{"session_id":', /not JSON/],
    ['an array', '[]', /not a JSON object/],
    ['no transcript path', '{"hook_event_name":"PreCompact"}', /no transcript/],
    ['an empty path', JSON.stringify({ ...EVENT, transcript_path: '' }), /no transcript/],
    ['a path with a NUL', JSON.stringify({ ...EVENT, transcript_path: '/tmp/a\0b' }), /no transcript/],
    ['a missing file', JSON.stringify({ ...EVENT, transcript_path: '/no/such.jsonl' }), /no transcript/],
    ['a folder', JSON.stringify({ ...EVENT, transcript_path: folder }), /no transcript/],
    ['a device without end', JSON.stringify({ ...EVENT, transcript_path: '/dev/zero' }), /no transcript/],
    ['the event of another hook', JSON.stringify({ ...EVENT, hook_event_name: 'Stop' }), /called for the event Stop/],
  ])('on %s, with a line in the log', async (_, input, line) => {
    const app = appOf();
    expect(await run(input, app)).toBe('');
    expect(app.logged).toEqual([expect.stringMatching(line)]);
  });

  test.skipIf(process.platform === 'win32')('on a pipe that nobody writes to (needs named pipes)', async () => {
    const pipe = join(folder, 'pipe');
    if (!existsSync(pipe)) execFileSync('mkfifo', [pipe]);
    expect(await run({ ...EVENT, transcript_path: pipe }, appOf())).toBe('');
  });

  test.each(['stop', 'no-such-event', '', '__proto__', 'constructor'])('on the event %j', async (event) => {
    const app = appOf();
    expect(await run(EVENT, app, {}, event)).toBe('');
    expect(app.logged).toHaveLength(1);
  });

  test('on an empty transcript', async () => {
    const empty = join(folder, 'empty.jsonl');
    writeFileSync(empty, '');
    expect(await run({ ...EVENT, transcript_path: empty }, appOf())).toBe('');
  });
});

describe('what goes wrong', () => {
  test('is a line in the log, with secrets masked', async () => {
    const app = appOf({
      readTranscript: async () => {
        throw new Error('cannot read postgres://app:hunter2@db/x');
      },
    });
    expect(await run(EVENT, app)).toBe('');
    expect(app.logged).toEqual([expect.stringContaining('cannot read postgres://app:[masked:')]);
  });

  test('even where the application cannot be opened, nothing is thrown', async () => {
    const answer = runHook('pre-compact', { stdin: Readable.from([JSON.stringify(EVENT)]), env: {} }, () => {
      throw new Error('no home');
    });
    expect(await answer).toBe('');
  });

  test('a read that never ends is left behind in less than 4 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      let begun: () => void = () => undefined;
      const reading = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const app = appOf({
        readTranscript: () => {
          begun();
          return new Promise(() => undefined);
        },
      });
      const answer = run(EVENT, app);
      await reading;
      await vi.advanceTimersByTimeAsync(4_000);
      expect(await answer).toBe('');
      expect(app.logged).toEqual([expect.stringMatching(/gave up/)]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('input that never ends is given up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const app = appOf();
      const stdin = new PassThrough();
      stdin.write('{"session_id"');
      const answer = runHook('pre-compact', { stdin, env: {} }, () => app);
      await vi.advanceTimersByTimeAsync(4_000);
      expect(await answer).toBe('');
      expect(app.logged).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });
});

const recordings = join(import.meta.dirname, '..', '..', '..', 'shared');
const samples = join(recordings, 'fixtures', 'claude-code', 'hook-stdin-samples.json');

describe.skipIf(!existsSync(samples))('recorded input of every event (skipped where ../shared is not at hand)', () => {
  const recorded: [string, { stdin: Record<string, unknown> }][] = existsSync(samples)
    ? Object.entries(JSON.parse(readFileSync(samples, 'utf8')))
    : [];

  test.each(recorded)('%s: only a PreCompact of the main session is answered', async (_, { stdin }) => {
    const text = await run({ ...stdin, transcript_path: transcript }, appOf());
    const expected = stdin['hook_event_name'] === 'PreCompact' && stdin['agent_id'] === undefined;
    expect(text !== '').toBe(expected);
  });
});

const folders = [join(recordings, 'fixtures', 'hostile'), join(recordings, 'corpus')];
const files = folders
  .filter((path) => existsSync(path))
  .flatMap((path) => readdirSync(path).map((name) => join(path, name)))
  .filter((path) => path.endsWith('.jsonl'));

describe.skipIf(files.length === 0)('recorded and damaged transcripts (skipped where ../shared is not at hand)', () => {
  test.each(files.map((path) => [basename(path), path]))('%s is answered within the caps', async (_, path) => {
    for (const [trigger, most] of [
      ['auto', 10_000],
      ['manual', 1_500],
    ] as const) {
      const app = appOf();
      const text = await run({ ...EVENT, transcript_path: path, trigger }, app);
      expect(app.logged).toEqual([]);
      expect(text.length).toBeLessThanOrEqual(most);
      expect(text.isWellFormed()).toBe(true);
      expect(text === '' || text.startsWith('[chitta:guide]')).toBe(true);
    }
  });
});
