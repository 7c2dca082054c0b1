/**
 * What could not be written to the database, kept beside it until the next process takes it in. One JSON record per line.
 *
 * Writers and takers need no lock: a taker first renames the file, and a writer whose file was renamed while it wrote
 * writes again. So nothing is lost; a record may come twice, and taking it in twice is taking it in once.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateDir, OPEN_TO_OTHERS } from '../platform/paths.ts';
import { codeOf } from '../platform/small-file.ts';
import type { EpisodeState } from '../ports/episodes.ts';
import { recordOf, type SpoolRecord } from './spool-record.ts';

const NAME = 'spool.ndjson';
const TAKEN = `${NAME}.taken-`;

/** A spool holds what a few compactions let go; one that grows means a database that never opens. */
export const SPOOL_MAX_BYTES = 8_388_608;

/** A file that has grown to this is left to the takers and a new one begun, so that one is taken in within a few hundred ms. */
const FILE_BYTES = 524_288;

/** A file that keeps being renamed under its writer would be a storm of takers; giving up is an error, not a loss unseen. */
const MAX_ATTEMPTS = 20;

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
// Not through a link, and not waiting for whoever reads a pipe. Windows has neither flag.
const SAFELY = (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** The names of all spool files of a home, oldest first: those a taker did not finish, and the current one. */
export function spoolFiles(home: string): string[] {
  try {
    const names = readdirSync(home, { withFileTypes: true })
      .filter((entry) => entry.isFile() && (entry.name === NAME || entry.name.startsWith(TAKEN)))
      .map(({ name }) => name);
    if (names.length < 2) return names;
    // The end of an episode is taken in behind its beginning.
    const writtenMs = (name: string): number => statSync(join(home, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const times = new Map(names.map((name) => [name, name === NAME ? Infinity : writtenMs(name)]));
    // Of files of one tick of the clock, the names say which was first.
    return names.sort((a, b) => (times.get(a) ?? 0) - (times.get(b) ?? 0) || (a < b ? -1 : 1));
  } catch {
    // No home, no spool.
    return [];
  }
}

/** Bytes waiting to be taken in. */
export function spoolBytes(home: string): number {
  return spoolFiles(home).reduce(
    (sum, name) => sum + (statSync(join(home, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

/** Appends the bytes in one write. Returns false if the file was renamed in the meantime, perhaps after it was read. */
function appendOnce(path: string, bytes: Buffer): boolean {
  const descriptor = openSync(path, O_WRONLY | O_APPEND | O_CREAT | SAFELY, 0o600);
  try {
    const stat = fstatSync(descriptor, { bigint: true });
    if (!stat.isFile()) throw new Error(`${path} is not a regular file`);
    if ((Number(stat.mode) & OPEN_TO_OTHERS) !== 0) fchmodSync(descriptor, 0o600);
    const written = writeSync(descriptor, bytes);
    if (written !== bytes.length) throw new Error(`${path} took only ${written} of ${bytes.length} bytes`);
    return inodeOf(path) === stat.ino;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Keeps masked records, as many as there is room for; returns how many did not fit. Throws what the file system throws.
 */
export function spool(home: string, records: readonly SpoolRecord[], maxBytes: number = SPOOL_MAX_BYTES): number {
  ensurePrivateDir(home);
  const path = join(home, NAME);
  let room = maxBytes - spoolBytes(home);
  let kept = 0;
  let lines: string[] = [];
  let size = 0;
  const write = (): void => {
    if (lines.length === 0) return;
    append(home, path, lines);
    kept += lines.length;
    lines = [];
    size = 0;
  };
  for (const record of records) {
    const line = `${JSON.stringify(record)}\n`;
    const bytes = Buffer.byteLength(line);
    room -= bytes + (lines.length === 0 ? 1 : 0);
    if (room < 0) break;
    lines.push(line);
    size += bytes;
    if (size >= FILE_BYTES) write();
  }
  write();
  return records.length - kept;
}

function append(home: string, path: string, lines: readonly string[]): void {
  // The first line end closes a line that an earlier writer could not finish.
  const bytes = Buffer.from(`\n${lines.join('')}`);
  let attempt = 1;
  while (!appendOnce(path, bytes)) {
    if (attempt === MAX_ATTEMPTS) throw new Error(`${path} was taken away ${MAX_ATTEMPTS} times`);
    attempt += 1;
  }
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && stat.size >= FILE_BYTES) setApart(home, path);
}

/** Renames the current file, so that its next writer begins another. Throws ENOENT if somebody was faster. */
function rename(home: string, path: string): string {
  const nowUs = Math.floor((performance.timeOrigin + performance.now()) * 1_000);
  const taken = join(home, `${TAKEN}${nowUs.toString(16).padStart(14, '0')}-${randomBytes(3).toString('hex')}`);
  renameSync(path, taken);
  return taken;
}

function setApart(home: string, path: string): void {
  try {
    rename(home, path);
  } catch (error) {
    // A taker has it.
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** The records of a file; with `beginnings`, those whose lines begin so. */
function readRecords(path: string, beginnings: readonly string[] = ['']): SpoolRecord[] {
  const descriptor = openSync(path, O_RDONLY | SAFELY);
  try {
    if (!fstatSync(descriptor).isFile()) return [];
    return readFileSync(descriptor, 'utf8')
      .split('\n')
      .filter((line) => beginnings.some((beginning) => line.startsWith(beginning)))
      .flatMap((line) => recordOf(line) ?? []);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Hands spooled records to `accept`, file by file, and deletes a file once it was accepted. Stops when `mayTake` says that there
 * is no time for so many bytes. What `accept` throws ends it, with the file still there for the next one.
 */
export function takeSpool(
  home: string,
  accept: (records: readonly SpoolRecord[]) => void,
  mayTake: (bytes: number) => boolean = () => true,
): void {
  for (const name of spoolFiles(home)) {
    let path = join(home, name);
    if (!mayTake(statSync(path, { throwIfNoEntry: false })?.size ?? 0)) return;
    try {
      if (name === NAME) path = rename(home, path);
      accept(readRecords(path));
      rmSync(path, { force: true });
    } catch (error) {
      // Another taker was faster.
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
}

/** What a record of an episode or its end begins with; the texts of turns are not parsed to find one. */
const OF_EPISODES = ['{"kind":"episode"', '{"kind":"finish"'];

/** Of the episodes of a (masked) session that wait to be taken in, the newest; undefined if none does, or none can be read. */
export function spooledEpisode(home: string, session: string): EpisodeState | undefined {
  let newest: EpisodeState | undefined;
  let finishedMs = -1;
  for (const name of spoolFiles(home)) {
    let records: SpoolRecord[] = [];
    try {
      records = readRecords(join(home, name), OF_EPISODES);
    } catch {
      // A taker was faster, and has it in the database.
    }
    for (const record of records) {
      const { atMs } = record;
      if (record.kind === 'finish' && record.session === session) finishedMs = Math.max(finishedMs, atMs);
      if (record.kind !== 'episode' || record.episode.session !== session) continue;
      if (newest !== undefined && newest.createdMs > atMs) continue;
      const { state } = record.episode;
      newest = { state, createdMs: atMs, doneMs: state === 'done' ? atMs : undefined };
    }
  }
  if (newest?.state !== 'proposed' || finishedMs < newest.createdMs) return newest;
  return { ...newest, state: 'done', doneMs: finishedMs };
}
