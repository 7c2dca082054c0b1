/** Damaged and recorded files, where they are at hand, through the reader and every compaction. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compactMessages, STRATEGIES } from '../../src/compaction/compact.ts';
import { parseMessages } from '../../src/messages/parse.ts';
import { wellFormedJson } from '../../src/messages/wellformed.ts';
import { readTranscript, type TranscriptMessage } from '../../src/transcript/index.ts';
import { breachesOf } from '../support/laws.ts';
import { unpairedIds } from '../support/pairs.ts';

const shared = join(import.meta.dirname, '..', '..', '..', 'shared');
const folders = [join(shared, 'fixtures', 'hostile'), join(shared, 'corpus')];
const files = folders
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((path) => path.endsWith('.jsonl'));

/** A conversation of a few megabytes takes seconds by every rule twice; its newest part has all that it has. */
const MOST_MESSAGES = 400;

const RULES = [
  ['need', 'excerpt'],
  ['need', 'whole'],
  ['formula', 'whole'],
] as const;

function compactions(messages: readonly TranscriptMessage[]): string[] {
  const before = new Set(unpairedIds(messages));
  return RULES.flatMap(([name, detail]) => {
    const options = { strategy: STRATEGIES[name]!, detail, targetRatio: 0.3 };
    const result = compactMessages(messages, options);
    const found = breachesOf(messages, result);
    for (const id of unpairedIds(result.messages)) if (!before.has(id)) found.push(`parted: ${id}`);
    if (!JSON.stringify(wellFormedJson(result.messages).value).isWellFormed()) found.push('not well-formed');
    return found.map((problem) => `${name}, ${detail}: ${problem}`);
  });
}

describe.skipIf(files.length === 0)('recorded and damaged transcripts (skipped where ../shared is not at hand)', () => {
  test.each(files.map((path) => [basename(path), path] as const))('%s', async (_, path) => {
    const { messages, stats } = await readTranscript(path, { all: true });
    parseMessages(messages);
    expect(stats.bytesRead).toBe(statSync(path).size);
    expect(JSON.stringify(wellFormedJson(messages).value).isWellFormed()).toBe(true);
    expect(new Set(messages.map(({ uuid }) => uuid)).size).toBe(messages.length);
    expect(compactions(messages.slice(-MOST_MESSAGES))).toEqual([]);
  });
});
