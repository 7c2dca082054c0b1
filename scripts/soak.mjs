// Thousands of requests to the real daemon, one in twenty a fault: half frames, garbage, lines without end, clients that vanish.
// Fails if a good request is not answered right, if a file descriptor is lost, or if the daemon grows by 20 MB. Linux only.
// Usage: npm run soak -- [--requests 10000] [--warm-up 3000] [--seed N]
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'tsdown';

const root = fileURLToPath(new URL('..', import.meta.url));
const MAX_GROWTH_BYTES = 20e6;
const text = (value) => ({ type: 'string', default: value });
const { values } = parseArgs({
  options: { requests: text('10000'), 'warm-up': text('3000'), seed: text(String(Date.now() % 1_000_000)) },
});

// Inside the repository, where its packages are found.
mkdirSync(join(root, '.cache'), { recursive: true });
const folder = mkdtempSync(join(root, '.cache', 'soak-'));

async function run() {
  await build({
    config: false,
    cwd: root,
    entry: { run: 'test/faults/support/soak-run.ts', daemon: 'test/daemon/support/real-entry.ts' },
    outDir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    dts: false,
    logLevel: 'error',
    fixedExtension: true,
    deps: { neverBundle: ['better-sqlite3', 'node-llama-cpp'], alwaysBundle: [/.*/] },
  });
  const seed = Number(values.seed);
  const task = {
    root,
    entry: join(folder, 'daemon.mjs'),
    warmUp: Number(values['warm-up']),
    requests: Number(values.requests),
    seed,
  };
  const { status, stdout } = spawnSync(process.execPath, [join(folder, 'run.mjs'), JSON.stringify(task)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) return 1;
  const { good, faults, wrong, wrongs, descriptors, rssBytes, tookMs } = JSON.parse(stdout);
  const grownBytes = rssBytes[1] - rssBytes[0];
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  process.stdout.write(
    [
      `seed ${seed}: ${good} good requests and ${faults} faults in ${Math.round(tookMs / 1_000)} s`,
      `answered wrongly: ${wrong}`,
      ...wrongs.map((one) => `  ${one}`),
      `file descriptors: ${descriptors.join(' → ')}`,
      `memory: ${rssBytes.map(megabytes).join(' → ')}`,
      '',
    ].join('\n'),
  );
  return wrong === 0 && descriptors[1] <= descriptors[0] && grownBytes < MAX_GROWTH_BYTES ? 0 : 1;
}

try {
  process.exitCode = await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
