/** What must hold of every compaction, whatever the conversation: each breach is one line. Written without the code under test. */
import { isMark } from '../../src/messages/marks.ts';
import type { Compaction } from '../../src/compaction/compact.ts';
import type { Message } from '../../src/messages/types.ts';

/** Longer lines may survive in pieces. */
const LONG_LINE = 1_200;

/** Every string in a value; those inside an OpenAI call's arguments as the JSON says them. */
function stringsIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string') {
    if (key !== 'arguments') return [value];
    try {
      return stringsIn(JSON.parse(value));
    } catch {
      return [value];
    }
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === 'type' ? [] : stringsIn(inner, name)));
}

function linesIn(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => stringsIn({ ...message, role: undefined })).flatMap((text) => text.split('\n'));
}

/** Lines of the output that are neither lines of the input, nor pieces of long ones, nor marks. */
export function foreignLines(before: readonly Message[], after: readonly Message[]): string[] {
  const known = new Set(linesIn(before));
  const long = [...known].filter((line) => line.length > LONG_LINE);
  return linesIn(after).filter(
    (line) => !known.has(line) && !isMark(line) && !long.some((whole) => whole.includes(line)),
  );
}

interface Half {
  readonly id: string;
  readonly isCall: boolean;
}

function halvesOf({ content, tool_calls: calls, tool_call_id: answered }: Message): Half[] {
  const halves: Half[] = typeof answered === 'string' ? [{ id: answered, isCall: false }] : [];
  for (const block of Array.isArray(content) ? content : []) {
    if (typeof block['tool_use_id'] === 'string') halves.push({ id: block['tool_use_id'], isCall: false });
    else if (block.type.endsWith('tool_use')) halves.push({ id: String(block['id']), isCall: true });
  }
  for (const call of Array.isArray(calls) ? calls : []) halves.push({ id: String(call.id), isCall: true });
  return halves;
}

/** Halves that find no other half when calls and results are matched in order, each once. For conversations whose ids may repeat. */
export function looseHalves(messages: readonly Message[]): string[] {
  const open = new Map<string, number>();
  const loose: string[] = [];
  for (const { id, isCall } of messages.flatMap(halvesOf)) {
    const waiting = open.get(id) ?? 0;
    if (isCall) open.set(id, waiting + 1);
    else if (waiting > 0) open.set(id, waiting - 1);
    else loose.push(`result ${id}`);
  }
  for (const [id, waiting] of open) if (waiting > 0) loose.push(`call ${id}`);
  return loose.sort();
}

/** Freezes a value through and through: whoever writes to it throws. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

function protectedTokens({ verdicts }: Compaction): number {
  return verdicts.reduce((sum, { item }) => sum + (item.protectedBy === undefined ? 0 : item.tokens), 0);
}

function isWellFormed(messages: readonly Message[]): boolean {
  return stringsIn(messages).every((text) => text.isWellFormed());
}

/** What a compaction of `messages` to `result` did that none may do. `price` is what messages cost where it was made. */
export function breachesOf(
  messages: readonly Message[],
  result: Compaction,
  price?: (message: Message) => number,
): string[] {
  const found: string[] = [];
  const after = result.messages;
  for (const line of foreignLines(messages, after))
    found.push(`a line of its own: ${JSON.stringify(line.slice(0, 80))}`);
  const held = protectedTokens(result);
  if (result.overBudget !== result.afterTokens > result.budgetTokens) found.push('over_budget is not what was counted');
  if (result.afterTokens > Math.max(result.budgetTokens, held)) {
    found.push(`over budget: ${result.afterTokens} of ${result.budgetTokens}, protected ${held}`);
  }
  if (price !== undefined && Math.abs(after.reduce((sum, one) => sum + price(one), 0) - result.afterTokens) > 1e-6) {
    found.push('miscounted');
  }
  if (result.verdicts.length !== messages.length) found.push('not one verdict a message');
  const survivors = result.verdicts.flatMap(({ item, choice }) => {
    const original = messages[item.message];
    if (choice.action === 'drop' || original === undefined) return [];
    if (choice.action !== 'keep' && item.protectedBy !== undefined)
      found.push(`${item.protectedBy} was ${choice.action}`);
    if (choice.excerpt !== undefined && choice.excerpt.role !== original.role) found.push('another role');
    return [choice.excerpt ?? original];
  });
  for (const { item, choice } of result.verdicts) {
    if (choice.action === 'drop' && item.protectedBy !== undefined) found.push(`${item.protectedBy} was dropped`);
  }
  const listed = after.filter((message) => !survivors.includes(message));
  if (listed.length > 1) found.push('more than one message of its own');
  if (listed.some(({ role }) => role !== 'user')) found.push('a message of its own that is no user’s');
  const kept = after.filter((message) => !listed.includes(message));
  if (kept.length !== survivors.length || kept.some((message, at) => message !== survivors[at])) found.push('order');
  if (after.some(({ content }) => Array.isArray(content) && content.length === 0)) {
    if (!messages.some(({ content }) => Array.isArray(content) && content.length === 0)) found.push('empty content');
  }
  if (isWellFormed(messages) && !isWellFormed(after)) found.push('Unicode that is not well-formed');
  return found;
}
