/** A turn as `chitta show` prints it: its text, in which a call with long inputs stands line by line. Pure; linear. */
import { hasMarks } from './marks.ts';
import { isObject, type Part, partsOf } from './parts.ts';
import { inputText } from './search-text.ts';
import type { Message, MessageView } from './types.ts';

/** A call whose input is longer, or has lines of its own, is laid out. */
const MAX_INLINE_CHARS = 600;
/** Name of a tool, then its input as JSON, as they stand in the text of a turn. */
const CALL = /^[\w.:-]{1,128} (?=[{[])/;

/** Of a longer way to a leaf, the end: else each leaf of a deep input would repeat all the keys above it. */
const MAX_PATH_CHARS = 120;

/** The way to a leaf, on one line. */
function below(path: string, key: string): string {
  const whole = `${path}${path === '' ? '' : '.'}${key}`;
  const end = whole.length > MAX_PATH_CHARS ? `…${whole.slice(1 - MAX_PATH_CHARS)}` : whole;
  return end.toWellFormed().replaceAll(/\s/g, ' ');
}

/** A call laid out: its lines, and in which of them (from 0) each text of its input begins. */
interface LaidOut {
  readonly lines: readonly string[];
  readonly starts: readonly number[];
}

function isLong(json: string): boolean {
  return json.length > MAX_INLINE_CHARS || json.includes('\\n');
}

/** `key: value` for each leaf; a text of several lines stands on lines of its own below its key. */
function layOut(name: string, input: unknown): LaidOut {
  const lines = [name];
  const starts: number[] = [];
  const walk = (node: unknown, path: string): void => {
    if (typeof node === 'string') {
      const own = node.split('\n');
      const isInline = own.length === 1;
      starts.push(lines.length + (isInline ? 0 : 1));
      if (isInline) lines.push(`${path}: ${node}`);
      else {
        lines.push(`${path}:`);
        for (const line of own) lines.push(line);
      }
    } else if (isObject(node) && Object.keys(node).length > 0) {
      for (const [key, child] of Object.entries(node)) walk(child, below(path, key));
    } else lines.push(`${path}: ${inputText(node)}`);
  };
  walk(input, '');
  return { lines, starts };
}

function laidOutCall(line: string): LaidOut | undefined {
  const name = CALL.exec(line)?.[0];
  const json = name === undefined ? '' : line.slice(name.length);
  if (name === undefined || !isLong(json)) return undefined;
  try {
    return layOut(name.trimEnd(), JSON.parse(json));
  } catch {
    // Something that only looks like a call, or one that masking or nesting made unreadable: it stays as it is.
    return undefined;
  }
}

/** The text of a turn, from an archive or a transcript, as it is shown. Only an assistant's turn holds calls. */
export function shownText(text: string, role: string): string {
  if (role !== 'assistant') return text;
  return text
    .split('\n')
    .map((line) => laidOutCall(line)?.lines.join('\n') ?? line)
    .join('\n');
}

/** Where the texts of a message stand in what is shown of it. */
export interface ShownPlaces {
  /** By part and field: line from 0; undefined for what is not shown. */
  readonly starts: readonly (readonly (number | undefined)[])[];
  readonly totalLines: number;
}

function linesIn(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Places of a message's texts; undefined where marks of chitta's own, which are not shown, would shift them. */
export function shownPlaces(message: Message, view: MessageView): ShownPlaces | undefined {
  if (hasMarks(view.text) || view.results.some(({ text }) => hasMarks(text))) return undefined;
  const parts = partsOf(message);
  const starts = parts.map(({ fields }): (number | undefined)[] => fields.map(() => undefined));
  let at = 0;
  const place = (kind: Part['kind'], put: (part: Part, own: (number | undefined)[]) => void): void =>
    parts.forEach((part, index) => part.kind === kind && put(part, starts[index]!));
  const putTexts = ({ fields }: Part, own: (number | undefined)[]): void => {
    fields.forEach(({ text }, field) => {
      own[field] = at;
      at += linesIn(text);
    });
    // A result of images alone is an empty line.
    if (fields.length === 0) at += 1;
  };
  if (view.text !== '') place('text', putTexts);
  let call = 0;
  place('call', (_, own) => {
    const { name, input } = view.calls[call++] ?? { name: '', input: {} };
    const line = `${name} ${inputText(input)}`;
    const laidOut = view.role === 'assistant' ? laidOutCall(line) : undefined;
    own.forEach((__, field) => (own[field] = at + (laidOut?.starts[field] ?? 0)));
    at += laidOut?.lines.length ?? linesIn(line);
  });
  place('result', putTexts);
  return { starts, totalLines: at };
}
