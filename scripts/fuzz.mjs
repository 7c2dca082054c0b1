// Runs the fuzzing for as long as it is told: generated and damaged input into everything that reads input.
// Usage: npm run fuzz -- [--minutes 5] [--seed N] [--target NAME] [--path P]   (the last three: a failing case again)
import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';

const root = fileURLToPath(new URL('..', import.meta.url));
/** No turn of a target takes so long: an input that hangs it is worth a failure, not a long wait. */
const HANG_MS = 600_000;

// Inside the repository, where its packages are found.
mkdirSync(join(root, '.cache'), { recursive: true });
const folder = mkdtempSync(join(root, '.cache', 'fuzz-'));

async function run() {
  await build({
    config: false,
    cwd: root,
    entry: { run: 'test/fuzz/run.ts' },
    outDir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    dts: false,
    clean: false,
    logLevel: 'error',
    fixedExtension: true,
  });
  return new Promise((resolve) => {
    const child = fork(join(folder, 'run.mjs'), process.argv.slice(2), {
      cwd: root,
      execArgv: ['--stack-trace-limit=6'],
    });
    let current = {};
    let hung;
    const watch = () => {
      clearTimeout(hung);
      hung = setTimeout(() => {
        process.stdout.write(
          `HANG ${current.target}: npm run fuzz -- --target '${current.target}' --seed ${current.seed}\n`,
        );
        child.kill('SIGKILL');
      }, HANG_MS);
    };
    child.on('message', (message) => {
      current = message;
      watch();
    });
    child.on('close', (code) => {
      clearTimeout(hung);
      resolve(code ?? 1);
    });
  });
}

try {
  process.exitCode = await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
