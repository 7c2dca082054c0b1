/** A picture of a terminal's screen: SVG of its characters, each run of one colour at its columns. */

/** Of a character, and of the margin around all, in pixels. */
const CELL = { width: 8.4, height: 18 } as const;
const MARGIN = 14;
const FONT_SIZE = 14;
const FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const INK = '#d4d4d4';
const PAPER = '#1e1e1e';
/** The sixteen colours that have numbers, in their order. */
const DARK = ['#000000', '#cd3131', '#0dbc79', '#e5e510', '#2472c8', '#bc3fbc', '#11a8cd', '#e5e5e5'];
const BRIGHT = ['#666666', '#f14c4c', '#23d18b', '#f5f543', '#3b8eea', '#d670d6', '#29b8db', '#ffffff'];
const NAMED = [...DARK, ...BRIGHT];
/** Steps of the colour cube, which begins behind the sixteen; behind it are greys. */
const CUBE = [0, 95, 135, 175, 215, 255];

interface Look {
  readonly ink?: string;
  readonly paper?: string;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underlined?: boolean;
  readonly inverse?: boolean;
}

interface Run extends Look {
  readonly column: number;
  readonly text: string;
}

const hex = (...parts: readonly number[]): string =>
  `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

function numbered(number: number): string {
  const named = NAMED[number];
  if (named !== undefined) return named;
  if (number >= 232) return hex(...[0, 1, 2].map(() => 8 + (number - 232) * 10));
  const at = number - 16;
  return hex(...[Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => CUBE[step] ?? 0));
}

/** The look behind an escape sequence that changes it, given by its numbers. */
function lookAfter(look: Look, numbers: readonly number[]): Look {
  let now: Look = look;
  const rest = [...numbers];
  const colour = (): string => {
    const isRgb = rest.shift() === 2;
    const [first = 0, ...others] = rest.splice(0, isRgb ? 3 : 1);
    return isRgb ? hex(first, ...others) : numbered(first);
  };
  while (rest.length > 0) {
    const code = rest.shift() ?? 0;
    if (code === 0) now = {};
    else if (code === 1) now = { ...now, bold: true };
    else if (code === 2) now = { ...now, dim: true };
    else if (code === 3) now = { ...now, italic: true };
    else if (code === 4) now = { ...now, underlined: true };
    else if (code === 7) now = { ...now, inverse: true };
    else if (code === 22) now = { ...now, bold: false, dim: false };
    else if (code === 23) now = { ...now, italic: false };
    else if (code === 24) now = { ...now, underlined: false };
    else if (code === 27) now = { ...now, inverse: false };
    else if (code === 38) now = { ...now, ink: colour() };
    else if (code === 48) now = { ...now, paper: colour() };
    else if (code === 39) now = { ...now, ink: INK };
    else if (code === 49) now = { ...now, paper: PAPER };
    else if (code >= 30 && code <= 37) now = { ...now, ink: numbered(code - 30) };
    else if (code >= 90 && code <= 97) now = { ...now, ink: numbered(code - 90 + 8) };
    else if (code >= 40 && code <= 47) now = { ...now, paper: numbered(code - 40) };
    else if (code >= 100 && code <= 107) now = { ...now, paper: numbered(code - 100 + 8) };
  }
  return now;
}

/** Lines of a screen as runs of one look; a look goes on in the next line, as it does in a terminal. */
function runsOf(screen: string): Run[][] {
  let look: Look = {};
  return screen.split('\n').map((line) => {
    const runs: Run[] = [];
    let column = 0;
    // oxlint-disable-next-line no-control-regex -- escape sequences begin with one
    for (const piece of line.split(/(\u001b\[[\d;]*m)/)) {
      if (piece.startsWith('\u001b[')) look = lookAfter(look, piece.slice(2, -1).split(';').map(Number));
      else if (piece !== '') {
        runs.push({ ...look, column, text: piece });
        column += [...piece].length;
      }
    }
    return runs;
  });
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const pixels = (value: number): string => String(Math.round(value * 10) / 10);

function drawn(run: Run, row: number): string {
  const [own, behind] = [run.ink ?? INK, run.paper ?? PAPER];
  const [ink, paper] = run.inverse === true ? [behind, own] : [own, behind];
  const [x, width] = [MARGIN + run.column * CELL.width, [...run.text].length * CELL.width].map(pixels);
  const top = MARGIN + row * CELL.height;
  const box = `<rect x="${x}" y="${pixels(top)}" width="${width}" height="${CELL.height}" fill="${paper}"/>`;
  const style = [
    run.bold === true ? ' font-weight="bold"' : '',
    run.italic === true ? ' font-style="italic"' : '',
    run.underlined === true ? ' text-decoration="underline"' : '',
    run.dim === true ? ' opacity="0.6"' : '',
  ].join('');
  const at = `x="${x}" y="${pixels(top + FONT_SIZE)}" textLength="${width}" fill="${ink}"${style}`;
  // Spaces that count: XML would join them.
  const glyphs = `<text ${at}>${escaped(run.text).replaceAll(' ', '\u00a0')}</text>`;
  return (paper === PAPER ? '' : box) + (run.text.trim() === '' ? '' : glyphs);
}

/** Draws a screen, given as lines with the escape sequences of their colours; every character is one column wide. */
export function pictureOf(screen: string, columns: number, title: string): string {
  const lines = runsOf(screen.trimEnd());
  const [width, height] = [columns * CELL.width + 2 * MARGIN, lines.length * CELL.height + 2 * MARGIN].map(pixels);
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONTS}" font-size="${FONT_SIZE}">`;
  const body = lines.flatMap((runs, row) => runs.map((run) => drawn(run, row))).filter((line) => line !== '');
  const paper = `<rect width="100%" height="100%" rx="8" fill="${PAPER}"/>`;
  return `${[head, `<title>${escaped(title)}</title>`, paper, ...body, '</svg>'].join('\n')}\n`;
}
