/**
 * The one gate to the disk: whatever is stored or spooled goes through here first. Secrets are masked, and the text is
 * well-formed Unicode. Projects are keys to compare with, not text, and stay as they are.
 */
import { toWellFormed } from '../messages/wellformed.ts';
import type { Audit, Audited, Episode, EpisodeNotes, JudgedTurn } from '../ports/episodes.ts';
import type { NewDirective, ProposedDirective } from '../ports/ledger.ts';
import type { NewMemory, PortedMemory } from '../ports/memories.ts';
import type { MaskedPart, NewSummary, PromptRecord } from '../ports/sessions.ts';
import type { ArchivedTurn } from '../ports/turns.ts';
import { maskSecrets } from '../redact/mask.ts';
import type { Progress } from './sessions.ts';
import type { SpoolRecord } from './spool-record.ts';

type Unmasked = Pick<MaskedPart, 'session' | 'project' | 'transcript' | 'archivedBytes' | 'atMs'> & {
  readonly turns: readonly ArchivedTurn[];
};

function masked(text: string): string {
  return maskSecrets(toWellFormed(text).text).text;
}

function maskedIfAny(text: string | undefined): string | undefined {
  return text === undefined ? undefined : masked(text);
}

/** A whole, not negative number for a column of integers; anything else is 0. */
function whole(count: number): number {
  return Number.isFinite(count) && count > 0 ? Math.min(Math.round(count), Number.MAX_SAFE_INTEGER) : 0;
}

/** The last millisecond of the year 9999: later ones have no usual form, and those after 275760 none at all. */
const LAST_MS = 253_402_300_799_999;

function moment(ms: number): number {
  return Math.min(whole(ms), LAST_MS);
}

function maskedTurn(turn: ArchivedTurn): ArchivedTurn {
  return {
    handle: masked(turn.handle),
    session: maskedIfAny(turn.session),
    project: turn.project,
    uuid: maskedIfAny(turn.uuid),
    role: masked(turn.role),
    text: masked(turn.text),
    tokens: whole(turn.tokens),
    ...(turn.left === true ? { left: true } : {}),
  };
}

function maskedJudged(turn: JudgedTurn): JudgedTurn {
  const { handle, role, reason, line, score, tokens } = turn;
  return {
    handle: masked(handle),
    role: masked(role),
    reason: masked(reason),
    line: masked(line),
    score: Number.isFinite(score) ? score : 0,
    tokens: whole(tokens),
  };
}

function maskedAudited({ checked, lost }: Audited): Audited {
  return { checked: whole(checked), lost: lost.map(masked) };
}

function maskedAudit({ identifiers, constraints }: Audit): Audit {
  return { identifiers: maskedAudited(identifiers), constraints: maskedAudited(constraints) };
}

/** What the database keeps of a compaction afterwards. */
export function maskedNotes({ restored, audit }: EpisodeNotes): EpisodeNotes {
  return { restored: maskedIfAny(restored), audit: audit && maskedAudit(audit) };
}

/** A session's id, as its turns carry it. */
export function maskedSession(session: string): string {
  return masked(session);
}

function maskedProgress({ session, project, transcript, archivedBytes }: Progress): Progress {
  return { session: masked(session), project, transcript: masked(transcript), archivedBytes: whole(archivedBytes) };
}

function maskedPrompt({ session, key, project, tokens, injected, toldDirective }: PromptRecord): PromptRecord {
  return {
    session: masked(session),
    key: masked(key),
    project,
    tokens: whole(tokens),
    injected: injected.map(masked),
    toldDirective: toldDirective === undefined ? undefined : whole(toldDirective),
  };
}

function maskedProposal({ text, project, session, source }: ProposedDirective): ProposedDirective {
  return { text: masked(text), project, session: maskedIfAny(session), source: maskedIfAny(source) };
}

function maskedEpisode(episode: Episode): Episode {
  return {
    session: maskedIfAny(episode.session),
    project: episode.project,
    lastUuid: maskedIfAny(episode.lastUuid),
    state: episode.state,
    trigger: masked(episode.trigger),
    strategy: masked(episode.strategy),
    beforeTokens: whole(episode.beforeTokens),
    afterTokens: whole(episode.afterTokens),
    dropped: whole(episode.dropped),
    covered: whole(episode.covered ?? 0),
    embedding: episode.embedding,
    tookMs: Number.isFinite(episode.tookMs) ? episode.tookMs : 0,
    transcript: maskedIfAny(episode.transcript),
    transcriptBytes: episode.transcriptBytes === undefined ? undefined : whole(episode.transcriptBytes),
    decisions: episode.decisions && {
      kept: episode.decisions.kept.map(maskedJudged),
      dropped: episode.decisions.dropped.map(maskedJudged),
    },
  };
}

/** Characters that a busy machine masks in a millisecond, usual text (bench/masking: ten times as many on an idle one). */
const CHARS_PER_MS = 5_000;
/** Of the time for keeping turns, what masking gets. */
const MASKING_SHARE = 0.25;
const LEAST_MASKING_MS = 50;

/** A longer turn is not masked by Stop either, which takes more time for it than any other hook: a quarter of 4.9 s. */
const LONGEST_CHARS = 6_000_000;

export interface MaskedTurns {
  /** In the order of the turns. */
  readonly records: readonly SpoolRecord[];
  /** Turns that there was no time to mask. They are not kept: what is not masked is written nowhere. */
  readonly late: number;
  /** The same, of those that are too long for any hook. */
  readonly tooLong: number;
}

/** Whether masking these turns may take all the time that there is for it. */
export function areMany(turns: readonly ArchivedTurn[], deadlineMs: number): boolean {
  const chars = turns.reduce((sum, { text }) => sum + text.length, 0);
  return chars / CHARS_PER_MS > (deadlineMs * MASKING_SHARE) / 4;
}

/**
 * Turns as the database and the spool keep them, the newest first as far as a share of the time for keeping them allows. One that is
 * too long for it is passed over, so that it takes no room from others.
 */
export function maskedTurns(
  turns: readonly ArchivedTurn[],
  atMs: number,
  deadlineMs: number,
  now: () => number = () => performance.now(),
): MaskedTurns {
  const until = now() + Math.max(LEAST_MASKING_MS, deadlineMs * MASKING_SHARE);
  const records: SpoolRecord[] = [];
  let tooLong = 0;
  for (const turn of turns.toReversed()) {
    if (now() + turn.text.length / CHARS_PER_MS <= until) records.push(maskedRecord({ kind: 'turn', atMs, turn }));
    else if (turn.text.length > LONGEST_CHARS) tooLong += 1;
  }
  return { records: records.reverse(), late: turns.length - records.length - tooLong, tooLong };
}

/** A part of a transcript for `ingest`, however long masking takes. */
export function maskedPart({ turns, atMs, ...progress }: Unmasked): MaskedPart {
  const masked = turns.map(maskedTurn);
  const packed = masked.map(({ text, ...turn }) => ({ ...turn, bytes: Buffer.byteLength(text) }));
  const texts = Buffer.allocUnsafeSlow(packed.reduce((sum, { bytes }) => sum + bytes, 0));
  let at = 0;
  for (const { text } of masked) at += texts.write(text, at);
  return { masked: true, atMs, turns: packed, texts: new Uint8Array(texts.buffer), ...maskedProgress(progress) };
}

/** What the log says of turns that are not kept. */
export function leftOut(left: number): string {
  return `${left} turns are not archived: there was no time to mask them; they stand in the transcript alone`;
}

/** What the log says of turns that are kept later. */
export function leftToNext(late: number): string {
  return `${late} turns are left to the next event: there was no time to mask them`;
}

/** What the database and the spool keep of a turn, an episode, its end and what left with it, a transcript that was read, a prompt, or a proposal. */
export function maskedRecord(record: SpoolRecord): SpoolRecord {
  switch (record.kind) {
    case 'turn':
      return { ...record, turn: maskedTurn(record.turn) };
    case 'episode':
      return { ...record, episode: maskedEpisode(record.episode) };
    case 'finish':
      return { ...record, session: masked(record.session) };
    case 'leave':
      return { ...record, session: masked(record.session), stillThere: record.stillThere.map(masked) };
    case 'progress':
      return { ...record, progress: maskedProgress(record.progress) };
    case 'prompt':
      return { ...record, prompt: maskedPrompt(record.prompt) };
    case 'proposal':
      return { ...record, proposal: maskedProposal(record.proposal) };
    case 'learned':
      return { ...record, memory: maskedFields(record.memory) };
  }
}

function maskedFields<T extends NewMemory>(memory: T): T {
  return {
    ...memory,
    text: masked(memory.text),
    session: maskedIfAny(memory.session),
    sourceIds: memory.sourceIds.map(masked),
    quote: maskedIfAny(memory.quote),
    topic: maskedIfAny(memory.topic),
    confidence: memory.confidence === undefined ? undefined : Math.min(1, Math.max(0, memory.confidence || 0)),
    imported: maskedIfAny(memory.imported),
  };
}

export function maskedMemory(memory: NewMemory): NewMemory {
  return maskedFields(memory);
}

export function maskedPorted(memory: PortedMemory): PortedMemory {
  const { createdMs, uses = 0, usedMs } = memory;
  return {
    ...maskedFields(memory),
    createdMs: moment(createdMs),
    uses: whole(uses),
    usedMs: usedMs === undefined ? undefined : moment(usedMs),
  };
}

export function maskedSummary(summary: NewSummary): NewSummary {
  const { session, project, generation, upTo, messages, tokens, model, text } = summary;
  return {
    session: masked(session),
    project,
    generation: whole(generation),
    upTo: masked(upTo),
    messages: whole(messages),
    tokens: whole(tokens),
    model: masked(model),
    text: masked(text),
  };
}

export function maskedDirective(directive: NewDirective): NewDirective {
  const { text, session, source } = directive;
  return { ...directive, text: masked(text), session: maskedIfAny(session), source: maskedIfAny(source) };
}
