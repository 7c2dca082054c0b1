/** Transcript files below folders. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ChittaError } from '../errors.ts';

export interface CollectedFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

async function namesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function missing(path: string, cause: unknown): ChittaError {
  return new ChittaError('E_INPUT_MISSING', `cannot read ${path}`, {
    hint: 'name a file or a folder of Claude Code transcripts',
    cause,
  });
}

/**
 * The files that are named, and the .jsonl files below the folders that are named; newest first, each once. Rejects with
 * E_INPUT_MISSING if one of the paths is not there; what vanishes meanwhile is left out.
 */
export async function collectFiles(paths: readonly string[]): Promise<CollectedFile[]> {
  const names = new Set<string>();
  for (const path of paths) {
    try {
      const info = await stat(path);
      for (const name of info.isDirectory() ? await namesBelow(path) : [path]) names.add(name);
    } catch (error) {
      throw missing(path, error);
    }
  }
  const files: CollectedFile[] = [];
  for (const path of names) {
    const info = await stat(path).catch(() => undefined);
    if (info?.isFile() === true) files.push({ path, bytes: info.size, modifiedMs: info.mtimeMs });
  }
  return files.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? -1 : 1));
}
