/** Lists for people: one line each, however long the text. */
import { fit } from '../report/width.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import type { Style } from '../terminal/style.ts';

/** More is never shown on a line; what follows is not looked at. */
const MAX_LENGTH = 1_000;

export interface ListRow {
  /** Never cut. Made of what is safe for a terminal. */
  readonly head: string;
  readonly text: string;
}

export interface Listing {
  readonly lines: string;
  /** Whether any text was cut. */
  readonly cut: boolean;
}

/** One line per row, as wide as the terminal, or 80 columns where there is none. */
export function listingOf(rows: readonly ListRow[], style: Style): Listing {
  let lines = '';
  let cut = false;
  for (const { head, text } of rows) {
    const line = sanitizeLine(text.slice(0, MAX_LENGTH).toWellFormed()).trim();
    const fitted = fit(line, style.width - head.length);
    cut ||= fitted !== line || text.length > MAX_LENGTH;
    lines += `${style.paint('dim', head)}${fitted}\n`;
  }
  return { lines, cut };
}
