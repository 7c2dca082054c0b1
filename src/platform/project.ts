/**
 * Which project a folder belongs to. All worktrees of a repository are one project; a submodule is its own.
 *
 * Reads git's files and starts no process. A checkout from elsewhere may hold a `.git` file that points into another
 * project of the user's: a link out is followed only where the other side points back, as git writes it.
 */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readSmallFile } from './small-file.ts';

/** Git writes one path into these files. */
const MAX_POINTER_BYTES = 8_192;
const MAX_GIT_CONFIG_BYTES = 262_144;

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function real(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    // Dangling, forbidden or gone: no such place, for our purpose.
    return undefined;
  }
}

function firstLine(path: string): string | undefined {
  const file = readSmallFile(path, MAX_POINTER_BYTES);
  return file.state === 'read' ? file.text.split(/\r?\n/, 1)[0] : undefined;
}

/** What git itself asks of a repository's folder. */
function isGitDir(path: string): boolean {
  return (
    lstatSync(join(path, 'HEAD'), { throwIfNoEntry: false }) !== undefined &&
    isDirectory(join(path, 'objects')) &&
    isDirectory(join(path, 'refs'))
  );
}

/** The folder a `.git` file points to, real, or undefined. */
function gitDirNamedIn(dotGit: string): string | undefined {
  const path = firstLine(dotGit)?.match(/^gitdir: (.+)$/)?.[1];
  return path === undefined ? undefined : real(resolve(dirname(dotGit), path));
}

/** The common directory of a linked worktree's own git folder, if that worktree is really one of its own. */
function commonDirOf(gitDir: string, dotGit: string): string | undefined {
  const [common, back] = [firstLine(join(gitDir, 'commondir')), firstLine(join(gitDir, 'gitdir'))];
  if (!common || !back) return undefined;
  const commonDir = real(resolve(gitDir, common));
  if (!commonDir || dirname(gitDir) !== join(commonDir, 'worktrees')) return undefined;
  return real(resolve(gitDir, back)) === real(dotGit) ? commonDir : undefined;
}

/** `core.worktree` of a repository whose folder stands apart from its files (submodules). */
function worktreeSetting(gitDir: string): string | undefined {
  const config = readSmallFile(join(gitDir, 'config'), MAX_GIT_CONFIG_BYTES);
  if (config.state !== 'read') return undefined;
  let section = '';
  for (const line of config.text.split(/\r?\n/)) {
    const text = line.trim();
    if (text.startsWith('[')) section = text.toLowerCase();
    else if (section === '[core]') {
      const value = text.match(/^worktree *= *"?([^"]+)"?$/i)?.[1];
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

/** The one folder that stands for a repository, given its common directory. */
function rootOfCommonDir(commonDir: string): string {
  if (basename(commonDir) === '.git') return dirname(commonDir);
  const setting = worktreeSetting(commonDir);
  // Beside the repository: a bare repository in a hidden folder with its worktrees as neighbours.
  for (const candidate of [setting === undefined ? undefined : resolve(commonDir, setting), dirname(commonDir)]) {
    if (candidate !== undefined && gitDirNamedIn(join(candidate, '.git')) === commonDir) {
      return real(candidate) ?? candidate;
    }
  }
  return commonDir;
}

/** The project that has `folder` as the top of a working tree or as a repository, or undefined: look further up. */
function rootAt(folder: string): string | undefined {
  const dotGit = join(folder, '.git');
  const entry = statSync(dotGit, { throwIfNoEntry: false });
  if (entry?.isDirectory() && isGitDir(dotGit)) return rootOfCommonDir(real(dotGit) ?? dotGit);
  if (entry?.isFile()) {
    const gitDir = gitDirNamedIn(dotGit);
    const commonDir = gitDir === undefined ? undefined : commonDirOf(gitDir, dotGit);
    return commonDir === undefined ? folder : rootOfCommonDir(commonDir);
  }
  return isGitDir(folder) ? rootOfCommonDir(folder) : undefined;
}

/**
 * The root that stands for the project of `cwd`: the folder of the repository's main working tree (the repository itself if it
 * is bare), else `cwd`; absolute, links resolved where it exists. Never throws.
 *
 * A repository made with `--separate-git-dir` keeps no record of its main working tree: its linked worktrees share one
 * root, the main one has another.
 */
export function projectRoot(cwd: string): string {
  let start = cwd;
  try {
    start = resolve(cwd);
    start = realpathSync.native(start);
    for (let folder = start; ; folder = dirname(folder)) {
      const root = rootAt(folder);
      if (root !== undefined) return root;
      if (dirname(folder) === folder) return start;
    }
  } catch {
    // A folder that is gone or forbidden is still a name to go by.
    return start;
  }
}
