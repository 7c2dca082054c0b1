/** Recorded sessions, where they are at hand: every version of Claude Code writes a little differently. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseTranscript, readTranscript, type TranscriptMessage } from '../../src/transcript/index.ts';
import { shown } from '../support/transcript.ts';

const shared = join(import.meta.dirname, '..', '..', '..', 'shared');
const corpus = join(shared, 'corpus');
const fixtures = join(shared, 'fixtures');
const missing = !existsSync(corpus) || !existsSync(fixtures);

function filesBelow(folder: string): string[] {
  if (missing) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(folder, name));
}

type Json = Record<string, unknown>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function blocksOf(message: TranscriptMessage): readonly Json[] {
  return Array.isArray(message.content) ? message.content : [];
}

/** Ids of a file's conversation, found the slow way: every object of every line, split where objects are glued. */
function idsIn(path: string): { calls: Set<string>; results: Set<string>; apiMessages: Set<string> } {
  const found = { calls: new Set<string>(), results: new Set<string>(), apiMessages: new Set<string>() };
  const take = (row: unknown): void => {
    if (!isObject(row) || (row['type'] !== 'user' && row['type'] !== 'assistant')) return;
    if (row['isSidechain'] === true || row['isMeta'] === true || !isObject(row['message'])) return;
    const { id, model, content } = row['message'];
    if (model === '<synthetic>') return;
    if (row['type'] === 'assistant' && typeof id === 'string') found.apiMessages.add(id);
    for (const block of Array.isArray(content) ? content.filter(isObject) : []) {
      if (block['type'] === 'tool_use') found.calls.add(String(block['id']));
      if (block['type'] === 'tool_result') found.results.add(String(block['tool_use_id']));
    }
  };
  const parse = (text: string): boolean => {
    try {
      take(JSON.parse(text));
      return true;
    } catch {
      return false;
    }
  };
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    // Comments and blank lines are no JSON either; a damaged row would show as a difference below.
    if (!parse(line)) line.replaceAll('}{"', '}\n{"').split('\n').forEach(parse);
  }
  return found;
}

describe.skipIf(missing)('a recorded session (skipped where ../shared is not at hand)', () => {
  const sessions = [...filesBelow(corpus), ...filesBelow(join(fixtures, 'claude-code'))].filter(
    (path) => !path.includes('subagents'),
  );

  test.each(sessions)('has every call and every result once, and results right behind their call: %s', async (path) => {
    const { messages } = await readTranscript(path, { all: true });
    const expected = idsIn(path);
    const calls: string[] = [];
    const results: string[] = [];
    for (const [at, message] of messages.entries()) {
      for (const block of blocksOf(message)) {
        if (block['type'] === 'tool_use') calls.push(String(block['id']));
        if (block['type'] !== 'tool_result') continue;
        const id = String(block['tool_use_id']);
        results.push(id);
        const before = messages[at - 1];
        const called = before !== undefined && blocksOf(before).some((call) => call['id'] === id);
        expect(called || !expected.calls.has(id)).toBe(true);
      }
    }
    expect(new Set(calls)).toEqual(expected.calls);
    expect(new Set(results)).toEqual(expected.results);
    expect(calls).toHaveLength(expected.calls.size);
    expect(results).toHaveLength(expected.results.size);
    expect(messages.filter(({ role }) => role === 'assistant')).toHaveLength(expected.apiMessages.size);
    expect(new Set(messages.map(({ uuid }) => uuid)).size).toBe(messages.length);
  });

  test.each(sessions)('ends the same when only its end is read: %s', async (path) => {
    const whole = (await readTranscript(path)).messages;
    for (const last of [1, 7, 60]) {
      const tail = (await readTranscript(path, { last })).messages;
      expect(tail).toEqual(whole.slice(whole.length - tail.length));
      expect(tail.length).toBeGreaterThanOrEqual(Math.min(last, whole.length));
    }
    expect((await parseTranscript(readFileSync(path))).messages).toEqual(whole);
  });

  test.each(sessions)('holds what its last compaction kept, behind the summary: %s', async (path) => {
    const rows = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"compact_boundary"'));
    const metadata = rows
      .map((line): unknown => JSON.parse(line))
      .filter(isObject)
      .at(-1)?.['compactMetadata'];
    const preserved = isObject(metadata) ? metadata['preservedMessages'] : undefined;
    const uuids = isObject(preserved) && Array.isArray(preserved['uuids']) ? preserved['uuids'] : [];
    const { messages, stats } = await readTranscript(path);
    expect(stats.boundaries > 0).toBe(rows.length > 0);
    const [first = ''] = shown(messages);
    expect(first.includes('This session is being continued')).toBe(rows.length > 0);
    const named = new Set<unknown>(messages.map(({ uuid }) => uuid));
    // The first listed row is always the head of an assistant message.
    expect(uuids.slice(0, 1).filter((uuid) => !named.has(uuid))).toEqual([]);
  });

  test('of a module that replaced the compaction ends with its survivors', async () => {
    const [path] = filesBelow(join(fixtures, 'claude-code', 'mod-session-compact'));
    const { messages } = await readTranscript(String(path));
    const roles = messages.map(({ role }) => role).join(' ');
    expect(roles).toBe('user assistant user user assistant');
    expect(shown(messages)[3]).toMatch(/^user: MOD-APPENDED/);
  });

  test("of a sub-agent reads as that agent's conversation", async () => {
    const [path] = filesBelow(join(fixtures, 'claude-code', 'subagent')).filter((file) => file.includes('subagents'));
    expect((await readTranscript(String(path))).messages).toHaveLength(4);
  });
});

describe.skipIf(missing)('a hostile file (skipped where ../shared is not at hand)', () => {
  // What was decided for each: the messages in short, and what the stats must say.
  const research = ['assistant: thinking + call', 'user: result', 'assistant: thinking + text'];
  const decided: [name: string, seen: string[], stats: object][] = [
    ['s01-crlf', ['user: text', ...research], { damagedLines: 0 }],
    ['s02-bom', ['user: text', ...research], { damagedLines: 0 }],
    ['s03-truncated-mid-utf8', ['user: text', ...research], { damagedLines: 1 }],
    ['s04-glued-lines', ['user: text', ...research], { damagedLines: 0, repaired: { glued: 2 } }],
    ['s05-lone-surrogates', ['user: text', 'assistant: text'], { loneSurrogates: 3 }],
    ['s06-nul-hole', ['user: text', ...research], { damagedLines: 0, repaired: { nul: 1 } }],
    ['s07-invalid-utf8', ['user: text', 'user: text', 'user: text'], { repaired: { 'invalid-utf8': 1 } }],
    // A row torn by another writer: the other writer's row is whole, the torn one is lost and counted twice (two pieces).
    ['s08-two-writers-torn', ['user: text', ...research], { damagedLines: 2, repaired: { torn: 1 } }],
    ['s09-deep-nesting', ['user: text', 'assistant: call', 'user: result'], { repaired: { 'too-deep': 1 } }],
    [
      's11-odd-values',
      ['user: text + text + new_kind', 'assistant: text', 'user: text', 'user: text'],
      { damagedLines: 0 },
    ],
    ['s12-resume-duplicated-history', ['user: text', ...research], { skipped: { copy: 7 } }],
    ['s13-parent-cycle', ['user: text', 'assistant: text', 'user: text', 'user: text'], {}],
    // The newest of two calls with one id stays, with the newest result.
    [
      's14-pairing-zoo',
      [
        'user: text',
        'assistant: call',
        'user: result',
        'assistant: call + call + call',
        'user: result + result + result',
        'assistant: call',
        'user: result',
        'user: result',
        'assistant: call',
        'user: text',
        'assistant: call',
      ],
      { repaired: { reordered: 1 } },
    ],
    ['s15-empty', [], { rows: 0, damagedLines: 0 }],
    ['s16-newlines-only', [], { rows: 0, damagedLines: 0 }],
    ['s17-whole-array', ['user: text', ...research], { damagedLines: 0 }],
    // The last boundary has no summary behind it; the stray summary after it is kept as a message.
    ['s18-compaction-shapes', ['user: text', 'user: text'], { boundaries: 1 }],
  ];

  const kinds = (messages: readonly TranscriptMessage[]): string[] =>
    messages.map((message) => {
      const blocks = typeof message.content === 'string' ? [{ type: 'text' }] : blocksOf(message);
      const names = blocks.map(({ type }) => String(type).replace('tool_use', 'call').replace('tool_result', 'result'));
      return `${message.role}: ${names.join(' + ')}`;
    });

  test.each(decided)('%s', async (name, seen, stats) => {
    const path = join(fixtures, 'hostile', `${name}.jsonl`);
    const read = await readTranscript(path);
    expect(kinds(read.messages)).toEqual(seen);
    expect(read.stats).toMatchObject(stats);
    expect((await readTranscript(path, { last: 60 })).messages).toEqual(read.messages);
    expect((await parseTranscript(readFileSync(path))).messages).toEqual(read.messages);
  });

  test('has a decision here', () => {
    const names = filesBelow(join(fixtures, 'hostile')).map((path) =>
      `${path.split('/').at(-1)}`.replace('.jsonl', ''),
    );
    expect(names).toEqual(decided.map(([name]) => name));
  });
});
