/** What is kept of sessions, as the use cases see it. */
import type { ProposedDirective } from './ledger.ts';
import type { NewMemory } from './memories.ts';
import type { ArchivedTurn } from './turns.ts';

/** What was read of a session's transcript. */
export interface Capture {
  /** Of a sub-agent: the session's id, a slash, and the agent's. */
  readonly session: string;
  readonly project: string | undefined;
  readonly transcript: string;
  readonly turns: readonly ArchivedTurn[];
  /** Rules found in its prompts. */
  readonly proposals?: readonly ProposedDirective[];
  /** What was found in it that is worth a memory. */
  readonly learned?: readonly NewMemory[];
  /** Up to here the transcript need not be read again. */
  readonly archivedBytes: number;
}

/** A turn whose text stands elsewhere. */
export interface PackedTurn extends Omit<ArchivedTurn, 'text'> {
  /** Of its text, in UTF-8. */
  readonly bytes: number;
}

/** A part of a transcript on its way into the archive; its texts are masked already, in whatever thread that was done. */
export interface MaskedPart extends Pick<Capture, 'session' | 'project' | 'transcript' | 'archivedBytes'> {
  readonly masked: true;
  /** When the transcript was last written to, in milliseconds since 1970. */
  readonly atMs: number;
  readonly turns: readonly PackedTurn[];
  /** The texts of the turns in UTF-8, one behind the other; all of its memory, so that a thread can hand it over uncopied. */
  readonly texts: Uint8Array<ArrayBuffer>;
}

/** What is remembered of a session itself. */
export interface SessionState {
  readonly transcript: string | undefined;
  readonly archivedBytes: number;
  /** The newest entry of the ledger of directives that the session was told of; 0: none. */
  readonly toldDirective: number;
}

/** A prompt, and what was put into the context for it. */
export interface PromptRecord {
  readonly session: string;
  /** Tells the prompts of a session apart. */
  readonly key: string;
  readonly project: string | undefined;
  /** Of the text that was put in; 0: nothing was. */
  readonly tokens: number;
  /** Names of what the text holds, such as `memory 12`. */
  readonly injected: readonly string[];
  readonly toldDirective: number | undefined;
}

/** A summary of a session's beginning, made by a language model. */
export interface NewSummary {
  readonly session: string;
  readonly project: string | undefined;
  /** From 1; each is made from the one before. */
  readonly generation: number;
  /** Id of the last message that it stands for. */
  readonly upTo: string;
  /** Messages that it stands for, those of earlier summaries included. */
  readonly messages: number;
  readonly tokens: number;
  /** Provider and model. */
  readonly model: string;
  /** Text of the message that holds it. */
  readonly text: string;
}

export interface StoredSummary extends NewSummary {
  readonly id: number;
  readonly createdMs: number;
}

/** What was stored of a session; its sub-agents are not counted. */
export interface SessionActivity {
  readonly session: string;
  /** The first that is known of it. */
  readonly beganMs: number;
  /** When it was last heard of. */
  readonly seenMs: number;
  /** Prompts and archived turns since the moment that was asked for. */
  readonly prompts: number;
  readonly turns: number;
}

/** What hooks keep of sessions. Every call has its deadline; texts are masked before they are kept. */
export interface SessionCalls {
  /** undefined for a session that was never seen. */
  session(session: string, deadlineMs: number): Promise<SessionState | undefined>;
  /** The session of a project that was last heard of, but for one; undefined if there is no other. */
  newestSession(project: string, except: string, deadlineMs: number): Promise<SessionState | undefined>;
  /** Sessions of a project that were heard of since then, the newest first. */
  sessionActivity(
    query: { readonly project: string; readonly sinceMs: number; readonly limit: number },
    deadlineMs: number,
  ): Promise<readonly SessionActivity[]>;
  /** Notes that a session has begun or gone on, and that it was told the directives up to this one. */
  beginSession(
    session: string,
    begun: {
      readonly project: string | undefined;
      readonly transcript: string | undefined;
      readonly toldDirective: number;
    },
    deadlineMs: number,
  ): Promise<void>;
  /**
   * Archives what was read of a transcript. `later`: without the database, by the spool. Resolves to false if there was no time for all
   * turns: how far it was read is not noted then, so that the next one reads them again.
   */
  capture(capture: Capture, deadlineMs: number, when?: 'now' | 'later'): Promise<boolean>;
  /** Archives parts of transcripts in their order, all or none; rejects where `capture` would spool. */
  ingest(parts: readonly MaskedPart[], deadlineMs: number): Promise<void>;
  /** The context of a session was compacted: its turns have left it, but for these; so has what was put into it. */
  leaveContext(session: string, stillThere: readonly string[], deadlineMs: number): Promise<void>;
  /** Keeps that a prompt was seen; the same session and key twice is one row. */
  recordPrompt(prompt: PromptRecord, deadlineMs: number): Promise<void>;
  /** Names of what was put into the context of a session. */
  injected(session: string, deadlineMs: number): Promise<ReadonlySet<string>>;
  /** Summaries of a session, oldest first. */
  summaries(session: string, deadlineMs: number): Promise<readonly StoredSummary[]>;
  addSummary(summary: NewSummary, deadlineMs: number): Promise<void>;
}
