/** Lines of a text, and hunks: runs of lines that stay or go together. */

/** Longer lines are cut into pieces: minified code, logs, data in one line. */
const LONG_LINE = 1_200;
const PIECE = 600;

/** Line numbers as file readers print them. */
const NUMBERED = /^\s*\d+(?:→|\t)/;
const ZERO = 48;
const NINE = 57;

/** A line as it is compared: without a line number in front, and without the blanks around it. */
export function keyOf(line: string): string {
  const key = line.trimStart();
  const first = key.charCodeAt(0);
  return (first >= ZERO && first <= NINE ? key.replace(NUMBERED, '') : key).trim();
}

/** Where to cut a piece off a long line: behind a blank if there is one, never inside a character. */
function cutAt(line: string): number {
  const blank = line.lastIndexOf(' ', PIECE - 1) + 1;
  if (blank > PIECE / 2) return blank;
  const last = line.charCodeAt(PIECE - 1);
  return last >= 0xd800 && last < 0xdc00 ? PIECE - 1 : PIECE;
}

/** The lines of a text; those of more than 1,200 characters in pieces of at most 600. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  if (text.length <= LONG_LINE || lines.every((line) => line.length <= LONG_LINE)) return lines;
  const out: string[] = [];
  for (const line of lines) {
    let rest = line;
    if (line.length > LONG_LINE) {
      while (rest.length > PIECE) {
        const at = cutAt(rest);
        out.push(rest.slice(0, at));
        rest = rest.slice(at);
      }
    }
    out.push(rest);
  }
  return out;
}

/** For each of `linesOf` the line of the text, from 0, that it is or is a piece of. */
export function numbersOf(text: string): readonly number[] {
  return text.split('\n').flatMap((line, number) => linesOf(line).map(() => number));
}

/**
 * Cuts lines into hunks of about `size`, first and last line from 0: a hunk ends early at an empty line once half full. Many
 * empty lines in a row are one hunk.
 */
export function hunksOf(keys: readonly string[], size: number): (readonly [first: number, last: number])[] {
  const hunks: (readonly [number, number])[] = [];
  let first = 0;
  let isEmpty = true;
  const isFull = (length: number, key: string): boolean =>
    length >= size || (key === '' && length > 1 && length * 2 >= size);
  const end = (last: number): void => {
    hunks.push([first, last]);
    first = last + 1;
    isEmpty = true;
  };
  keys.forEach((key, index) => {
    if (key !== '' && isEmpty && isFull(index - first, '')) end(index - 1);
    isEmpty &&= key === '';
    if (!isEmpty && isFull(index - first + 1, key)) end(index);
  });
  if (first < keys.length) end(keys.length - 1);
  return hunks;
}
