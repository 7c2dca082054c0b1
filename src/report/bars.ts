/** A compaction drawn turn by turn: how large each message is, whether it stays, and the three terms of its score. */
import { COVERED_FROM } from '../compaction/formula.ts';
import type { Decision } from '../protocol/compact-result.ts';
import { grouped } from './totals.ts';
import { columnsOf, fill, fit } from './width.ts';

/** Where the picture goes. */
export interface Canvas {
  /** Columns; no line is longer. */
  readonly width: number;
  readonly paint: (look: 'bold' | 'dim' | 'green' | 'yellow', text: string) => string;
}

/** One message: the decision on it, and one line of its text without control characters. */
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

function fateOf({ action, coverage }: Decision): Fate {
  if (action === 'keep') return 'kept';
  if (action === 'drop') return coverage >= COVERED_FROM ? 'covered' : 'dropped';
  return action;
}

/** Below this width the three terms are drawn as one block each instead of as numbers. */
const NUMBERS_FROM_WIDTH = 72;
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

/** Two decimals in four columns; the formula's scores stay below 10. */
function decimals(value: number): string {
  return value.toFixed(2).slice(0, 4);
}

function termColumns(narrow: boolean): Column[] {
  if (narrow) {
    const cell = ({ decision: { recency, sim, coverage } }: Turn): string =>
      block(recency) + block(sim) + block(coverage);
    return [{ title: 'rsc', columns: 3, cell }];
  }
  return [
    { title: 'rec', columns: 4, cell: ({ decision }) => decimals(decision.recency) },
    { title: 'sim', columns: 4, cell: ({ decision }) => decimals(decision.sim) },
    { title: 'cov', columns: 4, cell: ({ decision }) => decimals(decision.coverage) },
  ];
}

function columnsFor(turns: readonly Turn[], width: number, explain: boolean): Column[] {
  let largest = 1;
  for (const { decision } of turns) largest = Math.max(largest, decision.tokens);
  const narrow = width < NUMBERS_FROM_WIDTH;
  const barColumns = narrow ? 8 : Math.min(24, 12 + Math.floor((width - NUMBERS_FROM_WIDTH) / 6));
  const bar: Column = {
    title: '',
    columns: barColumns,
    cell: ({ decision: { tokens } }, fate) => FATES[fate].cell.repeat(Math.ceil((tokens / largest) * barColumns)),
  };
  const why: Column[] = [
    { title: 'score', columns: 5, cell: ({ decision }) => decimals(decision.score) },
    { title: 'reason', columns: 13, cell: ({ decision }) => decision.reason },
    { title: 'handle', columns: 8, cell: ({ decision }) => decision.handle },
  ];
  return [
    { title: '#', columns: 4, align: 'right', cell: ({ decision }) => String(decision.index) },
    { title: 'role', columns: 9, cell: ({ decision }) => decision.role },
    { title: 'tokens', columns: 7, align: 'right', cell: ({ decision }) => grouped(decision.tokens) },
    { title: '', columns: 7, cell: (_, fate) => fate },
    ...(explain ? [] : [bar]),
    ...termColumns(narrow),
    ...(explain ? why : []),
  ];
}

function line(columns: readonly Column[], width: number, cells: readonly string[], rest: string): string {
  const parts = columns.map(({ columns: size, align }, index) => {
    const cell = cells[index] ?? '';
    return align === 'right' ? cell.padStart(size) : fill(cell, size);
  });
  const head = parts.join(' ');
  return fit(`${head} ${fit(rest, width - columnsOf(head) - 1)}`.trimEnd(), width);
}

/**
 * One line per turn under a heading; `explain` gives score, reason and handle in place of the bar. Plain text is told
 * apart by the word and the bar's texture, colour only repeats it.
 */
export function bars(turns: readonly Turn[], canvas: Canvas, explain = false): string {
  const { width, paint } = canvas;
  const columns = columnsFor(turns, width, explain);
  const heading = line(
    columns,
    width,
    columns.map(({ title }) => title),
    'text',
  );
  const lines = turns.map((turn) => {
    const fate = fateOf(turn.decision);
    return paint(
      FATES[fate].look,
      line(
        columns,
        width,
        columns.map(({ cell }) => cell(turn, fate)),
        turn.preview,
      ),
    );
  });
  return `${[paint('bold', heading), ...lines].join('\n')}\n`;
}
