import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { summarizeDigest } from '../../src/actions/digest.ts';
import { addDigestCommand } from '../../src/commands/digest.ts';
import { openMemory } from '../../src/memory/store.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';
import { directive, episode, fact, MS, turn } from '../memory/home.ts';
import type { Bench } from './context.ts';
import { memoryBench } from './memory-bench.ts';

const SESSION = '0f8fad5b-d9cb-469f-a165-70867728950e';
const START = Date.UTC(2026, 0, 1, 10);
const MINUTE = 60_000;

let bench: Bench;
let memory: MemoryDatabase;
let clock: number;
beforeEach(() => {
  bench = memoryBench(addDigestCommand);
  clock = START;
  memory = openMemory({ home: bench.home, now: () => (clock += MINUTE) });
});
afterEach(() => {
  memory.close();
  bench.remove();
});

async function fill(): Promise<void> {
  const { project } = bench;
  const prompt = { session: SESSION, project, tokens: 0, injected: [], toldDirective: undefined };
  await memory.beginSession(SESSION, { project, transcript: undefined, toldDirective: 0 }, MS);
  await memory.recordPrompt({ ...prompt, key: 'a' }, MS);
  const rule = await memory.addDirective(directive('small commits', { project }), MS);
  await memory.addDirective(directive('use tabs', { project, status: 'proposed', who: 'rule' }), MS);
  const { memory: old } = await memory.remember(fact('port is 8080', { project }), MS);
  await memory.remember(fact('port is 9090\nDB_PASSWORD=hunter2', { project }), MS, [old.id]);
  await memory.archive([turn(1, { session: SESSION, project })], MS);
  await memory.recordEpisode(episode({ session: SESSION, project, lastUuid: 'a', state: 'done' }), MS);
  await memory.recordEpisode(episode({ session: 'other', project, lastUuid: 'b' }), MS);
  await memory.addDirective(directive('', { project, status: 'revoked', replaces: rule.id }), MS);
  await memory.addDirective(directive('of another project', { project: '/other' }), MS);
  await memory.remember(fact('of another project', { project: '/other' }), MS);
}

const SINCE = ['--since', '2025-12-31'];

test('tells what happened, each kind in the order in which it happened, masked, the same each time', async () => {
  await fill();
  const text = await bench.run('digest', ...SINCE);
  expect(text.replace(/^# Since .*/, '# Since')).toBe(`# Since

## Directives (3)
- 2026-01-01 10:03  1 accepted, by a person: small commits
- 2026-01-01 10:04  2 proposed, by a rule: use tabs
- 2026-01-01 10:10  3 revoked 1, by a person: small commits

## Memories (3)
- 2026-01-01 10:05  1 fact, by a person: port is 8080
- 2026-01-01 10:06  2 fact, by a person: port is 9090 DB_PASSWORD=[masked:password]
- 2026-01-01 10:06  1 superseded by 2: port is 8080

## Compactions (1)
- 2026-01-01 10:08  1 in ${SESSION}: 48200→18600 tokens, 61% dropped (41 messages, 3 of them covered by memory); auto, formula, with embeddings

## Sessions (1)
- 2026-01-01 10:01  ${SESSION} until 2026-01-01 10:01: 1 prompt, 1 archived turn
`);
  expect(await bench.run('digest', ...SINCE)).toBe(text);
});

test('begins with a session, by the beginning of its id', async () => {
  await memory.addDirective(directive('before it', { project: bench.project }), MS);
  clock += 60 * MINUTE;
  await fill();
  const text = await bench.run('digest', '--since', '0f8fad5b');
  expect(text).toContain('small commits');
  expect(text).not.toContain('before it');
  await expect(bench.run('digest', '--since', 'nobody')).rejects.toMatchObject({ code: 'E_NOT_FOUND' });
});

test('as JSON has the documented fields', async () => {
  await fill();
  const { project, since, directives, memories, compactions, sessions, text, summary } = JSON.parse(
    await bench.run('digest', ...SINCE, '--json'),
  );
  expect({ project, summary }).toEqual({ project: bench.project, summary: null });
  expect(since).toMatch(/^2025-12-3/);
  expect([directives.total, memories.total, compactions.total, sessions.total]).toEqual([3, 3, 1, 1]);
  expect(directives.entries[0]).toEqual({
    at: '2026-01-01T10:03:00.000Z',
    about: 1,
    what: 'accepted, by a person',
    text: 'small commits',
  });
  expect(text).toContain('## Directives (3)');
});

test('is bounded: the newest of each kind, and how many there were', async () => {
  for (let i = 0; i < 50; i += 1)
    await memory.addDirective(directive(`rule ${i} ${'x'.repeat(500)}`, { project: bench.project }), MS);
  const lines = (await bench.run('digest', ...SINCE)).split('\n');
  expect(lines.slice(2, 4)).toEqual(['## Directives (50)', '- … and 10 before these']);
  expect(lines[4]).toContain('rule 10 ');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(300);
});

test('says that nothing happened, on standard error', async () => {
  expect(await bench.run('digest', '--since', '7d')).toBe('');
  expect(bench.said.err).toContain('nothing happened since');
});

test.each(['2026-02-31', '2026-1', 'abc'])('%s is no moment', async (when) => {
  await expect(bench.run('digest', '--since', when)).rejects.toThrow(/There is no such day|It must be a time/);
});

describe('said by a model', () => {
  const digested = { project: '/p', sinceMs: 0, sections: [], text: '# Since' };

  test('is made of the digest alone', async () => {
    const asked: string[] = [];
    const complete = async ({ prompt }: { prompt: string }): Promise<{ text: string; stop: 'end' }> => {
      asked.push(prompt);
      return { text: ' Nothing much.\n', stop: 'end' };
    };
    expect(await summarizeDigest(digested, { complete })).toBe('Nothing much.');
    expect(asked).toEqual(['# Since']);
  });

  test('fails where the model says nothing', async () => {
    await expect(
      summarizeDigest(digested, { complete: async () => ({ text: ' ', stop: 'end' }) }),
    ).rejects.toMatchObject({ code: 'E_SUMMARY' });
  });
});
