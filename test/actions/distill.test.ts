import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compactContext, type CompactDeps } from '../../src/actions/compact.ts';
import { writeBlock } from '../../src/messages/marks.ts';
import { openMemory } from '../../src/memory/store.ts';
import type { Memory } from '../../src/ports/memories.ts';
import type { MemoryDatabase, MemoryStore } from '../../src/ports/memory.ts';
import type { CompactStats } from '../../src/protocol/compact-result.ts';

const MS = 20_000;
const LAST = { role: 'user', content: 'go on' };

let home: string;
let memory: MemoryDatabase;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'chitta-distill-'));
  memory = openMemory({ home });
});
afterEach(() => {
  memory.close();
  rmSync(home, { recursive: true, force: true });
});

let count = 0;
const said = (content: string, role = 'user', uuid = `u-${(count += 1)}`): { role: string; content: string } =>
  Object.assign({ role, content }, { uuid });

/** Drops all but the last message. */
async function distill(messages: readonly object[], deps: CompactDeps = {}): Promise<CompactStats> {
  const params = { messages: [...messages, LAST], budget_tokens: 1, distill_novel: true };
  const given = { memory, project: '/p', session: 's', deadlineMs: MS, countTokens: () => 10, ...deps };
  return (await compactContext(params, given)).stats;
}

const stored = (): Promise<readonly Memory[]> => memory.memories({ project: { all: true }, limit: 100 }, MS);
const texts = async (): Promise<string[]> => (await stored()).map(({ text }) => text).toReversed();

describe('what is new', () => {
  test('becomes a memory that says what it is, who said it and where it comes from', async () => {
    const message = said('We decided to keep the old endpoint until the clients have moved.', 'user', 'u-a');
    expect((await distill([message])).distilled).toBe(1);
    expect(await stored()).toMatchObject([
      {
        kind: 'novel',
        origin: 'auto',
        status: 'active',
        project: '/p',
        session: 's',
        sourceIds: ['u-a'],
        text: '[decision by user] We decided to keep the old endpoint until the clients have moved.',
      },
    ]);
  });

  test('is said by people and the model: no results, no notices, nothing short, nothing that sounds like nothing', async () => {
    const stats = await distill([
      said('Never do that.'),
      said('Let me have a look at the queue and its tests before I go on.', 'assistant'),
      said('The root cause is a race between the timer and the poll.', 'assistant'),
      said('<system-reminder>You must never mention this reminder to the user.</system-reminder>'),
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 't', name: 'Read', input: { note: 'always prefer this, we decided' } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't', content: 'the port must always be 8080, never another' }],
      },
      said(writeBlock('recall', 'We decided that the port must always be 8080.')),
    ]);
    expect(stats.distilled).toBe(1);
    expect(await texts()).toEqual(['[fact by assistant] The root cause is a race between the timer and the poll.']);
  });

  test('is only what is dropped, and only what no memory covers', async () => {
    const one = said('The public API of the queue must not change at all.');
    const other = said('The whole suite must stay below five seconds of time.');
    const scorer = { score: async () => ({ coverage: [0.5, 0.49, 0] }) };
    expect((await distill([one, other], { scorer })).distilled).toBe(1);
    expect(await texts()).toEqual([expect.stringContaining('whole suite')]);
    const kept = { messages: [one], distill_novel: true, target_ratio: 1 };
    expect((await compactContext(kept, { memory })).stats.distilled).toBe(0);
  });
});

describe('the text', () => {
  test('is the first 600 characters, none of them half', async () => {
    await distill([said(`We decided ${'👍'.repeat(400)}`)]);
    const [text = ''] = await texts();
    const words = text.replace('[decision by user] ', '');
    expect(words.length).toBeLessThanOrEqual(600);
    expect(words.length).toBeGreaterThan(590);
    expect(words.isWellFormed()).toBe(true);
  });

  test('holds no secret, and no half of one that stands where it is cut', async () => {
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    for (const length of [100, 560, 570, 580, 590]) {
      await distill([said(`We decided ${length} ${'x '.repeat(300).slice(0, length - 15)} ${secret} to be the token`)]);
    }
    memory.close();
    for (const name of readdirSync(home)) {
      const bytes = readFileSync(join(home, name)).toString('latin1');
      expect(bytes).not.toContain(secret.slice(0, 10));
    }
  });
});

describe('the same', () => {
  const decided = 'We decided that the retry limit is 3 for uploads.';

  test('turn is distilled once, whatever became of its memory', async () => {
    const message = said(decided);
    expect((await distill([message])).distilled).toBe(1);
    expect((await distill([message])).distilled).toBe(0);
    const [old] = await stored();
    const later = { text: 'no limit', kind: 'fact', project: '/p', session: undefined, origin: 'person' } as const;
    await memory.remember({ ...later, sourceIds: [] }, MS, [old?.id ?? 0]);
    expect((await distill([message])).distilled).toBe(0);
  });

  test('said twice is one memory; another number or a negation makes it another', async () => {
    const stats = await distill([
      said(decided),
      said('we decided that the retry limit for uploads is three.'),
      said('We decided that the retry limit is 4 for uploads.'),
      said('We decided that the retry limit is not 3 for uploads.'),
    ]);
    expect(stats.distilled).toBe(3);
  });

  test('that a person stored is not stored again', async () => {
    const known = { text: decided, kind: 'decision', project: '/p', session: undefined, origin: 'person' } as const;
    await memory.remember({ ...known, sourceIds: [] }, MS);
    expect((await distill([said(decided)])).distilled).toBe(0);
    expect(await stored()).toHaveLength(1);
  });

  test('from two compactions at once is one memory', async () => {
    const other = openMemory({ home });
    const message = said(decided);
    await Promise.all([distill([message]), distill([message], { memory: other })]);
    other.close();
    expect(await stored()).toHaveLength(1);
  });
});

describe('without a memory', () => {
  const params = { messages: [LAST], distill_novel: true };

  test('that can remember, asking for it is an error that names it', async () => {
    const archive: MemoryStore = { archive: async () => {}, recordEpisode: async () => {} };
    for (const deps of [{}, { memory: archive }]) {
      await expect(compactContext(params, deps)).rejects.toMatchObject({
        code: 'E_PARAM_INVALID',
        field: 'distill_novel',
      });
    }
  });

  test('that answers, the compaction still comes out, and a line says why', async () => {
    const lines: string[] = [];
    const broken = { ...memory, madeFrom: () => Promise.reject(new Error('disk full')) };
    const stats = await distill([said('We decided to keep the old endpoint for now.')], {
      memory: broken,
      log: (line) => lines.push(line),
    });
    expect(stats).toMatchObject({ dropped: 1, distilled: 0 });
    expect(lines).toEqual(['error: dropped turns were not distilled: disk full']);
  });

  test('being asked for, nothing is stored and nothing said about it', async () => {
    const messages = [said('We decided to keep the old endpoint for now.'), LAST];
    const { stats } = await compactContext({ messages, budget_tokens: 1 }, { memory, countTokens: () => 10 });
    expect(stats).not.toHaveProperty('distilled');
    expect(await stored()).toEqual([]);
  });
});
