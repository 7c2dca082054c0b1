/** The log file: what went wrong where nobody was watching. One line per entry, 0600, at most two files of about 1 MB. */
import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { maskSecrets } from '../redact/mask.ts';
import { ensurePrivateDir, OPEN_TO_OTHERS } from './paths.ts';

const ROTATE_AT_BYTES = 1_048_576;
/** No entry is worth more; a whole transcript in an error message is not. */
const MAX_LINE_CHARS = 8_192;
/** What is looked through for secrets; where it ends in the middle of one, that is not known as a secret and goes with the rest. */
const MASKED_CHARS = 16_384;
const LONGEST_SECRET_CHARS = 4_096;

/** The current log file of a home; its predecessor has `.1` behind its name. */
export function logFile(home: string): string {
  return join(home, 'chitta.log');
}

/** The last gate before the disk: messages of errors may quote settings, addresses and texts. */
function maskLine(line: string): string {
  const { text } = maskSecrets(line.slice(0, MASKED_CHARS));
  return line.length > MASKED_CHARS ? text.slice(0, -LONGEST_SECRET_CHARS) : text;
}

/** Control, bidirectional and line-separating characters as `\u001b`, so that one entry is one harmless line. */
function escapeLine(line: string): string {
  const masked = maskLine(line);
  const escaped = masked
    .slice(0, MAX_LINE_CHARS)
    // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
    .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
  return line.length > MASKED_CHARS || masked.length > MAX_LINE_CHARS ? `${escaped}…` : escaped;
}

function openLog(path: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  // Not through a link, and not waiting for whoever reads a pipe. Windows has neither flag.
  return openSync(path, O_WRONLY | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0), 0o600);
}

/**
 * Appends one line with the time before it. Makes the home if needed; starts a new file at about 1 MB and keeps one
 * predecessor. Secrets are masked. Never throws: a log that cannot be written must not stop the work.
 */
export function appendLog(home: string, line: string): void {
  let descriptor: number | undefined;
  try {
    ensurePrivateDir(home);
    const path = logFile(home);
    descriptor = openLog(path);
    let stat = fstatSync(descriptor);
    if (stat.size >= ROTATE_AT_BYTES) {
      closeSync(descriptor);
      descriptor = undefined;
      renameSync(path, `${path}.1`);
      descriptor = openLog(path);
      stat = fstatSync(descriptor);
    }
    if (!stat.isFile()) return;
    if ((stat.mode & OPEN_TO_OTHERS) !== 0) fchmodSync(descriptor, 0o600);
    // One write, in append mode: lines of processes that log at the same time do not mix.
    writeSync(descriptor, `${new Date().toISOString()} ${escapeLine(line)}\n`);
  } catch {
    // There is nowhere left to say it.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The last `count` lines of the log, oldest first, from at most the last `maxBytes` of it; none if there is no log. Never throws. */
export function readLogTail(home: string, count: number, maxBytes = 65_536): readonly string[] {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(logFile(home), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return [];
    const start = Math.max(0, stat.size - maxBytes);
    const buffer = Buffer.alloc(Math.min(stat.size, maxBytes));
    const length = readSync(descriptor, buffer, 0, buffer.length, start);
    const lines = buffer.toString('utf8', 0, length).split('\n');
    // The first one is cut if reading began in the middle; the last is empty.
    return lines.slice(start > 0 ? 1 : 0, -1).slice(-count);
  } catch {
    return [];
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
