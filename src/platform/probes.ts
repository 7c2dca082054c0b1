/** What `chitta doctor` says about the machine: Node, folders, native packages, Claude Code, the log. Looks only; changes nothing. */
import { accessSync, constants, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Check, Probe } from '../ports/check.ts';
import { probeClaude } from './claude.ts';
import type { Env } from './env.ts';
import { logFile, readLogTail } from './log.ts';
import { loadSqlite, nativeFix, probeLlama } from './native.ts';
import { obstacleOf, OPEN_TO_OTHERS, userId } from './paths.ts';
import { reasonOf } from './small-file.ts';

/** package.json, `engines`. */
const OLDEST_NODE: readonly [major: number, minor: number] = [20, 19];
const LOG_LINES = 200;
const ERRORS_SHOWN = 3;

/** Whether this version of Node will do. */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldest, oldestMinor] = OLDEST_NODE;
  const fine = major > oldest || (major === oldest && minor >= oldestMinor);
  if (fine) return { name: 'node', state: 'ok', detail: version };
  const fix = `install Node ${oldest}.${oldestMinor} or newer`;
  return { name: 'node', state: 'fail', detail: `${version} is too old`, fix };
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

function openFilesIn(home: string): string[] {
  return readdirSync(home).filter((name) => {
    const stat = lstatSync(join(home, name), { throwIfNoEntry: false });
    return stat?.isFile() === true && (stat.mode & OPEN_TO_OTHERS) !== 0;
  });
}

/** Whether chitta's folder can be used, or made, and whether only this user can enter it. */
export function checkHome(home: string): readonly Check[] {
  const name = 'home';
  const elsewhere = 'set CHITTA_HOME to a folder of your own';
  const folder = nearestFolder(home);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    return [{ name, state: 'fail', detail: `${folder} cannot be written: ${reasonOf(error)}`, fix: elsewhere }];
  }
  if (folder !== home) {
    if (!statSync(folder).isDirectory()) {
      return [{ name, state: 'fail', detail: `${home} cannot be made: ${folder} is no folder`, fix: elsewhere }];
    }
    return [{ name, state: 'ok', detail: `${home} (will be made when it is needed)` }];
  }
  const obstacle = obstacleOf(home);
  if (obstacle) return [{ name, state: 'fail', detail: `${home}: ${obstacle}`, fix: elsewhere }];
  if (userId() === undefined) return [{ name, state: 'ok', detail: home }];
  const checks: Check[] = [];
  if ((statSync(home).mode & OPEN_TO_OTHERS) !== 0) {
    checks.push({ name, state: 'warn', detail: `others can enter ${home}`, fix: `chmod 700 '${home}'` });
  }
  const open = openFilesIn(home);
  if (open.length > 0) {
    const paths = open.map((file) => `'${join(home, file)}'`).join(' ');
    checks.push({ name, state: 'warn', detail: `others can read ${open.join(', ')}`, fix: `chmod 600 ${paths}` });
  }
  return checks.length > 0 ? checks : [{ name, state: 'ok', detail: home }];
}

async function checkSqlite(): Promise<Check> {
  const name = 'better-sqlite3';
  const sqlite = await loadSqlite();
  if (sqlite.state === 'ok') return { name, state: 'ok', detail: `SQLite ${sqlite.version} with FTS5` };
  return { name, state: 'warn', detail: `no memory: ${sqlite.reason}`, fix: nativeFix(sqlite, name) };
}

function checkLlama(): Check {
  const name = 'node-llama-cpp';
  const llama = probeLlama();
  if (llama.state === 'ok') return { name, state: 'ok', detail: `${llama.version}, ${llama.build}` };
  return { name, state: 'warn', detail: `no embeddings: ${llama.reason}`, fix: nativeFix(llama, name) };
}

async function checkClaude(env: Env): Promise<Check> {
  const name = 'claude';
  const claude = await probeClaude(env);
  switch (claude.state) {
    case 'ok':
      return { name, state: 'ok', detail: claude.version };
    case 'missing':
      // A session has been started by a path then, and cannot be asked about its plugins.
      return env['CLAUDECODE'] === '1'
        ? { name, state: 'warn', detail: 'not on PATH', fix: 'put it there, and this says whether the plugin works' }
        : { name, state: 'warn', detail: 'not on PATH', fix: 'install Claude Code if you want its hooks' };
    default:
      return { name, state: 'warn', detail: `claude --version did not answer: ${claude.reason}`, fix: 'claude doctor' };
  }
}

/** The last errors in the log. Lines without an error's words (start, stop) are none. */
export function checkLog(home: string): Check {
  const errors = readLogTail(home, LOG_LINES).filter((line) => /error|fail|\bE_[A-Z]/i.test(line));
  if (errors.length === 0) return { name: 'log', state: 'ok', detail: 'no errors' };
  const last = errors.slice(-ERRORS_SHOWN).join('\n');
  return { name: 'log', state: 'warn', detail: last, fix: `see ${logFile(home)}; remove it once that is settled` };
}

/** The probes of this machine, in the order in which a person would ask. */
export function platformProbes(at: {
  readonly env: Env;
  readonly home: string;
  readonly projectRoot: string;
}): readonly Probe[] {
  return [
    { name: 'node', run: () => [checkNode(process.versions.node)] },
    { name: 'home', run: () => checkHome(at.home) },
    { name: 'project', run: () => [{ name: 'project', state: 'ok', detail: at.projectRoot }] },
    { name: 'better-sqlite3', run: async () => [await checkSqlite()] },
    { name: 'node-llama-cpp', run: () => [checkLlama()] },
    { name: 'claude', run: async () => [await checkClaude(at.env)] },
    { name: 'log', run: () => [checkLog(at.home)] },
  ];
}
