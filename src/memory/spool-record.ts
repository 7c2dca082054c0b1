/** One line of the spool. It is read back as something anyone may have written: wrong shapes are skipped. */
import type { Decisions, Episode, JudgedTurn } from '../ports/episodes.ts';
import type { ProposedDirective } from '../ports/ledger.ts';
import type { MemoryKind, NewMemory } from '../ports/memories.ts';
import type { PromptRecord } from '../ports/sessions.ts';
import type { ArchivedTurn } from '../ports/turns.ts';
import type { Progress } from './sessions.ts';

export type SpoolRecord =
  | { readonly kind: 'turn'; readonly atMs: number; readonly turn: ArchivedTurn }
  | { readonly kind: 'episode'; readonly atMs: number; readonly episode: Episode }
  | { readonly kind: 'finish'; readonly atMs: number; readonly session: string }
  | { readonly kind: 'leave'; readonly atMs: number; readonly session: string; readonly stillThere: readonly string[] }
  | { readonly kind: 'progress'; readonly atMs: number; readonly progress: Progress }
  | { readonly kind: 'prompt'; readonly atMs: number; readonly prompt: PromptRecord }
  | { readonly kind: 'proposal'; readonly atMs: number; readonly proposal: ProposedDirective }
  | { readonly kind: 'learned'; readonly atMs: number; readonly memory: NewMemory };

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
    ...(fields['left'] === true ? { left: true } : {}),
  };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function listOf<T>(value: unknown, read: (fields: Fields) => T | undefined): T[] {
  return Array.isArray(value) ? value.flatMap((one) => read(fieldsOf(one) ?? {}) ?? []) : [];
}

function judgedOf(fields: Fields): JudgedTurn | undefined {
  const [handle, role, reason, line] = ['handle', 'role', 'reason', 'line'].map((name) => text(fields, name));
  if (handle === undefined || role === undefined || reason === undefined || line === undefined) return undefined;
  return { handle, role, tokens: count(fields, 'tokens'), score: count(fields, 'score'), reason, line };
}

function decisionsOf(value: unknown): Decisions | undefined {
  const fields = fieldsOf(value);
  return fields && { kept: listOf(fields['kept'], judgedOf), dropped: listOf(fields['dropped'], judgedOf) };
}

function progressOf(fields: Fields): Progress | undefined {
  const [session, transcript] = [text(fields, 'session'), text(fields, 'transcript')];
  if (session === undefined || transcript === undefined) return undefined;
  return { session, transcript, project: text(fields, 'project'), archivedBytes: count(fields, 'archivedBytes') };
}

function promptOf(fields: Fields): PromptRecord | undefined {
  const [session, key] = [text(fields, 'session'), text(fields, 'key')];
  if (session === undefined || key === undefined) return undefined;
  const { injected, toldDirective } = fields;
  return {
    session,
    key,
    project: text(fields, 'project'),
    tokens: count(fields, 'tokens'),
    injected: texts(injected),
    toldDirective: typeof toldDirective === 'number' ? toldDirective : undefined,
  };
}

function proposalOf(fields: Fields): ProposedDirective | undefined {
  const said = text(fields, 'text');
  if (said === undefined) return undefined;
  const [project, session, source] = ['project', 'session', 'source'].map((name) => text(fields, name));
  return { text: said, project, session, source };
}

const LEARNED_KINDS: readonly MemoryKind[] = ['fact', 'preference', 'decision', 'correction', 'fix'];

/** Only what chitta itself found is ever spooled. */
function learnedOf(fields: Fields): NewMemory | undefined {
  const [said, kind] = [text(fields, 'text'), LEARNED_KINDS.find((one) => one === fields['kind'])];
  if (said === undefined || kind === undefined) return undefined;
  const [project, session, quote, topic] = ['project', 'session', 'quote', 'topic'].map((name) => text(fields, name));
  const confidence = count(fields, 'confidence');
  return {
    text: said,
    kind,
    project,
    session,
    origin: 'auto',
    sourceIds: texts(fields['sourceIds']),
    quote,
    topic,
    confidence,
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
    decisions: decisionsOf(fields['decisions']),
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
  const [progress, prompt] = [fieldsOf(fields['progress']), fieldsOf(fields['prompt'])];
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
    case 'leave': {
      const session = text(fields, 'session');
      const stillThere = texts(fields['stillThere']);
      return session === undefined ? undefined : { kind: 'leave', atMs, session, stillThere };
    }
    case 'progress': {
      const read = progress && progressOf(progress);
      return read && { kind: 'progress', atMs, progress: read };
    }
    case 'prompt': {
      const read = prompt && promptOf(prompt);
      return read && { kind: 'prompt', atMs, prompt: read };
    }
    case 'proposal': {
      const read = proposalOf(fieldsOf(fields['proposal']) ?? {});
      return read && { kind: 'proposal', atMs, proposal: read };
    }
    case 'learned': {
      const read = learnedOf(fieldsOf(fields['memory']) ?? {});
      return read && { kind: 'learned', atMs, memory: read };
    }
    default:
      return undefined;
  }
}
