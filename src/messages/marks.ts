/**
 * The one grammar of what chitta writes into a context, so that chitta never scores, archives, learns from or injects
 * its own text again.
 *
 *     [chitta:gap #a1b2c3d 12 messages, 3400 tokens let go]      a line mark: one line, alone on it
 *     [chitta:restored] … [/chitta:restored]                     a block: what stands between belongs to chitta
 *
 * A host may put a prefix before a block ("SessionStart hook success: "), so blocks are found anywhere in a line.
 */

const LINE_KINDS = ['gap', 'stub', 'cut'] as const;
const BLOCK_KINDS = ['guide', 'restored', 'recall', 'hot'] as const;

/** `gap`: messages or lines left out; `stub`: a call without its result; `cut`: the header of a shortened result. */
export type LineMarkKind = (typeof LINE_KINDS)[number];
/** `guide`: instructions to a summariser; `restored`: context given back after a compaction; `recall`: memories; `hot`: directives and charter. */
export type BlockKind = (typeof BLOCK_KINDS)[number];

const TAG = new RegExp(`\\[(/?chitta:(?:${BLOCK_KINDS.join('|')}))\\]`, 'g');

const LINE_MARK = new RegExp(`^\\[chitta:(?:${LINE_KINDS.join('|')})(?: [^\\]\\n]*)?\\]$`);

/** Text that may stand inside a mark: one line, no closing bracket. */
function inline(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(']', ')').trim();
}

/** One line mark: the handles that bring the rest back, then a short note for the reader. */
export function writeMark(kind: LineMarkKind, handles: readonly string[], note: string): string {
  const body = inline([...handles, note].join(' '));
  return body === '' ? `[chitta:${kind}]` : `[chitta:${kind} ${body}]`;
}

/** What begins a line without being a line feed, moves a cursor, or turns the order of what is read. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * A block of chitta's own text. Tags inside the body are defused, those of other kinds too: the block ends where it should,
 * and neither opens nor closes another one. Control characters become blanks, so that a quoted line is one line to every
 * reader. No longer than its tags and the body.
 */
export function writeBlock(kind: BlockKind, body: string): string {
  const plain = body.replaceAll('\r\n', '\n').replaceAll(UNSEEN, ' ').replaceAll(TAG, '($1)');
  return `[chitta:${kind}]\n${plain}\n[/chitta:${kind}]`;
}

/** Whether this line (spaces around it aside) is one of chitta's line marks. */
export function isMark(line: string): boolean {
  return LINE_MARK.test(line.trim());
}

/** Whether the text holds anything of chitta's; a quick look before the costlier `stripMarks`. */
export function hasMarks(text: string): boolean {
  return text.includes('[chitta:');
}

function withoutBlocks(text: string, kind: BlockKind): string {
  const open = `[chitta:${kind}]`;
  const close = `[/chitta:${kind}]`;
  let from = text.indexOf(open);
  if (from < 0) return text;
  let out = '';
  let done = 0;
  while (from >= 0) {
    const end = text.indexOf(close, from + open.length);
    // Without an end only the tag itself is chitta's: text behind it must not vanish.
    const next = end < 0 ? from + open.length : end + close.length;
    out += text.slice(done, from);
    done = next;
    if (end < 0) {
      return out + text.slice(done).replaceAll(open, '');
    }
    from = text.indexOf(open, next);
  }
  return out + text.slice(done);
}

/** The text without chitta's line marks and blocks. The same string if it holds none. Linear. */
export function stripMarks(text: string): string {
  if (!hasMarks(text)) return text;
  let rest = text;
  for (const kind of BLOCK_KINDS) rest = withoutBlocks(rest, kind);
  return rest
    .split('\n')
    .filter((line) => !isMark(line))
    .join('\n');
}
