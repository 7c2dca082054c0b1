/** A compaction drawn turn by turn: how large each message is, what becomes of it, and why. */
import { COVERED_FROM } from '../compaction/formula.ts';
import type { Decision } from '../protocol/compact-result.ts';
import { detailsOf, REASON_COLUMNS, REASON_WORDS } from './reasons.ts';
import { grouped } from './totals.ts';
import { columnsOf, fill, fit, wrap } from './width.ts';

/** Where the picture goes. */
export interface Canvas {
  /** Columns; no line is longer. */
  readonly width: number;
  readonly paint: (look: 'bold' | 'dim' | 'green' | 'yellow', text: string) => string;
}

/** What the picture shows. */
export interface Shown {
  /** Reason, handle and details in place of the bar. */
  readonly explain: boolean;
  /** The formula has terms to show; other strategies only a score. */
  readonly strategy: string;
}

/** One message: the decision on it, and one line of its text. All texts are without control characters. */
export interface Turn {
  readonly decision: Decision;
  readonly preview: string;
}

const FATES = {
  kept: { cell: '█', look: 'green' },
  excerpt: { cell: '▓', look: 'green' },
  stub: { cell: '▒', look: 'yellow' },
  covered: { cell: '▒', look: 'yellow' },
  dropped: { cell: '░', look: 'dim' },
} as const;

type Fate = keyof typeof FATES;

function fateOf({ action, coverage, reason }: Decision): Fate {
  if (action === 'keep') return 'kept';
  if (action === 'drop') return reason === 'covered' || coverage >= COVERED_FROM ? 'covered' : 'dropped';
  return action;
}

/** Below this width terms are drawn as one block each instead of as numbers, and reasons stand on a line of their own. */
const WIDE_FROM = 72;
/** The terms and the reason of the formula side by side need more. */
const WIDE_TERMS_FROM = 80;
/** Where the second line of a turn begins, if there is room for it. */
const DETAIL_INDENT = 5;
const INDENT_FROM_WIDTH = 30;
const BLOCKS = '▁▂▃▄▅▆▇█';

interface Column {
  readonly title: string;
  readonly columns: number;
  readonly align?: 'right';
  readonly cell: (turn: Turn, fate: Fate) => string;
}

function block(share: number): string {
  return BLOCKS[Math.min(BLOCKS.length - 1, Math.max(0, Math.floor(share * BLOCKS.length)))] ?? ' ';
}

/** Four columns. */
function decimals(value: number): string {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}

const TERMS: readonly Column[] = [
  { title: 'rec', columns: 4, cell: ({ decision }) => decimals(decision.recency) },
  { title: 'sim', columns: 4, cell: ({ decision }) => decimals(decision.sim) },
  { title: 'cov', columns: 4, cell: ({ decision }) => decimals(decision.coverage) },
];
const TERM_BLOCKS: Column = {
  title: 'rsc',
  columns: 3,
  cell: ({ decision: { recency, sim, coverage } }) => block(recency) + block(sim) + block(coverage),
};
const SCORE: Column = { title: 'score', columns: 5, cell: ({ decision }) => decimals(decision.score) };
const WHY: Column = { title: 'why', columns: REASON_COLUMNS, cell: ({ decision }) => REASON_WORDS[decision.reason] };
const HANDLE: Column = { title: 'handle', columns: 8, cell: ({ decision }) => decision.handle };
const HEAD: readonly Column[] = [
  { title: '#', columns: 4, align: 'right', cell: ({ decision }) => String(decision.index) },
  { title: 'role', columns: 9, cell: ({ decision }) => decision.role },
  { title: 'tokens', columns: 7, align: 'right', cell: ({ decision }) => grouped(decision.tokens) },
  { title: '', columns: 7, cell: (_, fate) => fate },
];

function barColumn(turns: readonly Turn[], barColumns: number): Column {
  let largest = 1;
  for (const { decision } of turns) largest = Math.max(largest, decision.tokens);
  return {
    title: '',
    columns: barColumns,
    cell: ({ decision: { tokens } }, fate) => FATES[fate].cell.repeat(Math.ceil((tokens / largest) * barColumns)),
  };
}

function isNarrow(width: number, { explain, strategy }: Shown): boolean {
  return width < (explain && strategy === 'formula' ? WIDE_TERMS_FROM : WIDE_FROM);
}

function columnsFor(turns: readonly Turn[], width: number, shown: Shown): readonly Column[] {
  const hasTerms = shown.strategy === 'formula';
  const narrow = isNarrow(width, shown);
  if (shown.explain) {
    if (narrow) return [...HEAD, HANDLE, ...(hasTerms ? [TERM_BLOCKS] : [])];
    return [...HEAD, ...(hasTerms ? TERMS : []), SCORE, WHY, HANDLE];
  }
  const bar = barColumn(turns, narrow ? 8 : Math.min(24, 12 + Math.floor((width - WIDE_FROM) / 6)));
  if (hasTerms) return [...HEAD, bar, ...(narrow ? [TERM_BLOCKS] : TERMS)];
  return [...HEAD, bar, SCORE];
}

function line(columns: readonly Column[], width: number, cells: readonly string[], rest: string): string {
  const parts = columns.map(({ columns: size, align }, index) => {
    const cell = cells[index] ?? '';
    return align === 'right' ? cell.padStart(size) : fill(cell, size);
  });
  const head = parts.join(' ');
  return fit(`${head} ${fit(rest, width - columnsOf(head) - 1)}`.trimEnd(), width);
}

/** What there is to say of a turn beyond its line. */
function detailLines({ decision }: Turn, width: number, shown: Shown): readonly string[] {
  if (!shown.explain) return [];
  const why = isNarrow(width, shown) ? [REASON_WORDS[decision.reason]] : [];
  const indent = width < INDENT_FROM_WIDTH ? 0 : DETAIL_INDENT;
  const text = [...why, ...detailsOf(decision)].join(' · ');
  return text === '' ? [] : wrap(text, width - indent).map((part) => ' '.repeat(indent) + part);
}

/**
 * One line per turn under a heading; with `explain` the reason and the handle in it, and below it which lines are left and the
 * names that decided. Plain text is told apart by the word and the bar's texture, colour only repeats it.
 */
export function bars(turns: readonly Turn[], { width, paint }: Canvas, shown: Shown): string {
  const columns = columnsFor(turns, width, shown);
  const titles = columns.map(({ title }) => title);
  const lines = turns.flatMap((turn) => {
    const fate = fateOf(turn.decision);
    const cells = columns.map(({ cell }) => cell(turn, fate));
    return [
      paint(FATES[fate].look, line(columns, width, cells, turn.preview)),
      ...detailLines(turn, width, shown).map((text) => paint('dim', text)),
    ];
  });
  return `${[paint('bold', line(columns, width, titles, 'text')), ...lines].join('\n')}\n`;
}
