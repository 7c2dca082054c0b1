/**
 * Hooks as processes, where something around them hangs: each ends by itself before the host would end it, since the person waits for
 * the host, and a hook beside a session that has ended has nobody left to end it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { endpointOf } from '../../src/daemon/places.ts';
import { resolveModel } from '../../src/embedding/choice.ts';
import { endOfHook } from '../../src/hooks/run.ts';
import { packageRoot } from '../../src/platform/native.ts';
import { stranger } from '../faults/support/stranger.ts';
import { beside } from '../memory/home.ts';
import { CLI, cliRig } from '../support/cli.ts';
import { startNone } from '../support/start-none.ts';
import { TranscriptBuilder } from '../support/transcript.ts';

const rig = cliRig();
/** What the plugin's command starts. */
const HOOK = join(dirname(CLI), 'hook.cjs');

const rows = new TranscriptBuilder();
for (let i = 0; i < 30; i += 1) {
  rows.prompt(`Rename the column user_${i} in src/part${i}.sql. Never drop data of part${i}.`);
  rows.text(`m${i}`, `The column \`user_${i}\` is now called \`account_${i}\`. ${'It works as it should. '.repeat(9)}`);
}
const transcript = join(rig.folder, 'session.jsonl');
writeFileSync(transcript, rows.bytes);

interface Declared {
  readonly hooks: Readonly<
    Record<string, readonly { readonly hooks: readonly { args: string[]; timeout: number }[] }[]>
  >;
}

// The plugin's own file.
const { hooks } = JSON.parse(readFileSync(join(packageRoot(), 'hooks', 'hooks.json'), 'utf8')) as Declared;
const events = Object.entries(hooks).map(([event, groups]) => {
  const [hook] = groups[0]?.hooks ?? [];
  return { event, name: hook?.args.at(-1) ?? '', timeoutMs: (hook?.timeout ?? 0) * 1_000 };
});

const inputOf = (event: string): string =>
  `${JSON.stringify({
    session_id: 's',
    transcript_path: transcript,
    cwd: rig.folder,
    hook_event_name: event,
    trigger: 'auto',
    source: 'compact',
    prompt: 'What became of account_3 in src/part3.sql?',
    prompt_id: 'p1',
    compact_summary: 'All is lost.',
    agent_transcript_path: transcript,
    ...(event === 'SubagentStop' ? { agent_id: 'a1', agent_type: 'general-purpose' } : {}),
  })}\n`;

type Hook = (typeof events)[number];

interface Around {
  readonly env?: Readonly<Record<string, string>>;
  /** What the host sends before it falls silent; it closes its end only if it sends nothing else. */
  readonly sends?: (event: string) => string;
  readonly stdout?: number;
}

/** Runs one hook; what it did. */
async function outcomeOf({ event, name, timeoutMs }: Hook, { env, sends, stdout }: Around): Promise<string> {
  const child = spawn(process.execPath, [HOOK, 'hook', name], {
    cwd: rig.folder,
    env: { ...rig.env, ...env },
    stdio: ['pipe', stdout ?? 'ignore', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  if (sends === undefined) child.stdin?.end(inputOf(event));
  else child.stdin?.write(sends(event));
  const said: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk));
  const outcome = await new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ?? code));
  });
  clearTimeout(timer);
  return `${name}: ${String(outcome)}${Buffer.concat(said).toString()}`;
}

/** So many are started in one go: most of their time they wait, but each has to begin in time. */
const AT_ONCE = 3;

/** Runs all hooks; what each did. */
async function runAll(around: Around): Promise<string[]> {
  const outcomes: string[] = [];
  const left = [...events.entries()];
  const lane = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      outcomes[next[0]] = await outcomeOf(next[1], around);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return outcomes;
}

const WELL = events.map(({ name }) => `${name}: 0`);
const LONG = { timeout: 120_000 };

test.each(events)(
  "$name ends by itself a second and more before the host's time, and not long before",
  ({ name, timeoutMs }) => {
    expect(endOfHook(name)).toBeLessThanOrEqual(timeoutMs - 900);
    expect(endOfHook(name)).toBeGreaterThanOrEqual(timeoutMs - 4_000);
  },
);

test('the host never closes its end', LONG, async () => {
  expect(await runAll({ sends: inputOf })).toEqual(WELL);
});

test('the host sends nothing, or half of it', LONG, async () => {
  expect(await runAll({ sends: (event) => inputOf(event).slice(0, event.length * 3) })).toEqual(WELL);
});

test.skipIf(process.platform === 'win32')(
  'nobody reads the answer, and the pipe is full (needs named pipes)',
  LONG,
  async () => {
    const path = join(rig.folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const ours = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      for (;;) writeSync(ours, Buffer.alloc(4_096));
    } catch {
      // It is full.
    }
    const stdout = openSync(path, 'w');
    onTestFinished(() => [stdout, ours].forEach((descriptor) => closeSync(descriptor)));
    expect(await runAll({ stdout })).toEqual(WELL);
  },
);

test('another process holds the database and does not let go', LONG, async () => {
  await rig.run(['directives', 'add', 'answer in English']);
  const other = beside(join(rig.env['CHITTA_HOME'] ?? '', 'memory.db'));
  other.exec('BEGIN IMMEDIATE');
  onTestFinished(() => void other.exec('ROLLBACK'));
  expect(await runAll({})).toEqual(WELL);
});

test.skipIf(process.platform === 'win32')(
  'the daemon takes connections and says nothing (needs Unix sockets)',
  LONG,
  async () => {
    const runtime = join(rig.folder, 'run');
    const env: Record<string, string> = { ...rig.env, CHITTA_RUNTIME_DIR: runtime };
    const home = env['CHITTA_HOME'] ?? '';
    const { model } = resolveModel(env, { home, root: packageRoot() }, rig.folder);
    const endpoint = endpointOf({ env, home, model: model.id });
    let asked = 0;
    await stranger(endpoint, () => (asked += 1));
    // Or a real one would take its place, and answer all hooks but the first.
    startNone(endpoint);
    expect(await runAll({ env })).toEqual(WELL);
    expect(asked).toBeGreaterThan(0);
  },
);
