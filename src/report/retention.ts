/** An evaluation as a table: one block for each budget, one line for each method. */
import type { Estimate } from '../evaluation/statistics.ts';
import type { Measure, MethodSummary } from '../evaluation/tally.ts';

/** Where the table goes. */
interface Canvas {
  readonly paint: (look: 'bold' | 'dim', text: string) => string;
}

const percent = (share: number, digits = 0): string => (share * 100).toFixed(digits);

const signed = (share: number, digits: number): string => {
  const text = percent(share, digits);
  return share > 0 && Number(text) !== 0 ? `+${text}` : text;
};

function withInterval(estimate: Estimate | undefined): string {
  if (estimate === undefined) return '–';
  const { mean, low, high } = estimate;
  return `${percent(mean, 1)} [${percent(low)}–${percent(high)}]`;
}

/** The interval of a difference is worth a digit: whether it holds 0 is what one looks for. */
function difference(estimate: Estimate | undefined): string {
  if (estimate === undefined) return '';
  const { mean, low, high } = estimate;
  return `${signed(mean, 1)} [${signed(low, 1)} ${signed(high, 1)}]`;
}

const COLUMNS: readonly (readonly [title: string, cell: (summary: MethodSummary) => string])[] = [
  ['composite', ({ measures }) => withInterval(measures.composite)],
  ['against keep-last', (summary) => difference(summary.difference)],
  ['ids', ({ measures }) => plain(measures, 'ids')],
  ['edits', ({ measures }) => plain(measures, 'editLines')],
  ['whole', ({ measures }) => plain(measures, 'editsWhole')],
  ['rules', ({ measures }) => plain(measures, 'constraints')],
  ['reach', ({ measures }) => `${plain(measures, 'idsInReach')}/${plain(measures, 'editLinesInReach')}`],
  ['ms', ({ msPer100kTokens }) => msPer100kTokens.toFixed(0)],
];

function plain(measures: MethodSummary['measures'], measure: Measure): string {
  const estimate = measures[measure];
  return estimate === undefined ? '–' : percent(estimate.mean);
}

/** What went wrong with outputs; everything they held counted as lost. */
function faults({ invalid, overBudget }: MethodSummary): string {
  const parts = [
    ...(invalid > 0 ? [`${invalid} invalid`] : []),
    ...(overBudget > 0 ? [`${overBudget} too large`] : []),
  ];
  return parts.length === 0 ? '' : `  ${parts.join(', ')}`;
}

/** One block for each ratio, methods in their order. */
export function retentionTable(summaries: readonly MethodSummary[], { paint }: Canvas): string {
  const ratios = [...new Set(summaries.map(({ ratio }) => ratio))];
  const cells = summaries.map((summary) => COLUMNS.map(([, cell]) => cell(summary)));
  const widths = COLUMNS.map(([title], column) => {
    return cells.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), title.length);
  });
  const names = summaries.reduce((widest, { method }) => Math.max(widest, method.length), 'budget 100 %'.length);
  const line = (first: string, rest: readonly string[]): string =>
    [first.padEnd(names), ...rest.map((cell, column) => cell.padStart(widths[column] ?? 0))].join('  ').trimEnd();
  const titles = COLUMNS.map(([title]) => title);
  return ratios
    .map((ratio) => {
      const lines = summaries.flatMap((summary, index) =>
        summary.ratio === ratio ? [`${line(summary.method, cells[index] ?? [])}${faults(summary)}`] : [],
      );
      const heading = paint('bold', line(`budget ${percent(ratio)} %`, titles));
      return `${[heading, ...lines].join('\n')}\n`;
    })
    .join('\n');
}

/** What the columns are. */
export const RETENTION_LEGEND: string =
  'Percent of what the agent itself needed later, 95 % intervals over transcripts. ids: identifiers; edits, whole: lines\n' +
  'of later edits, and edits kept in one piece; rules: what the user asked for; reach: ids and edit lines kept or named by\n' +
  'what brings them back; ms: for 100,000 tokens.\n';
