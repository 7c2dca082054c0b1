// The daemon from outside: what its client costs a process, how long a start takes, how fast 60 turns are scored, and what reading
// a line costs with and without our own cutting into lines.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ndjson from 'ndjson';
import { build } from 'tsdown';
import { conversation } from '../data.mjs';
import { formatMs, formatRatio, median, timeProcesses } from '../measure.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const programs = fileURLToPath(new URL('programs/', import.meta.url));
const START_ROUNDS = 3;
const TARGET_COLD_MS = 3_000;
const TARGET_RSS = 300e6;
const BARE = 'node -e 0';
const LOADED = 'with the client loaded';
const SCORED = 'with 60 turns scored, warm';
const NDJSON = 'with the ndjson package loaded';

export async function bundle(folder) {
  const names = ['client', 'server', 'index'];
  await build({
    config: false,
    cwd: root,
    entry: Object.fromEntries(names.map((name) => [name, join(programs, `${name}.ts`)])),
    outDir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    fixedExtension: true,
    dts: false,
    logLevel: 'silent',
    deps: { neverBundle: ['better-sqlite3', 'node-llama-cpp'], alwaysBundle: [/.*/] },
  });
}

function textsOf(count) {
  return conversation({ count, tokens: count * 330 }).map(({ content }) =>
    typeof content === 'string'
      ? content
      : content.map((block) => block.text ?? block.content ?? JSON.stringify(block.input)).join('\n'),
  );
}

/** Processor time of a piece of work, the median of some rounds. */
function cpuOf(work, rounds = 7) {
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return median(times);
}

/** A line of the greatest length, as the socket delivers it. */
function parsing({ Lines, MAX_REQUEST_BYTES }) {
  const texts = Array.from({ length: 18 }, (_, index) => `${index} "src/date.ts", line 12; naïveté.\n`.repeat(1_300));
  const frame = Buffer.from(`${JSON.stringify({ id: 1, params: { texts } })}\n`);
  if (frame.length > MAX_REQUEST_BYTES) throw new Error('the line is too long');
  const parts = [];
  for (let from = 0; from < frame.length; from += 65_536) parts.push(frame.subarray(from, from + 65_536));
  const ours = cpuOf(() => {
    const lines = new Lines(() => MAX_REQUEST_BYTES);
    const parser = ndjson.parse({ strict: true });
    for (const part of parts) for (const line of lines.push(part)) parser.write(line);
  });
  const alone = cpuOf(() => {
    const parser = ndjson.parse({ strict: true });
    for (const part of parts) parser.write(part);
  }, 3);
  return { bytes: frame.length, ours, alone };
}

/** The longest that a client waits for a word of the daemon's while it works for another, whose requests are as large as they may be. */
async function longestWait(open) {
  const words = 'The parser reads "src/date.ts", line 12; café and naïveté.\n'.repeat(700);
  const requests = [
    ...Array.from({ length: 40 }, (_, part) =>
      Array.from({ length: 3 }, (_text, index) => `${part} ${index} ${words}`),
    ),
    Array.from({ length: 22 }, (_, index) => `${index} ${words}`),
    Array.from({ length: 5_000 }, (_, index) => `${index} ${words.slice(0, 150)}`),
  ];
  const [one, other] = [await open(), await open()];
  let isOver = false;
  const work = (async () => {
    for (const texts of requests) await one.call('score', { texts, query: 'the parser' }, 1_000);
    isOver = true;
  })();
  let longest = 0;
  for (;;) {
    const askedAt = performance.now();
    await other.call('status', {}, 20_000);
    if (isOver) break;
    longest = Math.max(longest, performance.now() - askedAt);
  }
  await work;
  for (const connection of [one, other]) connection.close();
  return longest;
}

export async function run() {
  // Within the repository, so that the bundles find their packages.
  mkdirSync(join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, '.cache', 'bench-daemon-'));
  const runtime = mkdtempSync(join(tmpdir(), 'chb-'));
  const home = join(runtime, 'home');
  const env = { PATH: process.env.PATH, HOME: runtime, CHITTA_RUNTIME_DIR: runtime };
  let server;
  try {
    await bundle(folder);
    const kit = await import(pathToFileURL(join(folder, 'index.mjs')).href);
    const { id } = kit.defaultModel(root);
    const endpoint = kit.endpointOf({ env, home, model: id });

    const until = async (check) => {
      for (;;) {
        const connection = await kit.connect(endpoint, '0.1.0', 300);
        if (connection.state === 'connected') {
          const outcome = await check(connection);
          connection.close();
          if (outcome !== undefined) return outcome;
        }
        await pause(10);
      }
    };
    const status = () =>
      until(async (connection) => {
        const outcome = await connection.call('status', {}, 5_000);
        return outcome.state === 'answered' ? outcome.result : undefined;
      });
    const starts = { hello: [], vector: [] };
    for (let round = 0; round < START_ROUNDS; round++) {
      if (server) {
        server.kill('SIGTERM');
        await new Promise((resolve) => server.once('exit', resolve));
      }
      const startedAt = performance.now();
      server = spawn(process.execPath, [join(folder, 'server.mjs'), home, root], { env, stdio: 'ignore' });
      await until(() => true);
      starts.hello.push(performance.now() - startedAt);
      // A text that no cache knows.
      await until(async (connection) => {
        const outcome = await connection.call('embed', { texts: [`round ${round} of ${process.pid}`] }, 20_000);
        return outcome.result?.complete === true ? true : undefined;
      });
      starts.vector.push(performance.now() - startedAt);
    }

    const file = join(runtime, 'texts.json');
    const texts = textsOf(60);
    writeFileSync(file, JSON.stringify(texts));
    const client = [join(folder, 'client.mjs'), runtime, home, id];
    // Once, so that the vectors are known.
    await until(async (connection) => {
      const outcome = await connection.call('embed', { texts }, 60_000);
      return outcome.result?.complete === true ? true : undefined;
    });
    const times = timeProcesses(
      [
        { name: BARE, argv: ['-e', '0'] },
        { name: LOADED, argv: client },
        { name: SCORED, argv: [...client, file] },
        {
          name: NDJSON,
          argv: ['-e', `require('node:net');require(${JSON.stringify(join(root, 'node_modules/ndjson'))})`],
        },
      ],
      { env },
    );
    const bare = times.get(BARE);
    const { rss_bytes: rss } = await status();
    const waited = await longestWait(() => kit.connect(endpoint, '0.1.0', 300));
    const { bytes, ours, alone } = parsing(kit);
    const cold = median(starts.vector);
    return {
      name: 'daemon',
      title: 'The daemon and its client',
      columns: ['what', 'measured', 'against'],
      rows: [
        ...[...times].map(([name, ms]) => [`process ${name}`, formatMs(ms), `${formatRatio(ms / bare)} bare node`]),
        ['start to hello', formatMs(median(starts.hello)), ''],
        ['start to first vector', formatMs(cold), ''],
        ['memory after 60 turns', `${Math.round(rss / 1e6)} MB`, ''],
        ['longest wait of a client beside another with much to do', formatMs(waited), ''],
        [`reading a line of ${(bytes / 1e6).toFixed(1)} MB, processor time`, formatMs(ours), ''],
        ['the same by ndjson alone', formatMs(alone), formatRatio(alone / ours)],
      ],
      notes: ['A process with 60 turns scored: connects, sends the texts, takes similarity and coverage, ends.'],
      targets: [
        { what: 'start to first vector', reach: '≤ 3 s', value: formatMs(cold), met: cold <= TARGET_COLD_MS },
        { what: 'memory', reach: '≤ 300 MB', value: `${Math.round(rss / 1e6)} MB`, met: rss <= TARGET_RSS },
      ],
    };
  } finally {
    server?.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
    rmSync(runtime, { recursive: true, force: true });
  }
}
