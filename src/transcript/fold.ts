/**
 * Rows to messages. Rows of one API message become one message, tool results stand right behind the message that called
 * for them, and a branch that was given up by a rewind is left out.
 *
 * Every rule looks at most REACH_ROWS rows back, counted from the newest row, so that the end of a file gives the same
 * messages whether or not its beginning was read. Only a tool result may find its call at any distance.
 */
import { isTypedPrompt } from '../messages/typed.ts';
import type { Block, Message } from '../messages/types.ts';
import type { MessageRow } from './rows.ts';

/**
 * How far apart rows may stand that are taken together, in message rows: the rows of one message, a result written before
 * its call, and the two prompts of a rewind. The widest gap in recorded sessions is 10.
 */
export const REACH_ROWS = 128;

/** One message, still without a name of its own. */
export interface Entry {
  readonly message: Message;
  /** The rows that it was made of, newest first. */
  readonly rows: readonly MessageRow[];
  /** Place of its oldest row, counted from the newest (0). */
  readonly place: number;
  /** True for tool results that stand right behind the message that called for them. */
  readonly isAnswer: boolean;
  /** True if it holds a tool result whose call is not among the rows. */
  readonly isOrphan: boolean;
}

export interface Fold {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  /** Results that were written before their call. */
  readonly reordered: number;
  /** Rows on a branch that was given up. */
  readonly abandoned: number;
}

interface Part {
  readonly row: MessageRow;
  readonly place: number;
  readonly blocks: readonly Block[];
}

/** One API message: its rows, newest first, and what answers it. */
interface Group {
  readonly rows: MessageRow[];
  oldest: number;
  readonly answers: Part[];
}

/** A user row, and which of its results went to the messages that called for them. */
interface UserRow {
  readonly row: MessageRow;
  readonly place: number;
  readonly claimed: Set<string>;
  claimedBy: Group | undefined;
}

const blocksOf = (row: MessageRow): readonly Block[] =>
  typeof row.content === 'string' ? [{ type: 'text', text: row.content }] : row.content;

const callIdOf = (block: Block): string | undefined =>
  block.type === 'tool_use' && typeof block['id'] === 'string' ? block['id'] : undefined;

const answeredIdOf = (block: Block): string | undefined =>
  block.type === 'tool_result' && typeof block['tool_use_id'] === 'string' ? block['tool_use_id'] : undefined;

const isAnswering = (row: MessageRow): boolean =>
  typeof row.content !== 'string' && row.content.some((block) => answeredIdOf(block) !== undefined);

/**
 * Places of rows on given-up branches. Two typed prompts with the same parent row mean that the person went back to that
 * row: what stands from the earlier prompt to the later one is no longer part of the conversation.
 */
function abandonedPlaces(rows: readonly MessageRow[]): Set<number> {
  const places = new Set<number>();
  const newestPrompt = new Map<string, number>();
  for (const [place, row] of rows.entries()) {
    const { parentUuid } = row;
    if (row.role !== 'user' || parentUuid === undefined || row.queued || row.summary || isAnswering(row)) continue;
    if (!isTypedPrompt({ role: 'user', content: row.content })) continue;
    const later = newestPrompt.get(parentUuid);
    newestPrompt.set(parentUuid, place);
    if (later === undefined || place - later > REACH_ROWS) continue;
    for (let at = later + 1; at <= place; at++) places.add(at);
  }
  return places;
}

/** Texts of queued prompts that were also written as rows of their own, within reach: place of the attachment. */
function repeatedPrompts(rows: readonly MessageRow[]): Set<number> {
  const places = new Set<number>();
  if (!rows.some((row) => row.queued)) return places;
  const textOf = (row: MessageRow): string =>
    blocksOf(row)
      .map((block) => (typeof block['text'] === 'string' ? block['text'] : ''))
      .join('\n')
      .trim();
  // Each row stands for one queued prompt, so that a text that was queued twice and written once stays twice.
  const waiting = new Map<string, { place: number; queued: boolean }[]>();
  for (const [place, row] of rows.entries()) {
    if (row.role !== 'user' || row.summary || isAnswering(row)) continue;
    const text = textOf(row);
    if (text === '') continue;
    const list = waiting.get(text) ?? [];
    waiting.set(text, list);
    const partner = list.at(-1);
    if (partner !== undefined && partner.queued !== row.queued && place - partner.place <= REACH_ROWS) {
      places.add(row.queued ? place : partner.place);
      list.pop();
    } else list.push({ place, queued: row.queued });
  }
  return places;
}

function contentOf(rows: readonly MessageRow[]): string | readonly Block[] {
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) return only.content;
  const blocks: Block[] = [];
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at];
    if (row !== undefined) for (const block of blocksOf(row)) blocks.push(block);
  }
  return blocks;
}

/** The results of one message in the order of its calls, then whatever else stood in their rows. */
function answerBlocks(calls: readonly Block[], parts: readonly Part[]): Block[] {
  const order = new Map<string, number>();
  for (const block of calls) {
    const id = callIdOf(block);
    if (id !== undefined) order.set(id, order.size);
  }
  const ranked: { rank: number; block: Block }[] = [];
  const rest: Block[] = [];
  for (let at = parts.length - 1; at >= 0; at--) {
    for (const block of parts[at]?.blocks ?? []) {
      const id = answeredIdOf(block);
      if (id === undefined) rest.push(block);
      else ranked.push({ rank: order.get(id) ?? order.size, block });
    }
  }
  return [...ranked.sort((a, b) => a.rank - b.rank).map(({ block }) => block), ...rest];
}

type Slot = Group | UserRow | undefined;

/** Groups the rows of each message and pairs calls with results. Slots are by place: a message stands at its oldest row. */
function pairRows(rows: readonly MessageRow[], left: (place: number) => boolean): { slots: Slot[]; reordered: number } {
  const open = new Map<string, Group>();
  const waitingCalls = new Map<string, { group: Group; place: number }>();
  const waitingResults = new Map<string, { owner: UserRow; block: Block }>();
  const slots: Slot[] = Array.from({ length: rows.length });
  let reordered = 0;

  const claim = (group: Group, owner: UserRow, id: string, block: Block): void => {
    owner.claimed.add(id);
    owner.claimedBy = group;
    group.answers.push({ row: owner.row, place: owner.place, blocks: [block] });
  };

  const takeUserRow = (row: MessageRow, place: number): void => {
    const owner: UserRow = { row, place, claimed: new Set(), claimedBy: undefined };
    slots[place] = owner;
    for (const block of blocksOf(row)) {
      const id = answeredIdOf(block);
      if (id === undefined) continue;
      const call = waitingCalls.get(id);
      if (call === undefined || place - call.place > REACH_ROWS) {
        waitingResults.set(id, { owner, block });
        continue;
      }
      waitingCalls.delete(id);
      claim(call.group, owner, id, block);
      reordered += 1;
    }
  };

  const takeAssistantRow = (row: MessageRow, place: number): void => {
    const known = row.messageId === undefined ? undefined : open.get(row.messageId);
    const near = known !== undefined && place - known.oldest <= REACH_ROWS && known.rows[0]?.leftover === row.leftover;
    const group: Group = near ? known : { rows: [], oldest: place, answers: [] };
    if (row.messageId !== undefined) open.set(row.messageId, group);
    if (near) slots[group.oldest] = undefined;
    slots[place] = group;
    group.rows.push(row);
    group.oldest = place;
    for (const block of blocksOf(row)) {
      const id = callIdOf(block);
      if (id === undefined) continue;
      const result = waitingResults.get(id);
      waitingResults.delete(id);
      if (result === undefined) waitingCalls.set(id, { group, place });
      else claim(group, result.owner, id, result.block);
    }
  };

  for (const [place, row] of rows.entries()) {
    if (left(place)) continue;
    if (row.role === 'assistant') takeAssistantRow(row, place);
    else takeUserRow(row, place);
  }
  return { slots, reordered };
}

/** What is left of a user row, or undefined: text beside results goes where the results went. */
function remainderOf(slot: UserRow): string | readonly Block[] | undefined {
  const { row, place, claimed, claimedBy } = slot;
  if (claimedBy === undefined) return row.content;
  const blocks = blocksOf(row).filter((block) => !claimed.has(answeredIdOf(block) ?? ''));
  if (blocks.some((block) => answeredIdOf(block) !== undefined)) return blocks;
  if (blocks.length > 0) claimedBy.answers.push({ row, place, blocks });
  return undefined;
}

/** Folds rows, given newest first and without copies. */
export function foldRows(rows: readonly MessageRow[]): Fold {
  const abandoned = abandonedPlaces(rows);
  const repeated = repeatedPrompts(rows);
  const { slots, reordered } = pairRows(rows, (place) => abandoned.has(place) || repeated.has(place));
  const remainders = slots.map((slot) => (slot !== undefined && 'row' in slot ? remainderOf(slot) : undefined));

  const entries: Entry[] = [];
  for (const [place, slot] of slots.entries()) {
    if (slot === undefined) continue;
    if ('row' in slot) {
      const content = remainders[place];
      if (content === undefined) continue;
      const isOrphan = typeof content !== 'string' && content.some((block) => answeredIdOf(block) !== undefined);
      entries.push({ message: { role: 'user', content }, rows: [slot.row], place, isAnswer: false, isOrphan });
      continue;
    }
    const content = contentOf(slot.rows);
    if (slot.answers.length > 0) {
      const parts = slot.answers.sort((a, b) => a.place - b.place);
      const message = { role: 'user', content: answerBlocks(typeof content === 'string' ? [] : content, parts) };
      entries.push({ message, rows: parts.map(({ row }) => row), place, isAnswer: true, isOrphan: false });
    }
    entries.push({ message: { role: 'assistant', content }, rows: slot.rows, place, isAnswer: false, isOrphan: false });
  }
  return { entries: entries.reverse(), reordered, abandoned: abandoned.size };
}
