/** What a stream can show: colour and width, decided per stream and never for the other one. */
import { styleText } from 'node:util';
import type { Env } from '../platform/env.ts';

/** The looks in use; a smaller set than Node's, so that output stays of one kind. */
export type Look = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan';

export interface Style {
  readonly color: boolean;
  /** Columns. */
  readonly width: number;
  /** The text in that look, or as it is where there is no colour. */
  readonly paint: (look: Look | readonly Look[], text: string) => string;
}

const DEFAULT_WIDTH = 80;

/** The style of a stream: colour on a terminal, unless `NO_COLOR` is set and not empty or `TERM` is `dumb`; 80 columns if unknown. */
export function styleFor(stream: { readonly isTTY?: boolean; readonly columns?: number }, env: Env): Style {
  const color = stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  return {
    color,
    width: stream.columns !== undefined && stream.columns > 0 ? stream.columns : DEFAULT_WIDTH,
    // Decided above, for this stream; left alone, newer Nodes would ask process.stdout.
    paint: (look, text) =>
      color ? styleText(typeof look === 'string' ? look : [...look], text, { validateStream: false }) : text,
  };
}
