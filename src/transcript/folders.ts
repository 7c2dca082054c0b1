/** Where Claude Code keeps its transcripts: one folder for each directory in which sessions were begun. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Env } from '../platform/env.ts';

const SESSION = /^[\w-]{1,100}$/;

/** The folder of them all. */
export function transcriptsFolder(env: Env): string {
  return join(env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] || homedir(), '.claude'), 'projects');
}

/** That of a working directory: its name is the directory with every character but letters and digits replaced, as the host writes it. */
export function projectFolder(env: Env, cwd: string): string {
  return join(transcriptsFolder(env), cwd.replaceAll(/[^A-Za-z0-9]/g, '-'));
}

/**
 * The directory in which the session was begun that this process runs in; else `cwd`. A command in a session is started where its
 * shell has gone to, in a folder further down: hooks are told of the project (`CLAUDE_PROJECT_DIR`), commands only of the session, whose
 * transcript stays where it was begun. Never throws.
 */
export function sessionFolder(env: Env, cwd: string): string {
  const session = env['CLAUDE_CODE_SESSION_ID'];
  if (session === undefined || !SESSION.test(session) || env['CLAUDE_PROJECT_DIR']) return cwd;
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(projectFolder(env, folder), `${session}.jsonl`))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}
