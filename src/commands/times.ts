/** Times on the command line. */
import { InvalidArgumentError } from 'commander';

const HOUR_MS = 3_600_000;
const UNITS_MS: Readonly<Record<string, number>> = {
  h: HOUR_MS,
  d: 24 * HOUR_MS,
  w: 7 * 24 * HOUR_MS,
  y: 365 * 24 * HOUR_MS,
};

/** A thousand years: later days have no such form. */
const MAX_AHEAD_MS = 1_000 * 365 * 24 * HOUR_MS;

function lengthOf(text: string): number | undefined {
  const [, count, unit = ''] = /^([1-9][0-9]{0,4})([hdwy])$/.exec(text) ?? [];
  const length = UNITS_MS[unit];
  return length === undefined ? undefined : Number(count) * length;
}

/** The beginning of a day, local time; undefined if it is none. */
function dayOf(text: string): Date | undefined {
  const day = /^\d{4}-\d{2}-(\d{2})$/.exec(text)?.[1];
  const date = new Date(`${text}T00:00:00`);
  // Date takes 31 February for 3 March.
  return day !== undefined && date.getDate() === Number(day) ? date : undefined;
}

/** Milliseconds of `12h`, `30d`, `8w`, `1y`. */
export function duration(text: string): number {
  const ms = lengthOf(text);
  if (ms === undefined) throw new InvalidArgumentError('It must be a number and a unit: 12h, 30d, 8w or 1y.');
  return ms;
}

/** When something ends: after a while, or with a day, in milliseconds since 1970; or never. */
export function expiry(text: string): number | 'never' {
  if (text === 'never') return text;
  const ms = lengthOf(text);
  if (ms !== undefined && ms > MAX_AHEAD_MS) throw new InvalidArgumentError('That is too far away; it may be never.');
  if (ms !== undefined) return Date.now() + ms;
  const day = dayOf(text);
  if (day === undefined) {
    throw new InvalidArgumentError('It must be a time (12h, 30d, 8w, 1y), the last day (2026-01-31), or never.');
  }
  const end = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime();
  if (end <= Date.now()) throw new InvalidArgumentError('That day is over.');
  return end;
}

/** Where a look back begins: so long ago or with a day, or with a session, by its id or the beginning of it. */
export function lookBack(text: string): { readonly sinceMs: number } | { readonly session: string } {
  const ms = lengthOf(text);
  if (ms !== undefined) return { sinceMs: Date.now() - ms };
  const day = dayOf(text);
  if (day !== undefined) return { sinceMs: day.getTime() };
  if (/^\d{4}-\d/.test(text) && text.length <= 10) throw new InvalidArgumentError('There is no such day.');
  if (text.length < 4) throw new InvalidArgumentError('It must be a time (7d), a day (2026-01-31) or a session.');
  return { session: text };
}
