/** A home with a database in it, every hook and command that meets it as a process, and what must hold of each. */
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { endOfHook } from '../../src/hooks/run.ts';
import { openMemory } from '../../src/memory/store.ts';
import type { Check } from '../../src/ports/check.ts';
import { fact, MS, turn } from '../memory/home.ts';
import { TranscriptBuilder } from '../support/transcript.ts';
import { expectInTime, hookScript, install, type Ran, type RunOptions, runProcess } from './support/machine.ts';

/** Every event, with what the host says of it besides session, transcript and folder. Those that wait for nobody come last. */
const EVENTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'session-start': { hook_event_name: 'SessionStart', source: 'startup' },
  'user-prompt-submit': { hook_event_name: 'UserPromptSubmit', prompt: 'On which port does the server listen?' },
  'pre-compact': { hook_event_name: 'PreCompact', trigger: 'auto', custom_instructions: null },
  'post-compact': { hook_event_name: 'PostCompact', compact_summary: 'The column was renamed.' },
  'session-end': { hook_event_name: 'SessionEnd', reason: 'exit' },
  stop: { hook_event_name: 'Stop' },
  'subagent-stop': { hook_event_name: 'SubagentStop', agent_id: 'a1', agent_type: 'x' },
};
export const HOOKS: readonly string[] = Object.keys(EVENTS);

/** What the transcript's only prompt asks for; a guide for the summary holds it. */
const RULE = 'Never drop the table ledger_entries.';
/** What the database of a home holds to begin with. */
export const SEED_TURNS = 60;
/** Turns of the transcript. */
export const TRANSCRIPT_TURNS = 31;

export interface HookRun extends Ran {
  readonly event: string;
}

export interface DatabaseRig {
  readonly folder: string;
  readonly transcript: string;
  /** A private folder, without a database. */
  emptyHome(): string;
  /** A home whose database holds turns and one memory. */
  seededHome(): Promise<string>;
  hook(home: string, event: string, options?: RunOptions): Promise<HookRun>;
  run(home: string, ...args: string[]): Promise<Ran>;
  /** `chitta …` in any way. */
  start(home: string, args: readonly string[], options: RunOptions): Promise<Ran>;
}

/** Sets up for the tests of one file: a build of its own, and a folder that is removed afterwards. */
export function databaseRig(): DatabaseRig {
  const folder = mkdtempSync(join(tmpdir(), 'chitta-database-'));
  // Other users have to get at what is theirs in it.
  chmodSync(folder, 0o755);
  const transcript = join(folder, 'session.jsonl');
  const rows = new TranscriptBuilder();
  rows.prompt(`Rename the column. ${RULE}`);
  for (let i = 0; i < TRANSCRIPT_TURNS - 1; i += 1) {
    rows.text(`m${i}`, `Step ${i} is done. ${'It went as it should. '.repeat(12)}`);
  }
  writeFileSync(transcript, rows.bytes);
  let installation: ReturnType<typeof install> | undefined;
  beforeAll(() => {
    installation = install();
  });
  afterAll(() => {
    installation?.remove();
    // What a hook left to a process of its own may still write there.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const emptyHome = (): string => mkdtempSync(join(folder, 'home-'));
  const start: DatabaseRig['start'] = (home, args, { flags = [], cli = installation?.cli ?? '', ...options }) => {
    // No folder for a daemon: it has tests of its own.
    const env = { PATH: process.env['PATH'], HOME: folder, CHITTA_HOME: home, CHITTA_RUNTIME_DIR: '/dev/null' };
    return runProcess(process.execPath, [...flags, args[0] === 'hook' ? hookScript(cli) : cli, ...args], {
      ...options,
      env: { ...env, ...options.env },
      cwd: folder,
    });
  };
  const hook: DatabaseRig['hook'] = async (home, event, options = {}) => {
    const told = {
      session_id: 'the-session',
      transcript_path: transcript,
      agent_transcript_path: transcript,
      cwd: folder,
      ...EVENTS[event],
    };
    return { ...(await start(home, ['hook', event], { ...options, input: `${JSON.stringify(told)}\n` })), event };
  };
  /** A home as most begin: with turns, a memory, and what Node has compiled of the hooks. */
  const makeTemplate = async (): Promise<string> => {
    const [made, used] = [emptyHome(), emptyHome()];
    for (const event of HOOKS) await hook(used, event);
    if (existsSync(join(used, 'code'))) cpSync(join(used, 'code'), join(made, 'code'), { recursive: true });
    await seed(made);
    return made;
  };
  let template: Promise<string> | undefined;
  return {
    folder,
    transcript,
    emptyHome,
    seededHome: async () => {
      const home = emptyHome();
      template ??= makeTemplate();
      cpSync(await template, home, { recursive: true });
      // Copied by umask, and refused as a home then.
      chmodSync(home, 0o700);
      return home;
    },
    hook,
    run: (home, ...args) => start(home, args, {}),
    start,
  };
}

/** Puts turns and a memory into the database of a home. */
export async function seed(home: string): Promise<void> {
  const memory = openMemory({ home });
  await memory.archive(
    Array.from({ length: SEED_TURNS }, (_, i) => turn(i, { text: `turn ${i} of old. `.repeat(100) })),
    MS,
  );
  await memory.remember(fact('the server listens on port 8080'), MS);
  memory.close();
}

/** Beyond its own deadline, for the start and the end of a process. */
const PROCESS_MS = 3_000;

/** The host sees a hook that works: exit code 0, in time, nothing but an answer on stdout. PreCompact answers whatever is broken. */
export async function expectHarmless(ran: HookRun): Promise<void> {
  const { event, stdout, stderr, exitCode } = ran;
  expect({ event, exitCode, stderr }).toEqual({ event, exitCode: 0, stderr: '' });
  await expectInTime(ran, endOfHook(event) + PROCESS_MS);
  if (event === 'pre-compact') expect(stdout).toContain(RULE);
  else if (stdout !== '') expect(stdout).toMatch(/^\[chitta:/);
}

/** A command that could not do it: exit code 1, nothing on stdout, and the error by its code on stderr. */
export function expectNamed({ stdout, stderr, exitCode }: Ran, code: string | RegExp): void {
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(stderr).toMatch(code);
  expect(stderr).not.toMatch(/\n\s+at /);
}

export function logOf(home: string): string {
  try {
    return readFileSync(join(home, 'chitta.log'), 'utf8');
  } catch {
    return '';
  }
}

/** What `chitta doctor` says of the database, and that it says it as JSON. */
export async function doctorOf(rig: DatabaseRig, home: string): Promise<readonly Check[]> {
  const { stdout, stderr } = await rig.run(home, 'doctor', '--json');
  expect(stderr).toBe('');
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return checks.filter(({ name }) => name === 'memory');
}

export async function turnsHeld(home: string): Promise<number> {
  const memory = openMemory({ home });
  try {
    return (await memory.stats(MS)).turns;
  } finally {
    memory.close();
  }
}
