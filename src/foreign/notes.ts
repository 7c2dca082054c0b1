/** Notes in Markdown, taken apart: each item of a list and each paragraph by itself. Pure; linear. */

export interface Note {
  /** Number of its first line, from 1. */
  readonly line: number;
  /** As it is written, behind the heading that it stands under. */
  readonly text: string;
}

/** What says less is no note. */
const MIN_CHARS = 8;
/** A paragraph of at most so many characters that ends in a colon leads into the list behind it. */
const MAX_LEAD = 100;
const HEADING = /^ {0,3}(#{1,6})\s+(.+)$/;
const ITEM = /^( {0,3})(?:[-*+]|\d{1,9}[.)])\s+(.*)$/;
/** An item so far in belongs to the one that it stands under. */
const NESTED = 2;
const FENCE = /^\s*(?:```|~~~)/;
const RULE = /^ {0,3}(?:[-*_]\s*){3,}$/;
/** Another file that the host loads in this place. */
const IMPORT = /^@\S+$/;

interface Block {
  readonly line: number;
  readonly isItem: boolean;
  readonly lines: string[];
}

function bodyStart(lines: readonly string[]): number {
  if (lines[0]?.trim() !== '---') return 0;
  const end = lines.findIndex((line, index) => index > 0 && line.trim() === '---');
  return end < 0 ? 0 : end + 1;
}

/** The notes of a file, in order. Headings of the second level and below stand before what is under them. */
export function notesIn(file: string): Note[] {
  const lines = file.replace(/^\uFEFF/, '').split(/\r?\n/);
  const notes: Note[] = [];
  let heading = '';
  let lead = '';
  let block: Block | undefined;
  let inFence = false;
  let inComment = false;
  let afterBlank = false;

  const end = (): void => {
    const text = (block?.lines ?? []).join('\n').trim();
    const done = block;
    block = undefined;
    if (done === undefined || text === '') return;
    if (!done.isItem && text.endsWith(':') && text.length <= MAX_LEAD) {
      lead = text;
      return;
    }
    const before = [heading === '' ? '' : `${heading}:`, done.isItem ? lead : ''].filter((part) => part !== '');
    if (text.length >= MIN_CHARS) notes.push({ line: done.line, text: [...before, text].join(' ') });
    if (!done.isItem) lead = '';
  };
  const begin = (line: number, isItem: boolean, first: string): void => {
    end();
    block = { line, isItem, lines: [first] };
  };

  for (let at = bodyStart(lines); at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (FENCE.test(line) || inFence) {
      // Code belongs to what it stands under; alone it says nothing.
      block?.lines.push(line);
      if (FENCE.test(line)) inFence = !inFence;
      afterBlank = false;
      continue;
    }
    if (inComment || line.trimStart().startsWith('<!--')) {
      inComment = !line.includes('-->');
      continue;
    }
    if (line.trim() === '') {
      afterBlank = true;
      continue;
    }
    const [, marks, title] = HEADING.exec(line) ?? [];
    const [, indent = '', item] = ITEM.exec(line) ?? [];
    const isNested = block?.isItem === true && indent.length >= NESTED;
    if (marks !== undefined && title !== undefined) {
      end();
      lead = '';
      heading = marks.length === 1 ? '' : title.replace(/\s#+\s*$/, '').trim();
    } else if (RULE.test(line) || IMPORT.test(line.trim())) end();
    else if (item !== undefined && !isNested) begin(at + 1, true, item);
    else if (block?.isItem && /^\s/.test(line)) block.lines.push(line.trim());
    else if (block !== undefined && !afterBlank) block.lines.push(line.trim());
    else begin(at + 1, false, line.trim());
    afterBlank = false;
  }
  end();
  return notes;
}
