/** Transcripts of the host, for `chitta ingest`. */
import { open } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { IngestFile } from '../actions/ingest.ts';
import { ChittaError } from '../errors.ts';
import type { Env } from '../platform/env.ts';
import { projectRoot } from '../platform/project.ts';
import { collectFiles } from '../transcript/collect.ts';
import { projectFolder, transcriptsFolder } from '../transcript/folders.ts';

/** Enough for the first rows that name a folder and a session. */
const HEAD_BYTES = 65_536;

export interface IngestPlace {
  readonly env: Env;
  readonly cwd: string;
  /** Of files that name no folder. */
  readonly project: string;
  /** A file or a folder; undefined: the host's. */
  readonly path: string | undefined;
  /** Of the host's, every project. */
  readonly all: boolean;
}

async function headOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function valueIn(head: string, key: string): string | undefined {
  const [, quoted] = new RegExp(`"${key}":("(?:[^"\\\\]|\\\\.){1,4096}")`).exec(head) ?? [];
  try {
    const value: unknown = quoted === undefined ? undefined : JSON.parse(quoted);
    return typeof value === 'string' ? value : undefined;
  } catch {
    // An escape that JSON does not know.
    return undefined;
  }
}

/** The session as hooks name it: by its file, or for a sub-agent by its session and its own id. */
function sessionOf(path: string, head: string): string {
  const name = basename(path, '.jsonl');
  if (!name.startsWith('agent-')) return name;
  const folder = dirname(path);
  const owner =
    basename(folder) === 'subagents' ? basename(dirname(folder)) : (valueIn(head, 'sessionId') ?? 'unknown');
  return `${owner}/${name.slice('agent-'.length)}`;
}

/** The transcripts that are meant, oldest first. Rejects with E_INPUT_MISSING if a path that was named is not there. */
export async function transcriptsToIngest({ env, cwd, project, path, all }: IngestPlace): Promise<IngestFile[]> {
  const folder = path === undefined ? (all ? transcriptsFolder(env) : projectFolder(env, cwd)) : resolve(cwd, path);
  let found;
  try {
    found = await collectFiles([folder]);
  } catch (error) {
    // No session was ever held here.
    if (path === undefined && error instanceof ChittaError && error.code === 'E_INPUT_MISSING') return [];
    throw error;
  }
  const roots = new Map<string, string>();
  const files: IngestFile[] = [];
  for (const { path: file, bytes, modifiedMs } of found.reverse()) {
    if (bytes === 0) continue;
    const head = await headOf(file).catch(() => '');
    const folder = valueIn(head, 'cwd');
    if (folder !== undefined && !roots.has(folder)) roots.set(folder, projectRoot(folder));
    const root = folder === undefined ? project : (roots.get(folder) ?? project);
    files.push({
      path: file,
      bytes,
      modifiedMs: Math.round(modifiedMs),
      session: sessionOf(file, head),
      project: root,
    });
  }
  return files;
}
