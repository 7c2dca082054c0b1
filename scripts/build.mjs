// Builds dist/ beside the one in use and swaps it in, so that a command, a test or a benchmark that runs meanwhile
// finds a whole build, old or new. Usage: npm run build
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { writeHookScript } from './hook-script.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
// On the same disk as dist/, so that a rename is one step.
mkdirSync(join(root, '.cache'), { recursive: true });
const fresh = mkdtempSync(join(root, '.cache', 'build-'));

try {
  const tsdown = join(root, 'node_modules', 'tsdown', 'dist', 'run.mjs');
  const { status } = spawnSync(process.execPath, [tsdown], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CHITTA_BUILD_TO: fresh },
  });
  if (status !== 0) throw new Error('tsdown failed, see above');
  writeHookScript(join(fresh, 'hook-chunks'), 'process.cjs', join(fresh, 'hook-script.cjs'));
  mkdirSync(dist, { recursive: true });
  const built = readdirSync(fresh);
  // Chunks carry their hash in the name and disturb nobody; the entries that name them come after them.
  const isEntry = (name) => /^(?:cli|index|hook|ingest-thread)\./.test(name);
  for (const name of built.toSorted((a, b) => isEntry(a) - isEntry(b))) renameSync(join(fresh, name), join(dist, name));
  for (const name of readdirSync(dist)) {
    if (!built.includes(name)) rmSync(join(dist, name), { recursive: true, force: true });
  }
} catch (error) {
  process.stderr.write(`build failed: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
