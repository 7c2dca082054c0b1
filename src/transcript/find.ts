/** Finds a turn by its handle in the transcripts of a project, for a handle that outlived the archive. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { handleOf } from '../messages/handle.ts';
import { searchTextOf } from '../messages/search-text.ts';
import type { Message } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import { estimateMessageTokens } from '../tokens/message.ts';
import type { Env } from '../platform/env.ts';
import { projectFolder } from './folders.ts';
import { readTranscript } from './read.ts';

/** Sessions looked through, newest first: a handle that someone still holds is of a recent one. */
const MAX_FILES = 20;

interface Turn {
  readonly handle: string;
  readonly session: string | undefined;
  readonly role: string;
  readonly text: string;
  readonly tokens: number;
}

/** A turn as it was said, with those around it. */
export interface TurnInContext {
  readonly turn: Turn;
  readonly before: readonly Turn[];
  readonly after: readonly Turn[];
}

function modifiedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Claude Code's transcripts of a working directory, newest first. None where there is no such folder. */
export function projectTranscripts(env: Env, cwd: string): string[] {
  const folder = projectFolder(env, cwd);
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(folder, name))
      .sort((a, b) => modifiedMs(b) - modifiedMs(a))
      .slice(0, MAX_FILES);
  } catch {
    // No session was ever held there.
    return [];
  }
}

function turnOf(message: Message): Turn {
  return {
    handle: handleOf(message),
    session: undefined,
    role: message.role,
    text: searchTextOf(viewOf(message)),
    tokens: estimateMessageTokens(message),
  };
}

/** The first of `paths` that holds the handle, with up to `context` turns on each side. Missing files are passed over. */
export async function findTurn(
  paths: readonly string[],
  handle: string,
  context: number,
): Promise<TurnInContext | undefined> {
  for (const path of paths) {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) continue;
    const { messages } = await readTranscript(path, { all: true });
    const index = messages.findIndex((message) => handleOf(message) === handle);
    const found = messages[index];
    if (found === undefined) continue;
    return {
      turn: turnOf(found),
      before: messages.slice(Math.max(0, index - context), index).map(turnOf),
      after: messages.slice(index + 1, index + 1 + context).map(turnOf),
    };
  }
  return undefined;
}
