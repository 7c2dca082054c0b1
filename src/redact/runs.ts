/** Ends of values. */

/** The kinds of value, by where they stand; each ends at the characters that none of its kind has. */
type RunKind =
  | 'env'
  | 'item'
  | 'element'
  | 'field'
  | 'connection'
  | 'option'
  | 'open'
  | 'cookie'
  | 'set-cookie'
  | 'credential';

const STOP: Readonly<Record<RunKind, RegExp>> = {
  env: /[\s"'`]|\\[nrt"'\n]/g,
  element: /[<\n]/g,
  field: /[\s"'`,;&|)}\]><\\]/g,
  item: /[\s"'`,\]]/g,
  connection: /[;"'`\n]/g,
  option: /[\s"'`,;&|)}\]><\\]/g,
  open: /[\s"'`\\]/g,
  cookie: /[\n\r"'`\\]/g,
  'set-cookie': /[\n\r"'`\\;]/g,
  credential: /[\s"'`\\,)}]/g,
};

/** Those that are found in shell scripts, where a value may be continued on the next line. */
const JOINED: ReadonlySet<RunKind> = new Set(['env', 'option', 'credential', 'open']);

/** Where the run of value characters that begins at `start` ends. */
export type RunEnd = (start: number, stop: RunKind) => number;

/** Remembers the last run of each kind: many names inside one long run do not each walk to its end. */
export function runsOf(text: string): RunEnd {
  const last = new Map<RunKind, { from: number; to: number }>();
  return (start, stop) => {
    const known = last.get(stop);
    if (known !== undefined && start >= known.from && start <= known.to) return known.to;
    const pattern = STOP[stop];
    pattern.lastIndex = start;
    let to = pattern.exec(text)?.index ?? text.length;
    // A shell goes on behind a line end that is escaped.
    while (JOINED.has(stop) && text[to] === '\\' && text[to + 1] === '\n') {
      pattern.lastIndex = to + 2;
      to = pattern.exec(text)?.index ?? text.length;
    }
    last.set(stop, { from: start, to });
    return to;
  };
}
