/**
 * Results of tools as a model reads them: bounded, since they stand in its context from then on, with what was cut said and how to
 * get the rest; and masked.
 */
import { maskSecrets } from '../redact/mask.ts';
import type { FoundPassages } from './search.ts';

type Json = Record<string, unknown>;

/** Characters of one hit, of a turn that was asked for (some 10,000 tokens; hosts refuse more than 25,000), and of one beside it. */
const HIT_CHARS = 1_000;
const SHOWN_CHARS = 40_000;
const BESIDE_CHARS = 4_000;
/** Of the longest lists of a compaction, the beginning. */
const MAX_LISTED = 60;

/** The beginning, up to a line end if there is one near; undefined if the text is no longer than that. */
function beginning(text: string, maxChars: number): string | undefined {
  if (text.length <= maxChars) return undefined;
  const lineEnd = text.lastIndexOf('\n', maxChars);
  return text.slice(0, lineEnd > maxChars / 2 ? lineEnd : maxChars).toWellFormed();
}

function clipped(row: Json, maxChars: number): Json {
  const text = String(row['text'] ?? '');
  const start = beginning(text, maxChars);
  return start === undefined ? row : { ...row, text: start, cut_chars: text.length - start.length };
}

/** What was recalled: each text its beginning, the whole by `show`. */
export function foundForModel({ found, ...rest }: Json): Json {
  return { ...rest, found: rowsOf(found).map((row) => clipped(row, HIT_CHARS)) };
}

/** A turn that was searched for: which lines, and what they say. */
export function turnForModel({ turn, totalLines, passages, more }: FoundPassages): Json {
  const { handle, role, session, archivedMs } = turn;
  const row = {
    handle,
    role,
    session: session ?? null,
    archived: new Date(archivedMs).toISOString(),
    total_lines: totalLines,
    lines: passages.map(({ first, last }) => `${first}-${last}`),
    more_lines: more,
    text: passages.map(({ text }) => text).join('\n…\n'),
  };
  return clipped(row, HIT_CHARS);
}

/** A text that was asked for. Where it is cut, `next_lines` asks for what comes behind. */
export function textForModel({ passages, ...whole }: Json): Json {
  const ranges = rowsOf(passages).map(({ first, last }) => ({ first: Number(first), last: Number(last) }));
  const shown = clipped(whole, SHOWN_CHARS);
  const [only] = ranges;
  const isCut = shown['cut_chars'] !== undefined && ranges.length === 1 && only !== undefined;
  const next = isCut ? only.first + String(shown['text']).split('\n').length : undefined;
  return {
    ...shown,
    lines: ranges.map(({ first, last }) => `${first}-${last}`),
    // A single line that is too long has nothing behind it.
    ...(next !== undefined && next <= (only?.last ?? 0) ? { next_lines: `${next}-${only?.last}` } : {}),
  };
}

/** A turn that was asked for, with those beside it. */
export function shownForModel({ before, after, ...turn }: Json): Json {
  return {
    ...textForModel(turn),
    before: rowsOf(before).map((row) => clipped(row, BESIDE_CHARS)),
    after: rowsOf(after).map((row) => clipped(row, BESIDE_CHARS)),
  };
}

/** A compaction: of what was dropped and lost, the beginning of each list. */
export function whyForModel(why: Json): Json {
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.slice(0, MAX_LISTED).map(walk);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, walk(child)]));
  };
  return Object.fromEntries(Object.entries(why).map(([key, child]) => [key, walk(child)]));
}

/** Every text in it masked: what came from a transcript was not, and what was stored long ago was by the rules of then. */
export function maskedJson(value: Json): Json {
  const walk = (node: unknown): unknown => {
    if (typeof node === 'string') return maskSecrets(node).text;
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, walk(child)]));
  };
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, walk(child)]));
}

function rowsOf(value: unknown): Json[] {
  // Rows that memory-json made.
  return Array.isArray(value) ? (value as Json[]) : [];
}
