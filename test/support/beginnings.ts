/**
 * How a compaction of a request and its last turn have to begin, and the one way out of it that the documentation names. Written from
 * there (how-compaction-works.md), over verdicts and over the compaction itself, without the code that looks for a beginning.
 */
import { compactMessages, type Compaction, type CompactOptions, STRATEGIES } from '../../src/compaction/compact.ts';
import { isTypedPrompt } from '../../src/messages/typed.ts';
import type { Message } from '../../src/messages/types.ts';
import { estimateMessageTokens } from '../../src/tokens/message.ts';
import { lostThinking } from './api-rules.ts';

type Verdicts = Compaction['verdicts'];

/** Something that has to begin with a message of one kind. */
interface Beginning {
  /** Its first message of the conversation. */
  readonly from: number;
  readonly isRight: (message: Message) => boolean;
}

/** A message that it could begin with. */
interface Way {
  readonly hold: number;
  /** Tokens that it takes: of the message if it is not left by itself, and of what is left before it. */
  readonly cost: number;
}

/** Of the room, what a prompt may cost so that it is taken in any case. */
const CHEAP_SHARE = 0.02;
/** Of what is left, how much has to be left for a beginning. */
const LEAST_SHARE = 1 / 3;

function tokensOf(verdicts: Verdicts): number {
  return verdicts.reduce((sum, { item }) => sum + item.tokens, 0);
}

function opensTurn({ role, content }: Message): boolean {
  return role === 'user' && !(Array.isArray(content) && content.some(({ type }) => type.endsWith('tool_result')));
}

function startsWithThinking({ role, content }: Message): boolean {
  return role === 'assistant' && Array.isArray(content) && content[0]?.type.endsWith('thinking') === true;
}

/** All that fit, with what must stay, into the budget. */
function waysOf(
  { from, isRight }: Beginning,
  messages: readonly Message[],
  { verdicts, budgetTokens }: Compaction,
): Way[] {
  const stays = ({ item, choice }: Verdicts[number]): boolean => choice.action !== 'drop' && item.role !== 'system';
  const room = budgetTokens - tokensOf(verdicts.filter(({ item }) => item.protectedBy !== undefined));
  const must = verdicts.findIndex((one, at) => at >= from && one.item.protectedBy !== undefined && stays(one));
  return messages.flatMap((message, hold): Way[] => {
    if (hold < from || !isRight(message) || (must >= 0 && hold > must)) return [];
    const { item, choice } = verdicts[hold]!;
    const tokens = choice.action === 'drop' ? tokensOf(verdicts.filter((one) => one.item.unit === item.unit)) : 0;
    if (tokens > room) return [];
    const isCheap = tokens <= room * CHEAP_SHARE && isTypedPrompt(message);
    return [{ hold, cost: tokensOf(verdicts.slice(from, hold).filter(stays)) + (isCheap ? 0 : tokens) }];
  });
}

/** Tokens that are left when this message must stay and nothing before it can. */
function leftBy(
  hold: number,
  from: number,
  messages: readonly Message[],
  result: Compaction,
  given: CompactOptions,
): number {
  const { verdicts, budgetTokens } = result;
  const places = new Map(messages.map((message, at) => [message, at]));
  const countTokens = (message: Message): number => {
    const at = places.get(message);
    if (at === undefined) return estimateMessageTokens(message);
    const { tokens, protectedBy } = verdicts[at]!.item;
    return at >= from && at < hold && protectedBy === undefined ? budgetTokens + 1 : tokens;
  };
  const pinned = (message: Message): boolean => message === messages[hold];
  return compactMessages(messages, { ...given, budgetTokens, countTokens, pinned }).afterTokens;
}

/** Whether it is documented that a compaction has another beginning: none fits, or the one that takes least gives up too much for it. */
function isExcused(
  beginning: Beginning,
  messages: readonly Message[],
  result: Compaction,
  given: CompactOptions,
): boolean {
  const ways = waysOf(beginning, messages, result);
  const least = Math.min(...ways.map(({ cost }) => cost));
  // Of several that take as little, any may have been tried.
  const cheapest = ways.filter(({ cost }) => cost === least);
  const left = cheapest.map(({ hold }) => leftBy(hold, beginning.from, messages, result, given));
  return ways.length === 0 || left.some((tokens) => tokens < result.afterTokens * LEAST_SHARE);
}

/** Whether messages survive whole or not at all. */
export function keepsWhole({ detail, strategy }: CompactOptions): boolean {
  return detail !== 'excerpt' || strategy === STRATEGIES['formula'];
}

/**
 * What is wrong with the beginnings of a compaction: it is an answer though the conversation began with a prompt, or, of whole
 * messages, the last turn has lost the thinking that it began with. In excerpts a mark does for the prompt, which always fits.
 */
export function wrongBeginnings(messages: readonly Message[], result: Compaction, given: CompactOptions): string[] {
  const excused = (from: number, isRight: Beginning['isRight']): boolean =>
    keepsWhole(given) && isExcused({ from, isRight }, messages, result, given);
  const found: string[] = [];
  const roleOf = (list: readonly Message[]): string | undefined => list.find(({ role }) => role !== 'system')?.role;
  if (roleOf(messages) === 'user' && (roleOf(result.messages) ?? 'user') !== 'user') {
    if (!excused(0, opensTurn)) found.push('what is left begins with an answer');
  }
  const lost = keepsWhole(given) ? lostThinking(result.messages, messages) : [];
  const prompt = result.verdicts.findLastIndex(
    ({ choice }, at) => choice.action !== 'drop' && opensTurn(messages[at]!),
  );
  if (lost.length > 0 && !excused(prompt + 1, startsWithThinking)) found.push(...lost);
  return found;
}
