/** Errors that still stand: a failed call that was not made again with success. */

export interface Failure {
  /** The command, or the tool and what it was given. */
  readonly call: string;
  /** The line of the result that names the error. */
  readonly error: string;
}

/** Lines looked at in a failed result; the error is near the top, and a build log has no end. */
const MAX_LINES = 200;
const NAMES_ERROR =
  /error|fail|exception|panic|fatal|denied|not found|no such|cannot|can't|unable|refused|timed out|timeout|undefined|invalid|missing|✗|✖|×/i;
const NAMES_NOTHING = /^(?:Exit code [0-9]+|Error:?|> .*|[-=─~*#\s]*)$/;

/** The line that says what went wrong: the first that reads like an error, else the first that says anything. */
export function errorLineOf(result: string): string {
  let first = '';
  let from = 0;
  for (let count = 0; count < MAX_LINES && from <= result.length; count += 1) {
    const newline = result.indexOf('\n', from);
    const end = newline < 0 ? result.length : newline;
    const line = result
      .slice(from, Math.min(end, from + 1_000))
      .replaceAll(/<\/?tool_use_error>/g, '')
      .trim();
    from = end + 1;
    if (line === '' || NAMES_NOTHING.test(line)) continue;
    if (NAMES_ERROR.test(line)) return line;
    if (first === '') first = line;
  }
  return first === '' ? result.slice(0, 200).trim() : first;
}

/** Openings of the harness's answer when the user turned a call down: a decision, not an error. */
const REJECTIONS = [
  "The user doesn't want to proceed with this tool use",
  "The user doesn't want to take this action",
  '[Request interrupted',
  'User rejected',
  'Permission to use',
];
const SAID = 'the user said:';

/** Whether a failed result only says that the user turned the call down. */
export function isRejection(result: string): boolean {
  return REJECTIONS.some((opening) => result.startsWith(opening));
}

/** What the user wrote when turning a call down, if anything. */
export function wordsOfRejection(result: string): string | undefined {
  if (!isRejection(result)) return undefined;
  const said = result.indexOf(SAID);
  return said < 0 ? undefined : result.slice(said + SAID.length).trim() || undefined;
}
