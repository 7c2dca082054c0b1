/** What is stored, as JSON for programs: snake_case, times as ISO 8601. The fields are documented in docs/memory-format.md. */
import type { StoredEpisode } from '../ports/episodes.ts';
import type { StoredDirective } from '../ports/ledger.ts';
import type { Memory } from '../ports/memories.ts';
import type { MemoryStats, MemoryUsage } from '../ports/memory.ts';
import type { StoredTurn } from '../ports/turns.ts';
import { episodeText } from './episodes.ts';
import type { RecallResult } from './recall.ts';
import type { FoundPassages } from './search.ts';
import type { ShownTurn, ShowResult } from './show.ts';

type Json = Record<string, unknown>;

function time(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/** `quote`, `topic`, `confidence` and `imported` stand in those memories only that have them. */
export function memoryJson(memory: Memory): Json {
  const { quote, topic, confidence, imported } = memory;
  const known = Object.entries({ quote, topic, confidence, imported }).filter(([, value]) => value !== undefined);
  return {
    id: memory.id,
    kind: memory.kind,
    text: memory.text,
    project: memory.project ?? null,
    session: memory.session ?? null,
    origin: memory.origin,
    source_ids: memory.sourceIds,
    status: memory.status,
    superseded_by: memory.supersededBy ?? null,
    created: time(memory.createdMs),
    ...Object.fromEntries(known),
  };
}

function turnJson(turn: StoredTurn): Json {
  return {
    handle: turn.handle,
    role: turn.role,
    text: turn.text,
    tokens: turn.tokens,
    session: turn.session ?? null,
    project: turn.project ?? null,
    archived: time(turn.archivedMs),
  };
}

/** `active`: whether it holds now. */
export function directiveJson(directive: StoredDirective, active: boolean): Json {
  return {
    id: directive.id,
    text: directive.text,
    status: directive.status,
    replaces: directive.replaces ?? null,
    successor: directive.successor ?? null,
    who: directive.who,
    project: directive.project ?? null,
    session: directive.session ?? null,
    source: directive.source ?? null,
    created: time(directive.createdMs),
    expires: time(directive.expiresMs),
    active,
  };
}

export function episodeJson(episode: StoredEpisode): Json {
  return {
    id: episode.id,
    state: episode.state,
    text: episodeText(episode),
    before_tokens: episode.beforeTokens,
    after_tokens: episode.afterTokens,
    dropped: episode.dropped,
    covered: episode.covered,
    strategy: episode.strategy,
    trigger: episode.trigger,
    embedding: episode.embedding,
    took_ms: episode.tookMs,
    session: episode.session ?? null,
    project: episode.project ?? null,
    last_uuid: episode.lastUuid ?? null,
    transcript: episode.transcript ?? null,
    transcript_bytes: episode.transcriptBytes ?? null,
    created: time(episode.createdMs),
    done: time(episode.doneMs),
  };
}

/** A compaction with all that is known of it; null where nothing is. */
export function whyJson(episode: StoredEpisode): Json {
  const { decisions, restored, audit } = episode;
  return { ...episodeJson(episode), decisions: decisions ?? null, restored: restored ?? null, audit: audit ?? null };
}

/** What was recalled, best first, as rows. */
export function recalledRows(found: RecallResult['found']): Json[] {
  return found.map((one) => ({
    type: one.kind,
    score: one.score,
    ...(one.kind === 'memory' ? memoryJson(one.memory) : turnJson(one.turn)),
  }));
}

export function recallJson({ found, embedding }: RecallResult): Json {
  return { embedding, found: recalledRows(found) };
}

function shownJson({ handle, role, tokens, session, text }: ShownTurn): Json {
  return { handle, role, tokens, session: session ?? null, text };
}

/** `text` is what was asked for of the turn: its passages joined by a line with `…`. */
export function showJson({ turn, before, after, source, totalLines, passages, more, absent, cut }: ShowResult): Json {
  return {
    ...shownJson(turn),
    text: passages.map(({ text }) => text).join('\n…\n'),
    source,
    total_lines: totalLines,
    passages,
    more,
    ...(absent ? { absent } : {}),
    ...(cut ? { cut } : {}),
    before: before.map(shownJson),
    after: after.map(shownJson),
  };
}

/** A turn that was searched for: `text` is its passages joined by a line with `…`. */
export function foundTurnJson({ turn, totalLines, passages, more }: FoundPassages): Json {
  const text = passages.map((passage) => passage.text).join('\n…\n');
  return { ...turnJson(turn), text, total_lines: totalLines, passages, more };
}

export function statsJson(stats: MemoryStats, { room, growth, projects, cacheBytes }: MemoryUsage): Json {
  const { memories, vectors, turns, episodes, prompts, bytes, spoolBytes } = stats;
  const sizes = { bytes, spool_bytes: spoolBytes, cache_bytes: cacheBytes, room, growth };
  const byProject = projects.map(({ project, ...counts }) => ({ project: project ?? null, ...counts }));
  return { memories, vectors, turns, episodes, prompts, ...sizes, projects: byProject };
}
