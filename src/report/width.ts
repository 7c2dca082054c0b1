/** How many terminal columns a text takes, and cutting it to fit. */

/** Takes no column of its own: combining marks, joiners, variation selectors, skin tones. */
const ZERO_WIDTH = /^(?:\p{M}|\p{Emoji_Modifier}|[\u200b-\u200d\u2060])$/u;

/** First and last code points that take two columns, ascending: East Asian wide and full-width blocks, and pictographs. */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23ec],
  [0x2614, 0x2615],
  [0x26aa, 0x26ab],
  [0x26bd, 0x26be],
  [0x2705, 0x2705],
  [0x270a, 0x270b],
  [0x2728, 0x2728],
  [0x274c, 0x274c],
  [0x2753, 0x2755],
  [0x2757, 0x2757],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f7e0, 0x1f7eb],
  [0x1f900, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
];

function columnsOfCharacter(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (ZERO_WIDTH.test(character)) return 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** Columns of a one-line text without control characters. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += columnsOfCharacter(character);
  return columns;
}

/** `text` in at most `columns` columns; what was cut shows as `…`. Looks no further into the text than it must. */
export function fit(text: string, columns: number): string {
  if (columns <= 0) return '';
  let used = 0;
  let length = 0;
  /** Where to cut if the rest does not fit: one column is left for the mark. */
  let cut = 0;
  for (const character of text) {
    used += columnsOfCharacter(character);
    if (used > columns) return `${text.slice(0, cut)}…`;
    length += character.length;
    if (used < columns) cut = length;
  }
  return text;
}

/** `text` in exactly `columns` columns, cut or filled with spaces on the right. */
export function fill(text: string, columns: number): string {
  const fitted = fit(text, columns);
  return fitted + ' '.repeat(Math.max(0, columns - columnsOf(fitted)));
}

/** `text` in lines of at most `columns` columns, broken at spaces; a longer word is cut. */
export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of text.split(' ')) {
    const size = columnsOf(word);
    if (line !== '' && used + 1 + size > columns) {
      lines.push(line);
      line = '';
    }
    used = line === '' ? Math.min(size, columns) : used + 1 + size;
    line = line === '' ? fit(word, columns) : `${line} ${word}`;
  }
  return [...lines, line];
}
