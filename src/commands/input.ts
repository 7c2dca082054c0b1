/** What `compact` and `transcript` work on: a file or standard input, whichever of the known shapes it has. */
import { createReadStream, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { App } from '../app.ts';
import { ChittaError } from '../errors.ts';
import { readAll } from '../terminal/streams.ts';
import type { CommandContext } from './context.ts';
import { DOCUMENT_KEYS, kindOf } from './kind.ts';

/** The longest string V8 makes is a little longer; a transcript in a file may be of any size. */
const MAX_DOCUMENT_BYTES = 500_000_000;
const HEAD_BYTES = 65_536;

type Transcript = Awaited<ReturnType<App['readTranscript']>>;

/** Where input comes from: a path to a regular file, or bytes that can be read only once. */
export type Source = { readonly path: string } | { readonly bytes: Buffer };

/** A transcript to be read, or a value that was one JSON document. */
export type Input =
  | { readonly kind: 'transcript'; readonly source: Source; readonly problem?: string }
  | { readonly kind: 'document'; readonly value: unknown };

function unreadable(path: string, cause: unknown): ChittaError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new ChittaError('E_INPUT_MISSING', `there is no file ${path}`, {
      hint: 'check the path; - reads standard input',
    });
  }
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ChittaError('E_INPUT_MISSING', `${path} cannot be read: ${why}`, { hint: `ls -l ${path}`, cause });
}

async function drain(stream: Parameters<typeof readAll>[0], name: string): Promise<Buffer> {
  const { bytes, complete } = await readAll(stream, { maxBytes: MAX_DOCUMENT_BYTES });
  if (complete) return bytes;
  throw new ChittaError('E_INPUT_MISSING', `${name} is larger than ${MAX_DOCUMENT_BYTES / 1e6} MB`, {
    hint: 'name a file that holds a transcript: those are read from their end',
  });
}

async function statOf(path: string, name: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** `undefined` or `-` is standard input; a pipe or device that was named is read once, to its end. */
export async function sourceOf(file: string | undefined, ctx: CommandContext): Promise<Source> {
  if (file === undefined || file === '-') {
    if (ctx.stdin.isTTY === true) {
      throw new ChittaError('E_USAGE', 'there is no input: no file is named, and standard input is a terminal', {
        hint: 'name a transcript or a JSON file, or pipe one in',
      });
    }
    return { bytes: await drain(ctx.stdin, 'standard input') };
  }
  if (file === '') {
    throw new ChittaError('E_USAGE', 'the name of the file is empty', { hint: 'is a variable of your shell not set?' });
  }
  const path = resolve(ctx.cwd, file);
  const stats = await statOf(path, file);
  if (stats.isDirectory()) {
    throw new ChittaError('E_INPUT_MISSING', `${file} is a folder`, { hint: `name a file in it: ls ${file}` });
  }
  if (stats.isFile()) return { path };
  try {
    return { bytes: await drain(createReadStream(path), file) };
  } catch (error) {
    throw error instanceof ChittaError && error.cause === undefined ? error : unreadable(file, error);
  }
}

/** All bytes of an input. */
export async function readBytes(source: Source): Promise<Buffer> {
  return 'bytes' in source ? source.bytes : drain(createReadStream(source.path), source.path);
}

async function headOf(source: Source): Promise<string> {
  if ('bytes' in source) return source.bytes.toString('utf8', 0, HEAD_BYTES);
  try {
    const file = await open(source.path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw unreadable(source.path, error);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A transcript whose rows were put into one list, as `jq -s` does. */
function isRowList(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value.some((one) => isObject(one) && !('role' in one) && ('message' in one || 'uuid' in one));
}

/** Whether it has nothing but what chitta asks for. What is wrong inside, the action says better. */
function looksOurs(value: unknown): boolean {
  if (!Array.isArray(value)) return isObject(value) && Object.keys(value).every((key) => DOCUMENT_KEYS.includes(key));
  const first: unknown = value.find(isObject);
  return !isObject(first) || 'role' in first;
}

/**
 * Tells the shape. Throws E_INPUT_EMPTY if there is nothing, E_INPUT_FORMAT if it is another agent's format. Damaged JSON
 * is left to the transcript reader, which may still find rows in it; `problem` says what is wrong with it.
 */
export async function readInput(source: Source, app: App): Promise<Input> {
  const kind = kindOf(await headOf(source));
  if (kind === 'empty') {
    throw new ChittaError('E_INPUT_EMPTY', 'the input is empty', {
      hint: 'pass a transcript or a JSON array of messages',
    });
  }
  if (kind === 'transcript') return { kind, source };
  if (kind === 'either' && 'path' in source && (await statOf(source.path, source.path)).size > MAX_DOCUMENT_BYTES) {
    return { kind: 'transcript', source };
  }
  const bytes = await readBytes(source);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    if (kind === 'either') return { kind: 'transcript', source };
    return { kind: 'transcript', source: { bytes }, problem: error instanceof Error ? error.message : String(error) };
  }
  // Rows of an object of another kind are the reader's business, as rows in a list are.
  if (isRowList(isObject(value) ? value['messages'] : value)) return { kind: 'transcript', source: { bytes } };
  // The reader knows the other formats and rejects them by name; what it reads of the head is of no use here.
  if (!looksOurs(value)) await app.parseTranscript(bytes.subarray(0, HEAD_BYTES));
  return { kind: 'document', value };
}

/** Reads a transcript, from a file's end where that suffices. */
export function readSource(
  source: Source,
  app: App,
  options: { readonly last?: number; readonly all?: boolean } = {},
): Promise<Transcript> {
  return 'path' in source ? app.readTranscript(source.path, options) : app.parseTranscript(source.bytes, options);
}
