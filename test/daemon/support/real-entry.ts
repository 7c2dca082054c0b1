/** The real daemon in a process of its own, without the command line. Arguments: a JSON object. */
import { appendFileSync, readFileSync } from 'node:fs';
import { defaultModel } from '../../../src/embedding/model.ts';
import { runDaemon } from '../../../src/daemon/run.ts';

// The arguments are the tests' own.
const { home, runtimeDir, root, journal, idleMs } = JSON.parse(process.argv[2] ?? '{}') as {
  home: string;
  runtimeDir: string;
  root: string;
  journal: string;
  idleMs?: number;
};

const note = (line: string): void => appendFileSync(journal, `${line}\n`);
const how = await runDaemon({
  env: { ...process.env, CHITTA_RUNTIME_DIR: runtimeDir },
  home,
  build: '1.0.0',
  model: defaultModel(root),
  readTexts: (path) => Promise.resolve(readFileSync(path, 'utf8').split('\n')),
  recallForPrompt: async () => ({ text: '', tokens: 0 }),
  recall: async (store, { query, project, limit, deadlineMs }, findSimilar) => {
    const near = (await findSimilar(query, project, limit, deadlineMs)) ?? [];
    const memories = await store.memoriesById(
      near.map(({ id }) => id),
      deadlineMs,
    );
    return memories.map(({ id, text }) => ({ id, text }));
  },
  log: note,
  idleMs: idleMs ?? 60_000,
  onReady: () => note('serving'),
});
note(`over ${how.state}`);
