/** The whole daemon with the model that comes with chitta and a database of its own. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Connection } from '../../src/daemon/client.ts';
import { type DaemonControl, daemonControl } from '../../src/daemon/control.ts';
import { type Endpoint, endpointOf } from '../../src/daemon/places.ts';
import { prepare } from '../../src/daemon/texts.ts';
import { openVectorCache } from '../../src/embedding/cache.ts';
import { defaultModel } from '../../src/embedding/model.ts';
import { openMemory } from '../../src/memory/store.ts';
import { probeLlama } from '../../src/platform/native.ts';
import { CLI } from '../support/cli.ts';
import { bundleEntry, eventually, exitOf, repository } from './support/rig.ts';

const BUILD = '1.0.0';
const model = defaultModel(repository);
const absence = ((): string | undefined => {
  const llama = probeLlama();
  if (llama.state !== 'ok') return llama.reason;
  return existsSync(model.path) ? undefined : `${model.path} is missing`;
})();

const folder = mkdtempSync(join(tmpdir(), 'chr-'));
const home = join(folder, 'home');
const runtimeDir = join(folder, 'run');
const journal = join(folder, 'journal');
const endpoint: Endpoint = endpointOf({ env: { CHITTA_RUNTIME_DIR: runtimeDir }, home, model: model.id });
let command: [string, ...string[]] = [''];
let removeBundle = (): void => undefined;
const children: ChildProcess[] = [];

beforeAll(async () => {
  mkdirSync(home, { mode: 0o700 });
  const bundle = await bundleEntry('real-entry.ts');
  removeBundle = bundle.remove;
  command = [process.execPath, bundle.path, JSON.stringify({ home, runtimeDir, root: repository, journal })];
}, 60_000);

afterAll(async () => {
  await control().stop();
  for (const child of children) child.kill('SIGKILL');
  removeBundle();
  rmSync(folder, { recursive: true, force: true });
});

function control(): DaemonControl {
  return daemonControl({ endpoint, build: BUILD, home, env: process.env, command });
}

async function connected(): Promise<Connection> {
  const connection = await eventually(async () => {
    const one = await connect(endpoint, BUILD, 300);
    return one.state === 'connected' && one;
  }, 'a daemon');
  return connection;
}

test.skipIf(absence !== undefined)(
  `starts within its time, scores by meaning, covers what was remembered, and ends${absence === undefined ? '' : ` (skipped: ${absence})`}`,
  async () => {
    const store = openMemory({ home });
    const text = 'The deployment runs on Kubernetes in the Frankfurt region.';
    const about = { kind: 'fact', project: '/p', session: undefined, origin: 'person', sourceIds: [] } as const;
    await store.remember({ ...about, text }, 5_000);

    expect(await control().status()).toMatchObject({ running: false, reason: 'none' });
    const waits: number[] = [];
    expect(await control().start((tookMs) => waits.push(tookMs))).toEqual({ state: 'ready' });
    expect(waits.length).toBeGreaterThan(0);
    expect(await control().start(() => undefined)).toEqual({ state: 'was-running' });
    await eventually(async () => (await store.missingVectors(model.id, 1, 2_000)).length === 0, 'its vector');

    const connection = await connected();
    const texts = [text, 'We deploy to Kubernetes, region Frankfurt.', 'Bananas are rich in potassium.', ''];
    const score = await connection.call(
      'score',
      { texts, query: 'where does it run in production?', project: '/p' },
      20_000,
    );
    if (score.state !== 'answered') throw new Error(score.state);
    // As docs/daemon.md has them.
    const [similarity, coverage] = [score.result['similarity'] as number[], score.result['coverage'] as number[]];
    expect(score.result['vectors']).toEqual({ used: 3, total: 3 });
    expect(similarity[0]).toBeGreaterThan(similarity[2] ?? 1);
    expect(coverage[0]).toBeGreaterThan(0.95);
    expect(coverage[2]).toBeLessThan(0.3);
    expect(coverage[3]).toBeNull();
    expect(await connection.call('recall', { query: 'in which region is it?', project: '/p' }, 20_000)).toMatchObject({
      result: { hits: [{ text }], vector: true },
    });

    const later = 'Backups are kept in a second account for ninety days.';
    const question = { texts: [later], project: '/p' };
    await connection.call('score', question, 20_000);
    await store.remember({ ...about, text: later }, 5_000);
    // The very next request knows it, nothing waited for.
    expect(await connection.call('score', question, 20_000)).toMatchObject({
      result: { coverage: [expect.closeTo(1, 2)] },
    });
    connection.close();

    // What was said in a transcript that was followed is found afterwards, by a question in other words.
    const following = await connected();
    const transcript = join(folder, 'followed');
    const spoken = 'We chose PostgreSQL over MongoDB for the orders.';
    const others = ['Let me look at the parser first.', 'The linter complains about an unused import.'];
    writeFileSync(transcript, [...others, spoken].join('\n'));
    const embedded = async (): Promise<number> => {
      const now = await control().status();
      return now.running ? Number(now.fields['embedded']) : 0;
    };
    const before = await embedded();
    await following.call('follow', { path: transcript, session: 's' }, 5_000);
    await eventually(async () => (await embedded()) >= before + 3, 'vectors of what was said');
    following.close();
    const project = join(realpathSync(folder), 'project');
    mkdirSync(project);
    const turn = { session: 's', project, role: 'assistant', tokens: 20, left: true } as const;
    await store.archive(
      [...others, spoken].map((line, place) => ({ ...turn, text: line, handle: `#turn00${place}`, uuid: `u${place}` })),
      5_000,
    );
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [CLI, 'recall', '--json', 'which database did you pick'],
      {
        cwd: project,
        env: { PATH: process.env['PATH'], HOME: home, CHITTA_HOME: home, CHITTA_RUNTIME_DIR: runtimeDir },
      },
    );
    const { found } = JSON.parse(stdout) as { found: { handle?: string }[] };
    expect(found.map(({ handle }) => handle)).toContain('#turn002');

    const path = join(folder, 'session');
    writeFileSync(path, 'one turn\nanother turn');
    expect(await control().warm(readFileSync(path, 'utf8').split('\n'), () => undefined)).toEqual({
      done: 2,
      total: 2,
    });

    const status = await control().status();
    if (!status.running) throw new Error(status.detail);
    expect(status.fields).toMatchObject({ build: BUILD, model: model.id, state: 'ready', memory: true });
    expect(status.fields['rss_bytes']).toBeLessThan(300e6);
    for (const name of ['vectors.db', 'memory.db', 'daemon.log']) {
      expect((statSync(join(home, name)).mode & 0o077).toString(8)).toBe('0');
    }
    expect(readFileSync(join(home, 'daemon.log'), 'utf8')).toBe('');
    expect(await control().stop()).toEqual({ state: 'stopped' });
    expect(await control().stop()).toEqual({ state: 'none' });
    store.close();
    expect(readFileSync(journal, 'utf8')).toContain('over ended');
  },
  120_000,
);

test.skipIf(absence !== undefined)(
  `what was embedded before a kill −9 is known afterwards; SIGTERM ends it in order${absence === undefined ? '' : ` (skipped: ${absence})`}`,
  async () => {
    const [program, ...args] = command;
    const start = (): ChildProcess => {
      const child = spawn(program, args, { stdio: 'inherit' });
      children.push(child);
      return child;
    };
    const first = start();
    const texts = ['a sentence about parsers', 'a sentence about rivers'];
    const connection = await connected();
    await connection.call('embed', { texts }, 30_000);
    // Vectors are written down a moment later.
    const isKept = async (): Promise<boolean> => {
      const cache = await openVectorCache({ path: join(home, 'vectors.db') });
      const vectors = cache.get(
        model.id,
        texts.map((one) => prepare(one).hash),
      );
      cache.close();
      return vectors.every((vector) => vector !== undefined);
    };
    await eventually(isKept, 'its vectors in the file');
    first.kill('SIGKILL');
    await exitOf(first);
    const second = start();
    const again = await connected();
    expect(await again.call('embed', { texts }, 30_000)).toMatchObject({ result: { complete: true } });
    // Known, not made again.
    expect(await again.call('status', {}, 30_000)).toMatchObject({ result: { embedded: 0 } });
    again.close();
    // What is being loaded cannot be interrupted.
    await eventually(async () => {
      const one = await connected();
      one.close();
      return one.hello.state === 'ready';
    }, 'its model');
    second.kill('SIGTERM');
    expect(await exitOf(second)).toBe(0);
    expect(existsSync(endpoint.socket)).toBe(false);
  },
  120_000,
);
