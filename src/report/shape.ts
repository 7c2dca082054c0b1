/** The report of the guard for people: how the window is divided, and what each stage took. */
import type { ShapeReport } from '../shaping/shape.ts';
import { grouped } from './totals.ts';

function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** What was wrong with round trips, a line each; nothing if they are whole. */
export function roundTripLines({ answered, moved, orphans, dropped, left }: ShapeReport['roundTrips']): string[] {
  const lines: [list: readonly unknown[], one: string, many: string][] = [
    [answered, 'call without a result was answered', 'calls without a result were answered'],
    [moved, 'result was put behind its call', 'results were put behind their calls'],
    [orphans, 'result without a call stays', 'results without a call stay'],
    [dropped, 'result without a call went', 'results without a call went'],
    [left, 'call is left without a result', 'calls are left without a result'],
  ];
  return lines.flatMap(([list, one, many]) => (list.length === 0 ? [] : [counted(list.length, one, many)]));
}

/** The whole report, a line each. */
export function shapeLines(report: ShapeReport): string[] {
  const { window, headroom, response, base, prompt, budget, before, after, messages, stages, over } = report;
  const parts = `headroom ${grouped(headroom)} + answer ${grouped(response)} + base ${grouped(base)} + prompt ${grouped(prompt)} + history ${grouped(budget)}`;
  const name = Math.max(...stages.map((stage) => stage.name.length), 0);
  return [
    `window ${grouped(window)} = ${parts}`,
    `history: ${grouped(before)} → ${grouped(after)} tokens, ${grouped(messages.before)} → ${counted(messages.after, 'message')} in all`,
    ...stages.map((stage) => {
      return `  ${stage.name.padEnd(name)}  ${grouped(stage.tokens)} tokens of ${counted(stage.messages, 'message')}`;
    }),
    ...roundTripLines(report.roundTrips),
    ...(over ? [] : [stages.length === 0 ? 'it fits as it came' : 'it fits']),
  ];
}
