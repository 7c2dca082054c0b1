/**
 * What a host's summariser is told before a compaction: the conversation is compacted as chitta would do it, and what
 * survives, together with the state of the session, becomes a short text. Nothing is changed; the host still decides.
 */
import type { Message, MessageView } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import type { Decisions } from '../ports/episodes.ts';
import type { CompactParams } from '../protocol/compact-params.ts';
import type { CompactResult, CompactStats, Decision } from '../protocol/compact-result.ts';
import { maskSecrets } from '../redact/mask.ts';
import { writeInstructions } from '../session/instructions.ts';
import { namesIn } from '../session/names.ts';
import { quote, quoteLine } from '../session/quote.ts';
import { queryOf, snapshotOf } from '../session/snapshot.ts';
import { bestFirst, judgedOf } from './judged.ts';

/** Ports of the use case. */
export interface GuideDeps {
  /** The newest turns of the live context. */
  readTranscript(path: string): Promise<{ readonly messages: readonly Message[] }>;
  compact(params: CompactParams): Promise<CompactResult>;
}

export interface GuideRequest {
  readonly transcriptPath: string;
  /** What the user wrote behind `/compact`, if anything: it is the query, and the host passes it on by itself. */
  readonly focus: string | undefined;
  readonly maxChars: number;
  /** Share of the tokens that survives, 0.05–1. */
  readonly targetRatio: number | undefined;
}

const MAX_NAMES = 24;
const MAX_PASSAGES = 12;
const MAX_PASSAGE_CHARS = 400;
/** A shorter turn ("Done.") carries nothing over. */
const MIN_PASSAGE_CHARS = 40;
const MAX_ANNOUNCEMENT_CHARS = 160;
/** What the newest calls printed is still being worked with, however little room there was for it. */
const RECENT_MESSAGES = 8;
const MAX_TOOLS_NAMED = 4;
const MAX_NAME_CHARS = 60;

/** "Let me look at the tests:" says nothing once the call after it is gone. */
function isAnnouncement(passage: string): boolean {
  return passage.length < MAX_ANNOUNCEMENT_CHARS && passage.endsWith(':');
}

/** What the assistant said in surviving turns; the user's own words are in the snapshot. */
function passagesOf(views: readonly MessageView[], survivors: readonly Decision[]): string[] {
  const passages: string[] = [];
  for (const { index } of survivors) {
    if (passages.length === MAX_PASSAGES) break;
    const view = views[index];
    if (view === undefined || view.role !== 'assistant' || view.text.length < MIN_PASSAGE_CHARS) continue;
    const passage = quote(view.text, MAX_PASSAGE_CHARS);
    if (passage.length >= MIN_PASSAGE_CHARS && !isAnnouncement(passage)) passages.push(passage);
  }
  return passages;
}

/** Names the tools whose older results were let go: what they printed can be had again. */
function droppableIn(views: readonly MessageView[], decisions: readonly Decision[]): string {
  const counts = new Map<string, number>();
  for (const { index, action } of decisions) {
    if (action !== 'drop' || index >= views.length - RECENT_MESSAGES) continue;
    for (const { name } of views[index]?.calls ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const named = [...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_TOOLS_NAMED);
  if (named.length === 0) return '';
  const list = named.map(([name, count]) => `${quoteLine(name, MAX_NAME_CHARS)} (${count})`).join(', ');
  return `May be left out: what older tool calls printed, since it can be had again: ${list}.`;
}

export interface Guide {
  /** Instructions for the summariser, at most `maxChars` long, masked and well-formed; empty if there is nothing to say. */
  readonly text: string;
  /** Of the compaction behind it; undefined where there was nothing to compact. */
  readonly stats: CompactStats | undefined;
  /** What is to survive and what is not, for people who ask later. */
  readonly decisions: Decisions | undefined;
  /** The newest message that was seen. */
  readonly lastUuid: string | undefined;
}

/** Compacts the live context as if it were for real, and says what is to survive. */
export async function guideSummary(request: GuideRequest, deps: GuideDeps): Promise<Guide> {
  const { messages } = await deps.readTranscript(request.transcriptPath);
  if (messages.length === 0) return { text: '', stats: undefined, decisions: undefined, lastUuid: undefined };
  const snapshot = snapshotOf(messages);
  // A query may be embedded and cached, so it is masked like all that leaves the conversation.
  const focus = maskSecrets(request.focus?.trim() ?? '').text;
  const query = focus === '' ? queryOf(snapshot) : focus;
  const { decisions = [], stats } = await deps.compact({
    messages,
    query: query === '' ? undefined : query,
    targetRatio: request.targetRatio,
    explain: true,
  });
  const survivors = bestFirst(decisions);
  const views = messages.map(viewOf);
  const text = writeInstructions(
    {
      snapshot,
      names: namesIn(
        survivors.map(({ index }) => views[index]?.text ?? ''),
        MAX_NAMES,
      ),
      passages: passagesOf(views, survivors),
      droppable: droppableIn(views, decisions),
    },
    request.maxChars,
  );
  const lastUuid = messages.at(-1)?.['uuid'];
  return {
    text,
    stats,
    decisions: judgedOf(messages, views, decisions),
    lastUuid: typeof lastUuid === 'string' ? lastUuid : undefined,
  };
}
