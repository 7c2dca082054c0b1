/** The daemon without the command line. Arguments: home, package root. The rest is in the environment. */
import { runDaemon } from '../../../src/daemon/run.ts';
import { defaultModel } from '../../../src/embedding/model.ts';

const [, , home = '', root = ''] = process.argv;
await runDaemon({
  env: process.env,
  home,
  build: '0.1.0',
  model: defaultModel(root),
  readTexts: () => Promise.resolve([]),
  recallForPrompt: async () => ({ text: '', tokens: 0 }),
  recall: () => Promise.resolve([]),
  log: (line) => void process.stderr.write(`${line}\n`),
  idleMs: 600_000,
});
