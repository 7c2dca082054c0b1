/** One line of the spool. It is read back as something anyone may have written: wrong shapes are skipped. */
import type { ArchivedTurn, Episode } from '../ports/memory.ts';

export type SpoolRecord =
  | { readonly kind: 'turn'; readonly atMs: number; readonly turn: ArchivedTurn }
  | { readonly kind: 'episode'; readonly atMs: number; readonly episode: Episode }
  | { readonly kind: 'finish'; readonly atMs: number; readonly session: string };

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields | undefined {
  // A JSON object: every own key is a string, and values are checked where they are used.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function text(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

function count(fields: Fields, name: string): number {
  const value = fields[name];
  return typeof value === 'number' ? value : 0;
}

function turnOf(fields: Fields): ArchivedTurn | undefined {
  const [handle, role, body] = [text(fields, 'handle'), text(fields, 'role'), text(fields, 'text')];
  if (handle === undefined || role === undefined || body === undefined) return undefined;
  return {
    handle,
    role,
    text: body,
    session: text(fields, 'session'),
    project: text(fields, 'project'),
    uuid: text(fields, 'uuid'),
    tokens: count(fields, 'tokens'),
  };
}

function episodeOf(fields: Fields): Episode | undefined {
  const { state, embedding } = fields;
  const [trigger, strategy] = [text(fields, 'trigger'), text(fields, 'strategy')];
  if ((state !== 'proposed' && state !== 'done') || trigger === undefined || strategy === undefined) return undefined;
  return {
    state,
    trigger,
    strategy,
    session: text(fields, 'session'),
    project: text(fields, 'project'),
    lastUuid: text(fields, 'lastUuid'),
    beforeTokens: count(fields, 'beforeTokens'),
    afterTokens: count(fields, 'afterTokens'),
    dropped: count(fields, 'dropped'),
    covered: count(fields, 'covered'),
    embedding: embedding === true,
    tookMs: count(fields, 'tookMs'),
    transcript: text(fields, 'transcript'),
    transcriptBytes: typeof fields['transcriptBytes'] === 'number' ? fields['transcriptBytes'] : undefined,
  };
}

/** The record in a line, or undefined if it is none. Never throws. */
export function recordOf(line: string): SpoolRecord | undefined {
  if (line === '') return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    // A writer that was killed, or found the disk full, left part of a line.
    return undefined;
  }
  const fields = fieldsOf(parsed);
  const atMs = fields?.['atMs'];
  if (fields === undefined || typeof atMs !== 'number' || !Number.isSafeInteger(atMs)) return undefined;
  const [turn, episode] = [fieldsOf(fields['turn']), fieldsOf(fields['episode'])];
  switch (fields['kind']) {
    case 'turn': {
      const read = turn && turnOf(turn);
      return read && { kind: 'turn', atMs, turn: read };
    }
    case 'episode': {
      const read = episode && episodeOf(episode);
      return read && { kind: 'episode', atMs, episode: read };
    }
    case 'finish': {
      const session = text(fields, 'session');
      return session === undefined ? undefined : { kind: 'finish', atMs, session };
    }
    default:
      return undefined;
  }
}
