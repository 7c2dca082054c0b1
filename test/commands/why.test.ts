import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addWhyCommand } from '../../src/commands/why.ts';
import { openMemory } from '../../src/memory/store.ts';
import type { Episode, JudgedTurn } from '../../src/ports/episodes.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';
import type { Bench } from './context.ts';
import { memoryBench } from './memory-bench.ts';

const MS = 5_000;
let bench: Bench;
let memory: MemoryDatabase;

beforeEach(() => {
  bench = memoryBench(addWhyCommand);
  let clock = Date.UTC(2026, 0, 1);
  memory = openMemory({ home: bench.home, now: () => (clock += 1_000) });
});
afterEach(() => {
  memory.close();
  bench.remove();
});

const judged = (handle: string, line: string): JudgedTurn => ({
  handle,
  role: 'user',
  tokens: 12,
  score: 0.75,
  reason: 'protected',
  line,
});

const episode = (more: Partial<Episode> = {}): Episode => ({
  session: 's1',
  project: bench.project,
  lastUuid: 'a',
  state: 'proposed',
  trigger: 'auto',
  strategy: 'formula',
  beforeTokens: 48_200,
  afterTokens: 18_600,
  dropped: 41,
  covered: 3,
  embedding: true,
  tookMs: 84,
  decisions: { kept: [judged('#aaaaaaa', 'keep \u001b[2Jthis')], dropped: [judged('#bbbbbbb', 'drop that')] },
  ...more,
});

async function compacted(): Promise<void> {
  await memory.recordEpisode(episode(), MS);
  await memory.finishEpisode('s1', MS);
  const audit = {
    identifiers: { checked: 9, lost: ['a_name', 'b_name'] },
    constraints: { checked: 1, lost: ['Never drop data.'] },
  };
  await memory.noteEpisode('s1', { restored: '[chitta:restored]\nthis\n[/chitta:restored]', audit }, MS);
}

test('shows what was kept, dropped, lost and given back', async () => {
  await compacted();
  await memory.recordEpisode(episode({ session: 's2', lastUuid: 'b' }), MS);
  expect(await bench.run('why')).toMatchInlineSnapshot(`
    "2026-01-01T00:00:02.000Z  done
    48200→18600 tokens, 61% dropped (41 messages, 3 of them covered by memory); auto, formula, with embeddings

    What was to survive, best first
      #aaaaaaa  0.75  protected, user, 12 tokens: keep this

    What was let go, newest first (chitta show HANDLE)
      #bbbbbbb  0.75  protected, user, 12 tokens: drop that

    What the summary does not hold
      1 of 1 constraints of the user
        Never drop data.
      2 of 9 names in use
        a_name, b_name

    What was given back to the context
    [chitta:restored]
    this
    [/chitta:restored]
    "
  `);
});

test('as JSON, with all that is known and null for what is not', async () => {
  await compacted();
  const printed = JSON.parse(await bench.run('why', '--json'));
  expect(printed).toMatchObject({
    state: 'done',
    decisions: { kept: [{ handle: '#aaaaaaa' }], dropped: [{ handle: '#bbbbbbb' }] },
    restored: '[chitta:restored]\nthis\n[/chitta:restored]',
    audit: { identifiers: { checked: 9, lost: ['a_name', 'b_name'] }, constraints: { lost: ['Never drop data.'] } },
  });
  await memory.recordEpisode(episode({ session: 's2', decisions: undefined, state: 'done' }), MS);
  expect(JSON.parse(await bench.run('why', '--session', 's2', '--json'))).toMatchObject({
    decisions: null,
    restored: null,
    audit: null,
  });
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'memory-format.md'), 'utf8');
  for (const field of ['decisions', 'restored', 'audit']) expect(page).toContain(`\`${field}\``);
});

test('where none was done, shows the one that was proposed, and says so', async () => {
  await memory.recordEpisode(episode(), MS);
  expect(await bench.run('why')).toContain('proposed: the host has not reported');
});

test('where there was none, says what to look at', async () => {
  await expect(bench.run('why')).rejects.toMatchObject({ code: 'E_NOT_FOUND', hint: expect.stringContaining('--all') });
  await compacted();
  await expect(bench.run('why', '--session', 'other')).rejects.toMatchObject({ code: 'E_NOT_FOUND' });
});
