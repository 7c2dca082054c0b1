/**
 * The long soak: the real daemon, with its model and a database. Started by scripts/soak.mjs; prints one line of JSON. With SOAK_MEMORY
 * in the environment the daemon says every few seconds what its memory is made of.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '../../../src/daemon/client.ts';
import { endpointOf } from '../../../src/daemon/places.ts';
import { defaultModel } from '../../../src/embedding/model.ts';
import { openMemory } from '../../../src/memory/store.ts';
import { soak } from './soak.ts';

const BUILD = '1.0.0';
const READY_LOOKS = 600;
/** In megabytes: all that is resident, of it anonymous (heaps of V8 and of native code), V8's heap in use and in all, buffers. */
const WATCH = `
  import { readFileSync } from 'node:fs';
  import { getHeapSpaceStatistics } from 'node:v8';
  const mb = (bytes) => Math.round(bytes / 1e5) / 10;
  setInterval(() => {
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    const anonymous = Number(/^RssAnon:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size;
    const parts = { rss, anonymous, heapTotal, young, heapUsed, external, native: anonymous - heapTotal - external };
    const words = Object.entries(parts).map(([name, bytes]) => name + ' ' + mb(bytes).toFixed(1));
    process.stderr.write(Math.round(process.uptime()) + ' s: ' + words.join(', ') + '\\n');
  }, 3000).unref();
`;
const watched =
  process.env['SOAK_MEMORY'] === undefined ? [] : ['--import', `data:text/javascript,${encodeURIComponent(WATCH)}`];

// The arguments are the script's own.
const { root, entry, warmUp, requests, seed } = JSON.parse(process.argv[2] ?? '{}') as {
  root: string;
  entry: string;
  warmUp: number;
  requests: number;
  seed: number;
};

const folder = mkdtempSync(join(tmpdir(), 'chs-'));
const [home, runtimeDir] = [join(folder, 'home'), join(folder, 'run')];
mkdirSync(home, { mode: 0o700 });
const store = openMemory({ home });
const about = { kind: 'fact', project: undefined, session: undefined, origin: 'person', sourceIds: [] } as const;
for (let index = 0; index < 100; index++) {
  await store.remember(
    { ...about, text: `The harbour of meadow ${index} is behind the window of the orchard.` },
    5_000,
  );
}
store.close();
const endpoint = endpointOf({ env: { CHITTA_RUNTIME_DIR: runtimeDir }, home, model: defaultModel(root).id });
const script = { home, runtimeDir, root, journal: join(folder, 'journal') };
const child = spawn(process.execPath, [...watched, entry, JSON.stringify(script)], {
  stdio: ['inherit', 'ignore', 'inherit'],
});

/** Ready, and all memories have their vectors. */
async function isReady(): Promise<boolean> {
  const connection = await connect(endpoint, BUILD, 300);
  if (connection.state === 'absent') return false;
  const outcome = await connection.call('status', {}, 2_000);
  connection.close();
  return (
    outcome.state === 'answered' && outcome.result['state'] === 'ready' && Number(outcome.result['embedded']) >= 100
  );
}

try {
  for (let look = 0; look < READY_LOOKS && !(await isReady()); look++) await pause(100);
  const result = await soak({ endpoint, build: BUILD, pid: child.pid ?? 0, warmUp, requests, seed });
  process.stdout.write(`${JSON.stringify(result)}\n`);
} finally {
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
}
