import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compactChecked } from '../../src/actions/compact.ts';
import { guideSummary, type GuideDeps } from '../../src/actions/guide.ts';
import type { Message } from '../../src/messages/types.ts';
import type { CompactParams } from '../../src/protocol/compact-params.ts';
import { brokenConversation } from '../support/conversation.ts';

/** The real compaction behind a transcript in memory; keeps what it was asked. */
function depsOf(messages: readonly Message[]): GuideDeps & { asked: CompactParams[] } {
  const asked: CompactParams[] = [];
  return {
    asked,
    readTranscript: async () => ({ messages }),
    compact: async (params) => {
      asked.push(params);
      return compactChecked(params);
    },
  };
}

const REQUEST = { transcriptPath: '/t.jsonl', focus: undefined, maxChars: 10_000, targetRatio: 0.4 };

const CONVERSATION: Message[] = [
  { role: 'user', content: 'Move the cache to Redis. Never change the public API.' },
  ...Array.from({ length: 12 }, (_, i): Message[] => [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: `r${i}`, name: 'Read', input: { file_path: `/f${i}.ts` } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: `r${i}`, content: 'line of a file\n'.repeat(80) }] },
  ]).flat(),
  { role: 'assistant', content: 'The key prefix is `cache:v3`, set in `src/cache.ts` by the constructor.' },
  { role: 'user', content: 'go on' },
];

describe('the query', () => {
  test("is the user's words behind /compact", async () => {
    const deps = depsOf(CONVERSATION);
    await guideSummary({ ...REQUEST, focus: ' the key prefix, DB_PASSWORD=hunter2 ' }, deps);
    expect(deps.asked[0]?.query).toBe('the key prefix, DB_PASSWORD=[masked:password]');
  });

  test.each([undefined, '', '  '])('is the state of the session when there are none (%j)', async (focus) => {
    const deps = depsOf(CONVERSATION);
    await guideSummary({ ...REQUEST, focus }, deps);
    expect(deps.asked[0]?.query).toContain('Move the cache to Redis.');
    expect(deps.asked[0]).toMatchObject({ explain: true, targetRatio: 0.4 });
  });
});

test('names what must stay and what may go', async () => {
  const { text } = await guideSummary(REQUEST, depsOf(CONVERSATION));
  expect(text).toContain('> go on\n> Move the cache to Redis. Never change the public API.');
  expect(text).toContain('cache:v3');
  expect(text).toContain('/f11.ts (read)');
  expect(text).toMatch(/May be left out: .*: Read \([0-9]+\)\./);
});

test("leaves the user's focus to the host, which passes it on by itself", async () => {
  expect((await guideSummary({ ...REQUEST, focus: 'xyzzy first' }, depsOf(CONVERSATION))).text).not.toContain('xyzzy');
});

test('says nothing about an empty context', async () => {
  const deps = depsOf([]);
  expect(await guideSummary(REQUEST, deps)).toEqual({ text: '', stats: undefined, lastUuid: undefined });
  expect(deps.asked).toEqual([]);
});

test('a secret that was spoken of is masked', async () => {
  const token = ['gh', 'p_', 'Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j'].join('');
  const messages: Message[] = [
    { role: 'user', content: `deploy with ${token}` },
    { role: 'assistant', content: `I will use the token \`${token}\` for the deployment of the service.` },
  ];
  const { text } = await guideSummary(REQUEST, depsOf(messages));
  expect(text).not.toContain(token.slice(4, 12));
  expect(text).toContain('deploy with [masked:github-token]');
});

test.each([10_000, 1_500])('stays within %i characters and is never a JSON object', async (maxChars) => {
  await fc.assert(
    fc.asyncProperty(brokenConversation(), async (messages) => {
      const { text } = await guideSummary({ ...REQUEST, maxChars }, depsOf(messages));
      expect(text.length).toBeLessThanOrEqual(maxChars);
      expect(text.isWellFormed()).toBe(true);
      expect(text.trimStart().startsWith('{')).toBe(false);
    }),
    { numRuns: 60 },
  );
});
