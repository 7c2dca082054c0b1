/** An error as a person reads it: what is wrong, the code to look up, and what to try. */
import { ChittaError, type ExitCode } from '../errors.ts';

export interface Problem {
  readonly text: string;
  readonly exitCode: ExitCode;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const cause = error.cause === undefined ? '' : `caused by: ${stackOf(error.cause) || `${String(error.cause)}\n`}`;
  return `${error.stack ?? error.message}\n${cause}`;
}

/** Two lines for a ChittaError, one for anything unexpected; the stack below them only if `debug`. Never throws. */
export function problemOf(error: unknown, debug: boolean): Problem {
  const stack = debug ? stackOf(error) : '';
  if (error instanceof ChittaError) {
    const hint = error.hint === undefined ? '' : `try:    ${oneLine(error.hint)}\n`;
    return { text: `chitta: ${oneLine(error.message)}   [${error.code}]\n${hint}${stack}`, exitCode: error.exitCode };
  }
  const message = oneLine(error instanceof Error ? error.message : String(error));
  const where = debug ? '' : ' (--debug shows where)';
  return { text: `chitta: internal error: ${message}${where}   [E_INTERNAL]\n${stack}`, exitCode: 1 };
}
