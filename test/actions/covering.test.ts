import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compactContext } from '../../src/actions/compact.ts';
import { coveringTexts } from '../../src/actions/covering.ts';
import type { Message } from '../../src/messages/types.ts';
import { viewOf } from '../../src/messages/view.ts';
import { openMemory } from '../../src/memory/store.ts';
import type { NewMemory } from '../../src/ports/memories.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';

const MS = 20_000;
/** What the memories below tell of. */
const KNOWN = [1, 2, 3, 4];

function outputOf(n: number): string {
  return Array.from({ length: 6 }, (_, row) => `ledger_${n}_${row} waits for worker_${n}_${row}`).join('\n');
}

function call(n: number): Message[] {
  const id = `toolu_${n}`;
  return [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'Bash', input: { command: `show ledger_${n}_0` } }],
      uuid: `u-${n}`,
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: outputOf(n) }] },
  ];
}

const messages: readonly Message[] = [
  { role: 'user', content: 'Find out who waits.' },
  ...Array.from({ length: 8 }, (_, index) => call(index + 1)).flat(),
  { role: 'assistant', content: KNOWN.map((n) => `I looked at ledger_${n}_0.`).join(' ') },
  { role: 'user', content: 'go on' },
];

const row = (n: number, more: Partial<NewMemory> = {}): NewMemory => ({
  text: outputOf(n),
  kind: 'fact',
  project: '/p',
  session: 'earlier',
  origin: 'person',
  sourceIds: [],
  ...more,
});

let home: string;
let memory: MemoryDatabase;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'chitta-covering-'));
  memory = openMemory({ home });
});
afterEach(() => {
  memory.close();
  rmSync(home, { recursive: true, force: true });
});

async function compacted(): Promise<unknown> {
  const params = { messages, target_ratio: 0.4, detail: 'excerpt', strategy: 'need', explain: true };
  const { messages: kept, decisions, stats } = await compactContext(params, { memory, project: '/p', deadlineMs: MS });
  return { kept, decisions, covered: stats.covered };
}

const store = async (...rows: readonly NewMemory[]): Promise<number[]> => {
  const ids: number[] = [];
  for (const one of rows) ids.push((await memory.remember(one, MS)).memory.id);
  return ids;
};

describe('what counts as a memory of this project', () => {
  test.each([
    ['the project itself', {}],
    ['every project', { project: undefined }],
    ['chitta, made of messages that are not these', { origin: 'auto' as const, sourceIds: ['elsewhere'] }],
  ])('a memory of %s changes what is kept', async (_, more) => {
    const before = await compacted();
    await store(...KNOWN.map((n) => row(n, more)));
    expect(await compacted()).not.toEqual(before);
  });

  test.each([
    ['another project', { project: '/other' }],
    ['a folder below the project', { project: '/p/part' }],
    ['chitta, made of these very messages', { origin: 'auto' as const, sourceIds: ['u-1', 'u-2', 'u-3', 'u-4'] }],
    ['chitta, made of nobody knows what', { origin: 'auto' as const }],
  ])('a memory of %s changes nothing', async (_, more) => {
    const before = await compacted();
    await store(...KNOWN.map((n) => row(n, more)));
    expect(await compacted()).toEqual(before);
  });

  test('a memory that was superseded changes nothing, and so does one that was forgotten', async () => {
    const before = await compacted();
    const old = await store(...KNOWN.slice(0, 2).map((n) => row(n)));
    await memory.remember(row(0, { text: 'Nothing of that holds any more.' }), MS, old);
    const gone = await store(...KNOWN.slice(2).map((n) => row(n)));
    for (const id of gone) await memory.forget(id, MS);
    expect(await compacted()).toEqual(before);
  });
});

test('memories are found by the names last used', async () => {
  await store(row(1), row(7), row(0, { text: 'Tea is served at four.' }));
  const options = { project: '/p', sourceIds: [], deadlineMs: MS };
  const texts = await coveringTexts(messages.map(viewOf), memory, options);
  expect(texts.toSorted()).toEqual([outputOf(1), outputOf(7)]);
});

test.each(['whole', 'excerpt'])(
  'what is dropped because a memory holds it says which one does, under %s',
  async (detail) => {
    await store(row(0, { text: 'Tea is served at four.' }), ...KNOWN.map((n) => row(n)));
    const params = { messages, target_ratio: 0.2, detail, explain: true };
    const { decisions = [] } = await compactContext(params, { memory, project: '/p', deadlineMs: MS });
    const covered = decisions.filter(({ reason }) => reason === 'covered');
    expect(covered.length).toBeGreaterThan(0);
    for (const { names = [], covered_by } of covered) {
      expect(names.some((name) => covered_by?.includes(name.replace(/_\d+$/, '')))).toBe(true);
    }
    expect(decisions.filter(({ reason }) => reason !== 'covered').every((one) => one.covered_by === undefined)).toBe(
      true,
    );
  },
);
