/** The file of rules that a project keeps for its agents. */
import { existsSync, realpathSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { ChittaError } from '../errors.ts';
import { readSmallFile } from './small-file.ts';

/** In the order in which they are looked for: the first is read by agents of every make. */
const NAMES = ['AGENTS.md', 'CLAUDE.md'];

/** More is no charter. */
const MAX_BYTES = 1 << 20;

interface CharterFile {
  readonly file: string;
  readonly text: string;
}

function unreadable(file: string, reason: string): ChittaError {
  return new ChittaError('E_INPUT_MISSING', `${file} cannot be used as a charter: ${reason}`, {
    hint: 'name a text file with --charter',
  });
}

/** A file that was named, relative to `cwd`. Throws E_INPUT_MISSING if it is not there or no small regular file. */
export function readNamedCharter(cwd: string, name: string): CharterFile {
  const file = resolve(cwd, name);
  const read = readSmallFile(file, MAX_BYTES);
  if (read.state === 'missing') {
    throw new ChittaError('E_INPUT_MISSING', `there is no file ${name}`, { hint: 'check the path' });
  }
  if (read.state === 'unreadable') throw unreadable(name, read.reason);
  return { file, text: read.text };
}

/** Files that Claude Code loads by itself. */
const LOADED_BY_HOST = ['CLAUDE.md', join('.claude', 'CLAUDE.md')];

/**
 * Whether a host loads AGENTS.md by itself where there is no CLAUDE.md: 2.1.332 does, 2.1.197 does not. The part of it that does is a
 * module, which no host before 2.1.287 knows. It says its version to what it starts (`claude-code_2-1-332_…`); one that says none is
 * taken for a newer one, since the same rules twice cost more than they help.
 */
function loadsAgentsFile(host: string | undefined): boolean {
  const [, major, minor, patch] = /^claude-code_(\d{1,4})-(\d{1,4})-(\d{1,6})/.exec(host ?? '')?.map(Number) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return true;
  if (major !== 2) return major > 2;
  return minor > 1 || (minor === 1 && patch >= 287);
}

/**
 * AGENTS.md of the project's root where the host does not load a charter of its own; else undefined. `host` is what the host calls
 * itself (`AI_AGENT`). Throws as `readProjectCharter`.
 */
export function readUnloadedCharter(root: string, host: string | undefined): CharterFile | undefined {
  if (loadsAgentsFile(host) || LOADED_BY_HOST.some((name) => existsSync(join(root, name)))) return undefined;
  return readProjectCharter(root);
}

/**
 * AGENTS.md, else CLAUDE.md, of the project's root; undefined if it has neither. Throws E_INPUT_MISSING if it is no small
 * regular file, or a link out of the project: what a checkout brings along must not show what lies elsewhere.
 */
export function readProjectCharter(root: string): CharterFile | undefined {
  for (const name of NAMES) {
    const file = join(root, name);
    const read = readSmallFile(file, MAX_BYTES);
    if (read.state === 'missing') continue;
    if (read.state === 'unreadable') throw unreadable(file, read.reason);
    const inside = relative(realpathSync(root), realpathSync(file));
    if (inside === '..' || inside.startsWith(`..${sep}`)) throw unreadable(file, 'it is a link out of the project');
    return { file, text: read.text };
  }
  return undefined;
}
