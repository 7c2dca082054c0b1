/** A compaction in place of the host's own: what survives, word for word, and one short message in front of it. */
import { handleOf } from '../messages/handle.ts';
import { hasMarks, writeBlock } from '../messages/marks.ts';
import { isTypedPrompt } from '../messages/typed.ts';
import type { Message } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import type { Episode, Replacement } from '../ports/episodes.ts';
import type { Withheld } from '../ports/withheld.ts';
import type { CompactParams } from '../protocol/compact-params.ts';
import type { CompactResult } from '../protocol/compact-result.ts';
import { maskSecrets } from '../redact/mask.ts';
import { describeCall } from '../session/calls.ts';
import {
  editOf,
  entryOf,
  type EntryEdit,
  isPaired,
  markMedia,
  type Media,
  mediaIn,
  messagesOfEntries,
} from '../session/entries.ts';
import { quoteLine } from '../session/quote.ts';
import { queryOf, snapshotOf } from '../session/snapshot.ts';
import { estimateMessageTokens } from '../tokens/message.ts';
import { estimateTokens } from '../tokens/text.ts';
import { judgedOf } from './judged.ts';

/** A smaller saving is not worth a context that is new to the cache. */
const MIN_SAVING = 0.2;
/** Everything about the answer but its survivors' own texts. */
const FRONT_TOKENS = 120;
/** What stands in place of an image whose message stays, at most. */
const MARK_TOKENS = 16;
/** Of images, how many are named, and how much is said of each. */
const MAX_MEDIA = 8;
const MAX_MEDIA_CHARS = 100;
/** The host cuts a larger answer without a word. */
const MAX_ANSWER_CHARS = 1_000_000;
/** By then it is decided; what is noted behind it goes to the spool, and the module waits for 5 s. */
const DECIDED_MS = 4_000;
/**
 * Models that only think with a fixed budget, 3.7 to 4.5: a request that goes on from a tool's result must begin its turn with
 * thinking, and what the host takes in place of a summary cannot hold any. Newer ones think adaptively, where that may be missing.
 */
const FIXED_THINKING = /claude-(?:3-|(?:opus|sonnet|haiku)-4(?:-[0-5](?!\d)|-\d{6}|[^\w-]|$))/;
/** For vectors and the archive, each. */
const WORK_MS = 800;

/** As the module sends it; nothing of it is checked yet. */
export interface ReplaceRequest {
  readonly session?: unknown;
  readonly trigger?: unknown;
  readonly agent?: unknown;
  /** What the user wrote behind `/compact`. */
  readonly instructions?: unknown;
  readonly messages?: unknown;
}

export type ReplaceAnswer =
  | { readonly refused: string }
  | { readonly front: string; readonly survivors: readonly EntryEdit[] };

/** Ports of the use case. */
export interface ReplaceDeps {
  readonly settings: {
    readonly mode: string;
    readonly disabled: boolean;
    readonly private: boolean;
    readonly targetRatio: number;
    readonly budgetTokens: number;
  };
  /** Milliseconds since the process began. */
  readonly elapsed: () => number;
  compact(
    params: CompactParams,
    options: {
      readonly session: string | undefined;
      readonly deadlineMs: number;
      readonly countTokens: (message: Message) => number;
    },
  ): Promise<CompactResult>;
  /** Not called where the session is private. */
  recordReplacement(
    replacement: Omit<Replacement, 'episode'> & { readonly episode: Omit<Episode, 'project'> },
  ): Promise<void>;
  /** Tells the next hook alone that the context was replaced, where no episode does. */
  noteReplaced(session: string): void;
  /** What the host does not hand over of a session; undefined where its transcript is not known. */
  withheldOf(session: string): Promise<Withheld | undefined>;
  log(line: string): void;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** What the model is told of images: it sees none of them any more, also where their message stays. */
function mediaNote(media: readonly Media[], messages: readonly Message[], isKnown: boolean): string {
  if (!isKnown && media.length === 0) return 'Images, if there were any, are gone.';
  if (media.length === 0) return '';
  const calls = new Map(messages.flatMap((message) => viewOf(message).calls.map((call) => [call.id, call])));
  const whats = media.slice(0, MAX_MEDIA).map(({ index, count }) => {
    const message = messages[index]!;
    const view = viewOf(message);
    const call = calls.get(view.results[0]?.callId ?? '');
    const what = call === undefined ? view.text || 'a prompt without words' : describeCall(call);
    return `> ${handleOf(message)}${count > 1 ? ` (${count})` : ''} ${quoteLine(what, MAX_MEDIA_CHARS)}`;
  });
  const more = media.length - whats.length;
  return [
    'Images and documents are gone, also those of messages that stay; read a file again to see it. They stood in:',
    ...whats,
    ...(more > 0 ? [`and in ${more} others`] : []),
  ].join('\n');
}

function frontOf(
  { dropped, excerpted }: CompactResult['stats'],
  total: number,
  pointers: string,
  media: string,
): string {
  const lines = [
    `The context was compacted without a summary: of ${total} messages, ${dropped} left it and ${excerpted} are kept in part. What follows is the earlier conversation, word for word; a line that begins with "[chitta:" stands for what was left out. To get a passage back: chitta show HANDLE --about WORD`,
    ...[media, pointers].filter((part) => part !== ''),
  ];
  return writeBlock('restored', lines.join('\n'));
}

function uuidOf({ uuid }: Message): string[] {
  return typeof uuid === 'string' ? [uuid] : [];
}

/** Keeps the history of a replacement. Without its line of history the compaction is still the better one: a failure is logged. */
async function record(
  episode: Omit<Episode, 'project'>,
  stillThere: readonly string[],
  deps: ReplaceDeps,
): Promise<void> {
  const { session, state } = episode;
  const isDone = state === 'done';
  if (!deps.settings.private) {
    try {
      await deps.recordReplacement({ episode, stillThere: isDone ? stillThere : undefined });
      return;
    } catch (error) {
      deps.log(`compact --mod: error: not recorded: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (session !== undefined && isDone) deps.noteReplaced(session);
}

/** Prices messages, each once: most are asked for twice. */
function pricing(): (message: Message) => number {
  const prices = new WeakMap<Message, number>();
  return (message) => {
    const known = prices.get(message);
    if (known !== undefined) return known;
    const price = estimateMessageTokens(message);
    prices.set(message, price);
    return price;
  };
}

/** Decides what survives, archives the rest, and notes the compaction as done. Refuses, with a reason, where the host does better. */
export async function replaceContext(request: ReplaceRequest, deps: ReplaceDeps): Promise<ReplaceAnswer> {
  const { mode, disabled, targetRatio, budgetTokens } = deps.settings;
  if (disabled || mode !== 'replace') return { refused: disabled ? 'chitta is switched off' : `mode is ${mode}` };
  // Its turns are not those of the session.
  if (textOf(request.agent) !== undefined) return { refused: "a sub-agent's context" };
  const messages = messagesOfEntries(request.messages);
  if (messages === undefined) return { refused: 'no list of messages' };

  const session = textOf(request.session);
  const trigger = textOf(request.trigger) ?? 'unknown';
  const known = session === undefined ? undefined : await deps.withheldOf(session).catch(() => undefined);
  const media = mediaIn(Array.isArray(request.messages) ? request.messages : [], known?.media);
  if (media === undefined) return { refused: 'an entry of which it is not known what it holds' };
  // A summary can still say what was to be seen.
  const newest = media.at(-1)?.index;
  if (trigger !== 'manual' && newest !== undefined && newest >= messages.findLastIndex(isTypedPrompt)) {
    return { refused: 'an image of the turn that is going on cannot be carried over' };
  }
  const isOpen = messages.at(-1)?.role === 'user' && viewOf(messages.at(-1)!).results.length > 0;
  if (trigger !== 'manual' && isOpen && known?.thinks === true && FIXED_THINKING.test(known.model ?? '')) {
    return { refused: 'the thinking of a turn that is going on cannot be carried over, and this model needs it' };
  }
  const note = mediaNote(media, messages, known !== undefined);
  const countTokens = pricing();
  const before = messages.reduce((sum, message) => sum + countTokens(message), 0);
  const budget =
    Math.floor(Math.min(targetRatio * before, budgetTokens)) -
    FRONT_TOKENS -
    estimateTokens(note) -
    media.length * MARK_TOKENS;
  if (budget <= 0) return { refused: 'there is too little to compact' };
  const query = maskSecrets(textOf(request.instructions) ?? queryOf(snapshotOf(messages))).text;
  const params = { messages, query: query === '' ? undefined : query, budgetTokens: budget, explain: true } as const;
  const result = await deps.compact(
    { ...params, strategy: 'need', detail: 'excerpt' },
    { session, deadlineMs: WORK_MS, countTokens },
  );
  const { stats, decisions = [] } = result;
  if (stats.over_budget) return { refused: 'what must stay is larger than the budget' };
  if (stats.after_tokens > (1 - MIN_SAVING) * before) return { refused: 'it would save less than 20 %' };

  const [first] = result.messages;
  const hasPointers = stats.pointer_tokens > 0 && typeof first?.content === 'string' && hasMarks(first.content);
  const survivors = hasPointers ? result.messages.slice(1) : result.messages;
  const kept = survivors.map(entryOf);
  const withMedia = new Set(media.map(({ index }) => index));
  const edits = kept.map((index, at) => {
    const edit = editOf(index, messages[index]!, survivors[at]!);
    return withMedia.has(index) ? markMedia(edit, messages[index]!) : edit;
  });
  if (survivors.length === 0 || kept.includes(-1)) return { refused: 'nothing survives' };
  if (!isPaired(survivors)) return { refused: 'a call without its result' };
  // In the middle of a turn the model goes on from the newest result.
  if (trigger !== 'manual' && kept.at(-1) !== messages.length - 1) return { refused: 'the newest message is dropped' };
  const pointers = hasPointers && typeof first.content === 'string' ? first.content : '';
  const front = frontOf(stats, messages.length, pointers, note);
  const answer = { front, survivors: edits };
  if (JSON.stringify(answer).length > MAX_ANSWER_CHARS) return { refused: 'the answer is too large' };
  if (deps.elapsed() > DECIDED_MS) return { refused: 'it took too long' };

  const isAhead = trigger === 'precompute';
  const episode: Omit<Episode, 'project'> = {
    session,
    lastUuid: messages.flatMap(uuidOf).at(-1),
    // What was compacted ahead of time may be thrown away; if it is not, the next hook settles it.
    state: isAhead ? 'proposed' : 'done',
    trigger,
    strategy: stats.strategy,
    beforeTokens: stats.before_tokens,
    afterTokens: stats.after_tokens,
    dropped: stats.dropped,
    covered: stats.covered,
    embedding: stats.embedding,
    tookMs: stats.took_ms,
    decisions: judgedOf(messages, messages.map(viewOf), decisions),
  };
  const stillThere = kept.flatMap((index) => uuidOf(messages[index]!));
  await record(episode, stillThere, deps);
  return answer;
}
