// What it costs the daemon to find archived turns by what they mean: with many of them, beside 10,000 memories. Vectors are random ones; how
// well it finds is measured by `recall`.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import Sqlite from 'better-sqlite3';
import { bundle } from '../daemon/run.mjs';
import { random } from '../data.mjs';
import { formatMs, median } from '../measure.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MS = 60_000;
const DIM = 384;
const COUNTS = [0, 20_000, 50_000];
const MEMORIES = 10_000;
/** Characters of a turn, as on recorded sessions without those of tools. */
const CHARS = 700;
const QUESTIONS = 21;
const REACH_RSS = 300e6;
const PROJECT = '/project';
/** A question that takes longer waited for turns. */
const AT_ONCE_MS = 450;

function vectorOf(next) {
  const vector = Float32Array.from({ length: DIM }, () => next() + next() + next() - 1.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** A home with memories and turns that have their vectors, as they would be after weeks of sessions. */
async function furnish(kit, home, model, count) {
  const next = random(count + 1);
  const store = kit.openMemory({ home });
  await store.stats(MS);
  store.close();
  const db = new Sqlite(join(home, 'memory.db'));
  const memory = db.prepare(
    `INSERT INTO memories (id, kind, project, origin, status, text, hash, created_ms, revision)
     VALUES (?, 'fact', '${PROJECT}', 'person', 'active', ?, ?, 0, ?)`,
  );
  const vector = db.prepare('INSERT INTO vectors (memory_id, model, dim, vector) VALUES (?, ?, ?, ?)');
  const turn = db.prepare(
    `INSERT INTO turns (handle, key, session, project, uuid, role, text, tokens, archived_ms)
     VALUES (?, ?, 's', '${PROJECT}', ?, 'assistant', ?, 200, 0)`,
  );
  const indexes = ['memories', 'turns'].map((of) => db.prepare(`INSERT INTO ${of}_fts (rowid, text) VALUES (?, ?)`));
  const words = () =>
    Array.from({ length: CHARS / 7 }, () => `w${Math.floor(20_000 * next() ** 3).toString(36)}x`).join(' ');
  const texts = Array.from({ length: count }, words);
  db.transaction(() => {
    for (let id = 1; id <= MEMORIES; id++) {
      memory.run(id, `memory ${id}`, String(id), id);
      vector.run(id, model, DIM, Buffer.from(vectorOf(next).buffer));
      indexes[0].run(id, `memory ${id}`);
    }
    db.prepare('UPDATE store SET revision = ?').run(MEMORIES);
    for (const [place, text] of texts.entries()) {
      const { lastInsertRowid } = turn.run(`#${place}`, `u${place}`, `u${place}`, text);
      indexes[1].run(lastInsertRowid, text);
    }
  })();
  db.close();
  const cache = await kit.openVectorCache({ path: join(home, 'vectors.db') });
  for (let from = 0; from < count; from += 1_000) {
    const part = texts.slice(from, from + 1_000);
    cache.put(
      model,
      part.map((text) => [kit.preparedOf(text).hash, vectorOf(next)]),
    );
  }
  cache.close();
}

async function answered(connection, verb, params) {
  const outcome = await connection.call(verb, params, MS);
  if (outcome.state !== 'answered') throw new Error(`${verb}: ${outcome.state}`);
  return outcome.result;
}

let asked = 0;
/** Milliseconds of questions that were not asked before, so that each is embedded. */
async function asking(connection, params) {
  const took = [];
  for (let round = 0; round < QUESTIONS; round++) {
    const query = `question ${asked++}: where do the nightly dumps go`;
    const from = performance.now();
    await answered(connection, 'recall', { query, project: PROJECT, similar: true, limit: 40, ...params });
    took.push(performance.now() - from);
  }
  return median(took);
}

async function measure(kit, folder, count) {
  const runtime = mkdtempSync(join(tmpdir(), 'cht-'));
  const home = join(runtime, 'home');
  mkdirSync(home, { mode: 0o700 });
  const env = { PATH: process.env.PATH, HOME: runtime, CHITTA_RUNTIME_DIR: runtime };
  const { id: model } = kit.defaultModel(root);
  await furnish(kit, home, model, count);
  const server = spawn(process.execPath, [join(folder, 'server.mjs'), home, root], { env, stdio: 'ignore' });
  try {
    const endpoint = kit.endpointOf({ env, home, model });
    const open = async () => {
      for (;;) {
        const connection = await kit.connect(endpoint, '0.1.0', 300);
        if (connection.state === 'connected') return connection;
        await pause(10);
      }
    };
    const [connection, other] = [await open(), await open()];
    while ((await answered(connection, 'status', {})).state !== 'ready') await pause(20);
    await asking(connection, {});
    const { rss_bytes: before } = await answered(connection, 'status', {});
    const wait = { isOver: false, longest: 0 };
    const from = performance.now();
    const ask = () =>
      answered(connection, 'recall', { query: 'the very first', project: PROJECT, similar: true, of: 'turns' });
    let firstMs = 0;
    const all = (async () => {
      const { turns } = await ask();
      firstMs = performance.now() - from;
      if (turns.length === 0 && count > 0) throw new Error('no turn was found');
      for (let took = Infinity; took > AT_ONCE_MS;) {
        const at = performance.now();
        await ask();
        took = performance.now() - at;
      }
    })().finally(() => (wait.isOver = true));
    while (!wait.isOver) {
      const at = performance.now();
      await answered(other, 'status', {});
      wait.longest = Math.max(wait.longest, performance.now() - at);
    }
    await all;
    const built = performance.now() - from;
    const memories = await asking(connection, {});
    const ms = await asking(connection, { of: 'turns' });
    const { rss_bytes: rss } = await answered(connection, 'status', {});
    for (const one of [connection, other]) one.close();
    return { count, before, rss, firstMs, built, longest: wait.longest, memories, ms };
  } finally {
    server.kill('SIGTERM');
    await new Promise((resolve) => server.once('exit', resolve));
    rmSync(runtime, { recursive: true, force: true });
  }
}

export async function run() {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, '.cache', 'bench-turns-'));
  try {
    await bundle(folder);
    const kit = await import(pathToFileURL(join(folder, 'index.mjs')).href);
    const measured = [];
    for (const count of COUNTS) measured.push(await measure(kit, folder, count));
    const most = measured.at(-1);
    const mb = (bytes) => `${Math.round(bytes / 1e6)} MB`;
    return {
      name: 'recall-turns',
      title: `Archived turns by likeness, in a daemon with ${MEMORIES.toLocaleString('en')} memories`,
      columns: [
        'turns',
        'first question',
        'all turns there after',
        'longest wait of another client meanwhile',
        'a question for memories',
        'a question for turns',
        'memory before',
        'memory after',
      ],
      rows: measured.map(({ count, firstMs, built, longest, memories, ms, before, rss }) => [
        count.toLocaleString('en'),
        formatMs(firstMs),
        formatMs(built),
        formatMs(longest),
        formatMs(memories),
        formatMs(ms),
        mb(before),
        mb(rss),
      ]),
      notes: [
        'The first question about a project waits for its turns for half a second at most, and gets the newest; a session’s project is read ahead of time. Every question is embedded anew.',
      ],
      targets: [
        {
          what: `memory of the daemon with ${most.count.toLocaleString('en')} turns`,
          reach: '≤ 300 MB',
          value: mb(most.rss),
          met: most.rss <= REACH_RSS,
        },
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
