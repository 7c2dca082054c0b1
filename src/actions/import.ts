/** Takes memories over from a file of `chitta memory export`, and from what another program left. */
import { ChittaError } from '../errors.ts';
import type { MemoryKind, PortedMemory } from '../ports/memories.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import type { ArchivedTurn } from '../ports/turns.ts';
import type { ImportEntry } from '../ports/transfer.ts';
import { maskSecrets } from '../redact/mask.ts';
import { EXPORT_FORMAT, EXPORT_VERSION } from './export.ts';

/** Written in one transaction each. */
const AT_ONCE = 500;
/** Characters of a memory, and names of messages that it was made from. */
const MAX_TEXT = 100_000;
const MAX_SOURCES = 10_000;
const MAX_PATH = 4_096;
/** Times of later are no times of a memory, and have no such form. */
const YEAR_10000_MS = 253_402_300_800_000;
/** A line of more is no memory. */
const MAX_LINE_BYTES = 4_194_304;

const KINDS: readonly MemoryKind[] = [
  'fact',
  'preference',
  'decision',
  'correction',
  'fix',
  'episode',
  'novel',
  'directive',
];

type Fields = Readonly<Record<string, unknown>>;

/** Told by a throw within a line, and turned into a sentence about it. */
class Unfit extends Error {}

function fieldsOf(line: Uint8Array): Fields {
  if (line.length > MAX_LINE_BYTES) throw new Unfit(`it is longer than ${MAX_LINE_BYTES} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(line));
  } catch {
    throw new Unfit('it is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Unfit('it is no JSON object');
  // A JSON object: every own key is a string, and values are checked where they are used.
  return value as Fields;
}

function textOf(fields: Fields, name: string, most: number = MAX_TEXT): string | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw new Unfit(`${name} must be a text`);
  if (value.length > most) throw new Unfit(`${name} has more than ${most} characters`);
  return value;
}

function timeOf(fields: Fields, name: string): number | undefined {
  const text = textOf(fields, name, 40);
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (!(ms >= 0 && ms < YEAR_10000_MS)) throw new Unfit(`${name} must be a time such as 2026-01-31T12:00:00.000Z`);
  return ms;
}

function countOf(fields: Fields, name: string): number | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new Unfit(`${name} must be a whole number`);
}

function oneOf<T extends string>(fields: Fields, name: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === fields[name]);
  if (found === undefined) throw new Unfit(`${name} must be one of ${choices.join(', ')}`);
  return found;
}

/** A folder is a key and stays as it is; what a file gives out as one may be anything. */
function projectOf(fields: Fields): string | undefined {
  const project = textOf(fields, 'project', MAX_PATH);
  if (project?.trim() === '') throw new Unfit('project must be a folder, or null for every project');
  return project === undefined ? undefined : maskSecrets(project).text;
}

function sourcesOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > MAX_SOURCES) throw new Unfit('source_ids must be a list of texts');
  return value.map((one: unknown) => {
    if (typeof one !== 'string') throw new Unfit('source_ids must be a list of texts');
    return one;
  });
}

function memoryOf(fields: Fields): PortedMemory {
  const text = textOf(fields, 'text') ?? '';
  if (text.trim() === '') throw new Unfit('it has no text');
  const confidence = fields['confidence'] ?? undefined;
  if (confidence !== undefined && (typeof confidence !== 'number' || confidence < 0 || confidence > 1)) {
    throw new Unfit('confidence must be a number from 0 to 1');
  }
  const createdMs = timeOf(fields, 'created');
  if (createdMs === undefined) throw new Unfit('created is missing');
  return {
    text,
    kind: oneOf(fields, 'kind', KINDS),
    project: projectOf(fields),
    session: textOf(fields, 'session'),
    origin: oneOf(fields, 'origin', ['auto', 'person', 'model']),
    sourceIds: sourcesOf(fields['source_ids']),
    status: oneOf(fields, 'status', ['active', 'superseded', 'archived']),
    createdMs,
    quote: textOf(fields, 'quote'),
    topic: textOf(fields, 'topic'),
    confidence,
    uses: countOf(fields, 'uses') ?? 0,
    usedMs: timeOf(fields, 'used'),
    imported: textOf(fields, 'imported'),
  };
}

function checkHeader(fields: Fields): void {
  const { version } = fields;
  if (typeof version === 'number' && version <= EXPORT_VERSION) return;
  throw new ChittaError(
    'E_INPUT_FORMAT',
    `the file has version ${JSON.stringify(version)?.slice(0, 40)}, and this chitta reads ${EXPORT_VERSION}`,
    {
      hint: 'update chitta, or export again with the older one',
    },
  );
}

/**
 * Reads the lines of an export. A line that cannot be read becomes an entry with its number and the reason. Throws E_INPUT_FORMAT for
 * a file of a newer version.
 */
export async function* exportedEntries(lines: AsyncIterable<Uint8Array>): AsyncGenerator<ImportEntry> {
  let line = 0;
  for await (const bytes of lines) {
    line += 1;
    const at = `line ${line}`;
    if (bytes.every((byte) => byte <= 0x20)) continue;
    try {
      const fields = fieldsOf(bytes);
      if (fields['format'] === EXPORT_FORMAT) checkHeader(fields);
      else
        yield {
          at,
          memory: memoryOf(fields),
          number: countOf(fields, 'n'),
          supersededBy: countOf(fields, 'superseded_by'),
        };
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      yield { at, problem: error.message };
    }
  }
}

export interface ImportReport {
  /** Memories that are new here, and those that were here already. */
  readonly added: number;
  readonly known: number;
  /** Turns that were handed to the archive, where each is once. */
  readonly turns: number;
  /** Entries that could not be read. */
  readonly unreadable: number;
  /** Entries of other projects. */
  readonly elsewhere: number;
}

export interface ImportOptions {
  /** Of each transaction. */
  readonly deadlineMs: number;
  /** Told of each entry that cannot be read. */
  readonly onProblem: (at: string, problem: string) => void;
}

type ImportStore = Pick<MemoryDatabase, 'takeOver' | 'linkSuperseded' | 'archive'>;

/**
 * Takes everything over that can be read; the same again changes nothing. Rejects with E_INPUT_FORMAT if nothing could be read though
 * something was there, else as the store does.
 */
export async function importEntries(
  entries: AsyncIterable<ImportEntry>,
  store: ImportStore,
  { deadlineMs, onProblem }: ImportOptions,
): Promise<ImportReport> {
  const counts = { added: 0, known: 0, turns: 0, unreadable: 0, elsewhere: 0 };
  const ids = new Map<number, number>();
  const links: { id: number; by: number }[] = [];
  let batch: (ImportEntry & { readonly memory: PortedMemory })[] = [];
  let turns: ArchivedTurn[] = [];
  const flush = async (): Promise<void> => {
    if (turns.length > 0) await store.archive(turns, deadlineMs);
    counts.turns += turns.length;
    turns = [];
    const taken =
      batch.length === 0
        ? []
        : await store.takeOver(
            batch.map(({ memory }) => memory),
            deadlineMs,
          );
    for (const [index, { number, supersededBy }] of batch.entries()) {
      const row = taken[index];
      if (row === undefined) continue;
      counts[row.added ? 'added' : 'known'] += 1;
      if (number !== undefined) ids.set(number, row.id);
      if (supersededBy !== undefined && row.added) links.push({ id: row.id, by: supersededBy });
    }
    batch = [];
  };
  for await (const entry of entries) {
    const { memory } = entry;
    if (entry.problem !== undefined) {
      counts.unreadable += 1;
      onProblem(entry.at, entry.problem);
    }
    if (entry.elsewhere) counts.elsewhere += 1;
    if (memory !== undefined) batch.push({ ...entry, memory });
    for (const turn of entry.turns ?? []) turns.push(turn);
    if (batch.length >= AT_ONCE || turns.length >= AT_ONCE) await flush();
  }
  await flush();
  const known = links.flatMap(({ id, by }) => {
    const there = ids.get(by);
    return there === undefined ? [] : [{ id, by: there }];
  });
  if (known.length > 0) await store.linkSuperseded(known, deadlineMs);
  if (counts.unreadable > 0 && counts.added + counts.known + counts.turns + counts.elsewhere === 0) {
    throw new ChittaError(
      'E_INPUT_FORMAT',
      `nothing could be read: ${counts.unreadable} of ${counts.unreadable} entries are damaged`,
      {
        hint: 'is it a file of chitta memory export? Other formats: --from, see chitta memory import --help',
      },
    );
  }
  return counts;
}
