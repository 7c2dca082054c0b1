/**
 * A conversation as the text that a summariser reads. Secrets are masked first: nothing else of this folder sees the
 * messages themselves. Long results and inputs are shortened to their beginning and end; prose is not.
 */
import { stripMarks } from '../messages/marks.ts';
import { partsOf } from '../messages/parts.ts';
import { inputText, isOwnMark } from '../messages/search-text.ts';
import { shownText } from '../messages/shown.ts';
import { isSummary } from '../messages/typed.ts';
import type { Message, MessageView } from '../messages/types.ts';
import { toWellFormed } from '../messages/wellformed.ts';
import { maskSecrets } from '../redact/mask.ts';
import { readSummary } from './assemble.ts';
import { clipMiddle } from './clip.ts';
import { mediaLines } from './media.ts';

/** Characters that are left of one result or one call, about 1,500 tokens: what it was, and how it ended. */
const MAX_PART_CHARS = 6_000;
/** Terminal sequences, then control characters other than tab and line feed. */
const UNPRINTABLE =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /\u001b\[[0-9;?]{0,16}[ -/]?[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** The messages to summarise, as text. */
export interface SummarySource {
  /** One for each message that says anything, in order: role and text. */
  readonly pieces: readonly string[];
  /** All that a summary of them may name, nothing shortened. */
  readonly evidence: string;
  /** Names that earlier summaries among them hold without evidence. */
  readonly doubted: readonly string[];
  /** Secrets that were masked. */
  readonly masked: number;
}

const EARLIER = 'summary of what came before';

/** Text without secrets, control characters, lone surrogates and chitta's own marks; counts what it masks. */
export class Masker {
  masked = 0;

  clean(text: string): string {
    const plain = toWellFormed(stripMarks(text)).text.replaceAll('\r\n', '\n').replace(UNPRINTABLE, '');
    const { text: safe, masked } = maskSecrets(plain);
    this.masked += masked;
    return safe;
  }
}

/** A part of a message: whole, and as the summariser gets it. */
interface Section {
  readonly whole: string;
  readonly shown: string;
}

function sectionsOf(message: Message, view: MessageView, toolNames: Map<string, string>, masker: Masker): Section[] {
  const sections: Section[] = [];
  const add = (text: string, maxChars: number, title = ''): void => {
    const clean = masker.clean(text).trim();
    if (clean !== '') sections.push({ whole: clean, shown: title + clipMiddle(clean, maxChars) });
  };
  add(isSummary(message) ? readSummary(view.text).body : view.text, Infinity);
  for (const { id, name, input } of view.calls) {
    toolNames.set(id, name);
    add(shownText(`${name} ${inputText(input)}`, 'assistant'), MAX_PART_CHARS, '[tool call] ');
  }
  for (const { callId, text, isError } of view.results) {
    const name = toolNames.get(callId);
    const of = name === undefined || name === '' ? '' : ` of ${masker.clean(name)}`;
    add(text === '' ? '(no output)' : text, MAX_PART_CHARS, `[${isError ? 'error' : 'result'}${of}]\n`);
  }
  for (const line of mediaLines(message)) add(line, Infinity);
  return sections;
}

/** Texts inside calls as they are, without the backslashes that JSON puts into them. */
function leavesIn(message: Message): string[] {
  return partsOf(message).flatMap(({ kind, fields }) => (kind === 'call' ? fields.map(({ text }) => text) : []));
}

/** Reads the messages of these indices. Linear; never throws. */
export function sourceOf(
  messages: readonly Message[],
  views: readonly MessageView[],
  indices: readonly number[],
): SummarySource {
  const masker = new Masker();
  const quiet = new Masker();
  const toolNames = new Map<string, string>();
  const pieces: string[] = [];
  const evidence: string[] = [];
  const doubted: string[] = [];
  for (const index of indices) {
    const [message, view] = [messages[index], views[index]];
    if (message === undefined || view === undefined || isOwnMark(view)) continue;
    const sections = sectionsOf(message, view, toolNames, masker);
    if (sections.length === 0) continue;
    const isEarlier = isSummary(message);
    if (isEarlier) doubted.push(...readSummary(view.text).doubted);
    pieces.push([`[${isEarlier ? EARLIER : view.role}]`, ...sections.map(({ shown }) => shown)].join('\n'));
    for (const { whole } of sections) evidence.push(whole);
    for (const leaf of leavesIn(message)) evidence.push(quiet.clean(leaf));
  }
  return { pieces, evidence: evidence.join('\n'), doubted, masked: masker.masked };
}

/** The piece for a stored summary that stands for what is not in the other pieces. */
export function earlierPiece(summaryText: string): string {
  return `[${EARLIER}]\n${new Masker().clean(readSummary(summaryText).body)}`;
}
