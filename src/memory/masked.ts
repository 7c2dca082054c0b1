/**
 * The one gate to the disk: whatever is stored or spooled goes through here first. Secrets are masked, and the text is
 * well-formed Unicode. Projects are keys to compare with, not text, and stay as they are.
 */
import { toWellFormed } from '../messages/wellformed.ts';
import type { ArchivedTurn, Episode, NewDirective, NewMemory } from '../ports/memory.ts';
import { maskSecrets } from '../redact/mask.ts';
import type { SpoolRecord } from './spool-record.ts';

function masked(text: string): string {
  return maskSecrets(toWellFormed(text).text).text;
}

function maskedIfAny(text: string | undefined): string | undefined {
  return text === undefined ? undefined : masked(text);
}

/** A whole, not negative number for a column of integers; anything else is 0. */
function whole(count: number): number {
  return Number.isFinite(count) && count > 0 ? Math.round(count) : 0;
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
  };
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
  };
}

/** What the database and the spool keep of a turn, an episode or its end. */
export function maskedRecord(record: SpoolRecord): SpoolRecord {
  switch (record.kind) {
    case 'turn':
      return { ...record, turn: maskedTurn(record.turn) };
    case 'episode':
      return { ...record, episode: maskedEpisode(record.episode) };
    case 'finish':
      return { ...record, session: masked(record.session) };
  }
}

export function maskedMemory(memory: NewMemory): NewMemory {
  return {
    ...memory,
    text: masked(memory.text),
    session: maskedIfAny(memory.session),
    sourceIds: memory.sourceIds.map(masked),
  };
}

export function maskedDirective(directive: NewDirective): NewDirective {
  return { ...directive, text: masked(directive.text), session: maskedIfAny(directive.session) };
}
