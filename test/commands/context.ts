/** A context for one command under test: private folders, streams that collect, the application joined as usual. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { createApp } from '../../src/app.ts';
import type { CommandContext } from '../../src/commands/context.ts';
import type { Env } from '../../src/platform/env.ts';

export interface Bench {
  readonly home: string;
  readonly project: string;
  readonly said: { out: string; err: string };
  readonly run: (...words: string[]) => Promise<string>;
  readonly remove: () => void;
}

/** `run` gives what that command line prints to stdout; `said.err` holds the notes. */
export function benchFor(add: (program: Command, ctx: CommandContext) => void, extraEnv: Env = {}): Bench {
  const root = mkdtempSync(join(tmpdir(), 'chitta-command-'));
  const [home, project] = [join(root, 'home'), join(root, 'project')];
  mkdirSync(project);
  // No folder for a daemon: it has tests of its own, and one started here would outlive the test with its model loaded.
  const env = { CHITTA_HOME: home, CHITTA_RUNTIME_DIR: '/dev/null', PATH: process.env.PATH, ...extraEnv };
  const said = { out: '', err: '' };
  const ctx: CommandContext = {
    env,
    cwd: project,
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    serveMcp: () => Promise.reject(new Error('there is no client')),
    openApp: async () => createApp({ env, cwd: project, version: '0.0.0' }),
    print: async (text) => void (said.out += text),
    note: (text) => void (said.err += `${text}\n`),
  };
  const run = async (...words: string[]): Promise<string> => {
    said.out = '';
    said.err = '';
    const program = new Command('chitta').exitOverride();
    add(program, ctx);
    await program.parseAsync(words, { from: 'user' });
    return said.out;
  };
  return { home, project, said, run, remove: () => rmSync(root, { recursive: true, force: true }) };
}
