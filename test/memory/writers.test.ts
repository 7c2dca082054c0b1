import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtStore } from './built.ts';
import { beside, MS, newHome, openedAt } from './home.ts';

const ROWS = 300;

/** Archives its rows one call each; the deadline is short on purpose, so that the spool has its part. */
const WRITER = `
  const [store, home, name, rows, deadlineMs] = process.argv.slice(1);
  const { openMemory } = await import(store);
  const memory = openMemory({ home });
  for (let i = 0; i < Number(rows); i++) {
    const uuid = name + i;
    await memory.archive([{ handle: '#' + uuid, session: name, project: '/p', uuid, role: 'user', text: 'row ' + uuid, tokens: 1 }], Number(deadlineMs));
    await memory.recordEpisode({ session: name, project: '/p', lastUuid: uuid, state: 'done', trigger: 'auto', strategy: 'formula',
      beforeTokens: 2, afterTokens: 1, dropped: 1, embedding: false, tookMs: 1 }, Number(deadlineMs));
  }
  memory.close();
`;

let store = '';
beforeAll(async () => {
  store = await builtStore();
}, 60_000);
afterAll(() => rmSync(dirname(store), { recursive: true, force: true }));

function write(home: string, name: string, deadlineMs: number): { done: Promise<string>; kill: () => void } {
  const child = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    WRITER,
    store,
    home,
    name,
    String(ROWS),
    String(deadlineMs),
  ]);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  return {
    done: new Promise((resolve) => {
      child.on('close', (code) => resolve(code === 0 ? '' : `exit ${code}: ${errors}`));
    }),
    kill: () => child.kill('SIGKILL'),
  };
}

test.each([
  ['with time to wait for each other', 5_000],
  ['with no time to wait, so that the spool has to help', 60],
])('two writers at once lose nothing and double nothing, %s', { timeout: 120_000 }, async (_how, deadlineMs) => {
  const home = newHome();
  expect(await Promise.all(['a', 'b'].map((name) => write(home, name, deadlineMs).done))).toEqual(['', '']);
  const { memory, path } = openedAt(home);
  const { turns, episodes, spoolBytes } = await memory.stats(MS);
  expect({ turns, episodes, spoolBytes }).toEqual({ turns: 2 * ROWS, episodes: 2 * ROWS, spoolBytes: 0 });
  expect(beside(path).pragma('integrity_check', { simple: true })).toBe('ok');
});

test(
  'a writer that is killed in the middle leaves a sound database and what it had committed',
  { timeout: 120_000 },
  async () => {
    const home = newHome();
    const { memory, path } = openedAt(home);
    await memory.stats(MS);
    let committed = 0;
    for (let round = 0; round < 5; round += 1) {
      const writer = write(home, `killed${round}-`, 5_000);
      const from = committed;
      while (committed < from + 20) committed = (await memory.stats(MS)).turns;
      writer.kill();
      await writer.done;
      const { turns } = await memory.stats(MS);
      expect(turns).toBeGreaterThanOrEqual(committed);
      committed = turns;
      expect(beside(path).pragma('quick_check', { simple: true })).toBe('ok');
    }
  },
);
