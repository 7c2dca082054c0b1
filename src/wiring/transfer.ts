/** Where memories are taken over from: a file of an export, and what other programs left. */
import { createReadStream, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { exportedEntries } from '../actions/import.ts';
import { ChittaError } from '../errors.ts';
import type { Env } from '../platform/env.ts';
import type { ForeignSource, ImportEntry } from '../ports/transfer.ts';
import { linesForward } from '../transcript/lines.ts';

export interface Whence {
  readonly env: Env;
  readonly project: string;
  /** Notes hold in every project. */
  readonly everywhere: boolean;
}

/** The entries of a foreign file or folder. They reject as they are read, with E_INPUT_MISSING or E_INPUT_FORMAT. */
export async function foreignEntries(
  source: ForeignSource,
  path: string,
  { env, project, everywhere }: Whence,
): Promise<AsyncIterable<ImportEntry>> {
  switch (source) {
    case 'claude-mem':
      return (await import('../foreign/claude-mem.ts')).claudeMemEntries(path, project);
    case 'episodic-memory':
      return (await import('../foreign/episodic-memory.ts')).episodicMemoryEntries(path, project);
    case 'markdown':
      return (await import('../foreign/files.ts')).markdownEntries(path, everywhere ? undefined : project);
    case 'claude-md': {
      const folder = env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] || homedir(), '.claude');
      return (await import('../foreign/files.ts')).charterEntries(path, folder);
    }
  }
}

/** The entries of an export; `path` undefined: those of the stream. */
export function exportEntries(path: string | undefined, stream: AsyncIterable<Buffer>): AsyncIterable<ImportEntry> {
  if (path !== undefined && statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new ChittaError('E_INPUT_MISSING', `there is no file ${path}`, {
      hint: 'check the path; - reads standard input',
    });
  }
  return exportedEntries(linesForward(path === undefined ? stream : createReadStream(path)));
}
