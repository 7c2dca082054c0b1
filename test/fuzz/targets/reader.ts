/** The transcript reader: any bytes become messages, and nothing in them that was not there. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { compactMessages, STRATEGIES } from '../../../src/compaction/compact.ts';
import { ChittaError } from '../../../src/errors.ts';
import { parseMessages } from '../../../src/messages/parse.ts';
import type { Message } from '../../../src/messages/types.ts';
import { wellFormedJson } from '../../../src/messages/wellformed.ts';
import {
  parseTranscript,
  readTranscript,
  readTranscriptPart,
  type ReadOptions,
  type Transcript,
} from '../../../src/transcript/index.ts';
import { breachesOf } from '../../support/laws.ts';
import { unpairedIds } from '../../support/pairs.ts';
import { chunksOf, holds, type Target } from '../target.ts';
import { damaged, transcriptBytes } from '../transcripts.ts';

const options: fc.Arbitrary<ReadOptions> = fc.record(
  { last: fc.integer({ min: 1, max: 12 }), all: fc.boolean() },
  { requiredKeys: [] },
);

const range = fc.double({ min: 0, max: 1, noNaN: true });

/** The transcript, or the code of the refusal; anything else that is thrown goes on. */
async function read(reading: Promise<Transcript>): Promise<Transcript | string> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ChittaError && error.code === 'E_INPUT_FORMAT') return error.code;
    throw error;
  }
}

function textsIn(value: unknown, found: string[] = []): string[] {
  if (typeof value === 'string') found.push(value);
  else if (typeof value === 'object' && value !== null) Object.values(value).forEach((one) => textsIn(one, found));
  return found;
}

/** What the reader writes itself: the type of a bare text, and what stands for the bottom of a value without one. */
const ADDED: ReadonlySet<string> = new Set(['text', '[nested too deeply to be read]']);

/** Texts of the output that the input does not have, for inputs that spell each text in one way. */
function invented(bytes: Buffer, messages: readonly Message[]): string[] {
  const source = bytes.toString('utf8');
  if (source.includes('\\u') || source.includes('\uFFFD') || source.includes('\\/')) return [];
  const texts = messages.flatMap(({ content }) => textsIn(content));
  return texts.filter((text) => !ADDED.has(text) && !source.includes(JSON.stringify(text).slice(1, -1)));
}

const outcome = (result: Transcript | string): unknown => (typeof result === 'string' ? result : result.messages);

async function check(folder: string, bytes: Buffer, how: ReadOptions, cuts: number[], from: number): Promise<void> {
  const found: string[] = [];
  const once = await read(parseTranscript(bytes, how));
  const json = JSON.stringify(outcome(once));
  async function* pieces(): AsyncGenerator<Buffer> {
    yield* chunksOf(bytes, cuts);
  }
  const inPieces = await read(parseTranscript(pieces(), how));
  if (JSON.stringify(outcome(inPieces)) !== json) found.push('read otherwise in pieces');
  const path = join(folder, 'reader.jsonl');
  writeFileSync(path, bytes);
  const asFile = await read(readTranscript(path, how));
  if (JSON.stringify(outcome(asFile)) !== json) found.push('read otherwise from a file');
  const part = await readTranscriptPart(path, Math.floor(from * bytes.length), { maxBytes: 4_096 }).catch(
    (error: unknown) => {
      if (error instanceof ChittaError && error.code === 'E_INPUT_FORMAT') return undefined;
      throw error;
    },
  );
  if (part !== undefined && (part.resumeAt < 0 || part.resumeAt > bytes.length))
    found.push('resumes outside of the file');
  if (typeof once !== 'string') {
    const { messages } = once;
    parseMessages(messages);
    if (new Set(messages.map(({ uuid }) => uuid)).size < messages.length) found.push('two messages of one name');
    for (const text of invented(bytes, messages)) found.push(`invented: ${JSON.stringify(text.slice(0, 80))}`);
    if (!JSON.stringify(wellFormedJson(messages).value).isWellFormed()) found.push('not well-formed');
  }
  holds(found);
}

/** A transcript that was read is compacted: no call loses its answer, and every line is one of its own. */
function compacted({ messages }: Transcript, strategy: string, detail: 'whole' | 'excerpt'): void {
  const before = JSON.stringify(messages);
  const open = new Set(unpairedIds(messages));
  const how = { strategy: STRATEGIES[strategy]!, detail, targetRatio: 0.3 };
  const result = compactMessages(messages, how);
  const found = breachesOf(messages, result);
  for (const id of unpairedIds(result.messages)) if (!open.has(id)) found.push(`parted: ${id}`);
  if (JSON.stringify(messages) !== before) found.push('the input was changed');
  if (JSON.stringify(compactMessages(messages, how).messages) !== JSON.stringify(result.messages))
    found.push('another time, another result');
  holds(found);
}

/** `folder` is for files that are written and read again; `seeds` are transcripts to be damaged besides the generated ones. */
export function readerTargets(folder: string, seeds: readonly Buffer[]): Target[] {
  const generated = damaged(transcriptBytes);
  const bytes =
    seeds.length === 0
      ? generated
      : fc.oneof({ weight: 19, arbitrary: generated }, { weight: 1, arbitrary: damaged(fc.constantFrom(...seeds)) });
  return [
    {
      name: 'reader',
      share: 1,
      property: fc.asyncProperty(bytes, options, fc.array(range, { maxLength: 4 }), range, async (...args) => {
        await check(folder, ...args);
        return true;
      }),
    },
    {
      name: 'reader and compaction',
      share: 1,
      property: fc.asyncProperty(
        bytes,
        fc.constantFrom(...Object.keys(STRATEGIES)),
        fc.constantFrom('whole' as const, 'excerpt' as const),
        async (input, strategy, detail) => {
          const transcript = await read(parseTranscript(input, { all: true }));
          if (typeof transcript !== 'string') compacted(transcript, strategy, detail);
          return true;
        },
      ),
    },
  ];
}
