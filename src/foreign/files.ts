/** Notes of a person in files: Markdown anywhere, and the CLAUDE.md files that the host loads. */
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ChittaError } from '../errors.ts';
import { projectRoot } from '../platform/project.ts';
import { readSmallFile } from '../platform/small-file.ts';
import type { MemoryKind } from '../ports/memories.ts';
import type { ImportEntry } from '../ports/transfer.ts';
import { noveltyOf } from '../scoring/novelty.ts';
import { notesIn } from './notes.ts';

const MAX_FILE_BYTES = 1_048_576;
const MAX_FILES = 2_000;
/** Characters of a note; a longer one is a document. */
const MAX_CHARS = 8_000;
const CHARTERS: readonly string[] = ['CLAUDE.md', 'CLAUDE.local.md'];

function missing(path: string): ChittaError {
  return new ChittaError('E_INPUT_MISSING', `there is no such file or folder: ${path}`, { hint: 'check the path' });
}

function markdownBelow(folder: string): string[] {
  const found: string[] = [];
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined && found.length < MAX_FILES; next = waiting.pop()) {
    for (const entry of readdirSync(next, { withFileTypes: true })) {
      if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')) {
        waiting.push(join(next, entry.name));
      } else if (entry.isFile() && /\.(?:md|markdown)$/i.test(entry.name)) found.push(join(next, entry.name));
    }
  }
  return found.sort();
}

interface Origin {
  readonly source: string;
  readonly project: string | undefined;
}

function* entriesOf(path: string, { source, project }: Origin): Generator<ImportEntry> {
  const file = readSmallFile(path, MAX_FILE_BYTES);
  if (file.state !== 'read') {
    yield { at: path, problem: file.state === 'missing' ? 'it is not there' : file.reason };
    return;
  }
  const createdMs = Math.round(statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  for (const { line, text } of notesIn(file.text)) {
    const at = `${basename(path)} line ${line}`;
    if (text.length > MAX_CHARS)
      yield { at: `${path} line ${line}`, problem: `it has more than ${MAX_CHARS} characters` };
    else {
      const kind: MemoryKind = noveltyOf(text) ?? 'fact';
      const imported = `${source} ${at}`;
      const known = {
        session: undefined,
        origin: 'person',
        sourceIds: [],
        status: 'active',
        createdMs,
        imported,
      } as const;
      yield { at, memory: { text, kind, project, ...known } };
    }
  }
}

/** The notes of a Markdown file, or of all below a folder. */
export async function* markdownEntries(path: string, project: string | undefined): AsyncGenerator<ImportEntry> {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) throw missing(path);
  for (const file of info.isDirectory() ? markdownBelow(path) : [path])
    yield* entriesOf(file, { source: 'markdown', project });
}

/**
 * The notes of CLAUDE.md: the file that is named, or those of a folder. They hold in the project that the file stands in; the user's
 * own (`configFolder`) in every project. Files that it imports (`@…`) are not followed.
 */
export async function* charterEntries(path: string, configFolder: string): AsyncGenerator<ImportEntry> {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) throw missing(path);
  const named = info.isDirectory()
    ? [path, join(path, '.claude')].flatMap((folder) => CHARTERS.map((name) => join(folder, name)))
    : [path];
  const files = named.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
  if (files.length === 0) throw missing(join(path, 'CLAUDE.md'));
  for (const file of files) {
    const project = dirname(file) === configFolder ? undefined : projectRoot(dirname(file));
    yield* entriesOf(file, { source: 'claude-md', project });
  }
}
