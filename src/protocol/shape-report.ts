/** The report of the guard as JSON. */
import type { ShapeReport } from '../shaping/shape.ts';

/** Fields as `chitta shape --json` prints them; they only ever grow. */
export type ShapeReportJson = Omit<ShapeReport, 'roundTrips'> & { readonly round_trips: ShapeReport['roundTrips'] };

export function shapeReportJson({ roundTrips, ...report }: ShapeReport): ShapeReportJson {
  return { ...report, round_trips: roundTrips };
}
