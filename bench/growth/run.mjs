// How cost grows: ten and a hundred times as much to read, to compact and to store, each against the smallest of the same run.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance, PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { compactContext, readTranscript } from '../../dist/index.mjs';
import { sessionText } from '../compaction/sessions.mjs';
import { transcript } from '../data.mjs';
import { formatMs, formatRatio, median } from '../measure.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.mjs', import.meta.url));
const FACTORS = [1, 10, 100];
const SMALLEST_TOKENS = 20_000;
/** Rounds by factor; small ones are cheap, and unsteady. */
const ROUNDS = { 1: 41, 10: 11, 100: 5 };
const WARMUPS = 10;
/** A hundred times as much may take so many times as long: what is linear, and some for a larger heap. */
const REACH_GROWTH = 150;

let collectedMs = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) collectedMs += duration;
}).observe({ entryTypes: ['gc'] });
/** Collections are told of behind the work that they stopped. */
const told = () => new Promise((resolve) => setImmediate(resolve));

/** Milliseconds by factor of `work(input)`, where `inputOf(factor)` is made anew for each round, not counted. */
async function timeGrowth(inputOf, work) {
  for (let round = 0; round < WARMUPS; round++) await work(inputOf(FACTORS[0]));
  const times = [];
  const collected = [];
  for (const factor of FACTORS) {
    const took = [];
    const collecting = [];
    for (let round = 0; round < ROUNDS[factor]; round++) {
      const input = inputOf(factor);
      await told();
      collectedMs = 0;
      const startedAt = performance.now();
      await work(input);
      took.push(performance.now() - startedAt);
      await told();
      collecting.push(collectedMs);
    }
    times.push(median(took));
    collected.push(median(collecting));
  }
  return Object.assign(times, { collected });
}

function databaseBytes(home) {
  const names = readdirSync(home).filter((name) => name.startsWith('memory.db'));
  return names.reduce((sum, name) => sum + statSync(join(home, name)).size, 0);
}

/** Bytes of the database, and turns in it, after so many compactions of different sessions. */
function storeGrowth(folder) {
  const home = join(folder, 'home');
  const env = { ...process.env, CHITTA_HOME: home, CHITTA_RUNTIME_DIR: '/dev/null', NO_COLOR: '1' };
  const chitta = (args, input) => {
    const result = spawnSync(process.execPath, [cli, ...args], { env, input, encoding: 'utf8', maxBuffer: 1 << 28 });
    if (result.status !== 0) throw new Error(`chitta ${args[0]}: exit ${result.status}\n${result.stderr}`);
    return result.stdout;
  };
  const messages = JSON.parse(sessionText(SMALLEST_TOKENS));
  const grown = [];
  let done = 0;
  for (const factor of FACTORS) {
    let addedMs = 0;
    const count = factor - done;
    for (; done < factor; done++) {
      // The same text under another name would be the same turn.
      const path = join(folder, 'session.jsonl');
      const rows = transcript(messages).replaceAll(
        '00000000-0000-4000-',
        `00000000-${String(done).padStart(4, '0')}-4000-`,
      );
      writeFileSync(path, rows.replaceAll('the ', `the ${done} `));
      const startedAt = performance.now();
      chitta(['compact', path, '--ratio', '0.1', '--stats']);
      addedMs += performance.now() - startedAt;
    }
    const { turns } = JSON.parse(chitta(['memory', 'stats', '--json']));
    grown.push({ turns, bytes: databaseBytes(home), ms: addedMs / count });
  }
  return grown;
}

/** Reads every character of the messages, and does nothing else: what memory costs where a conversation is larger than the caches. */
function readCharacters(messages) {
  let sum = 0;
  for (const { content } of messages) {
    const texts = typeof content === 'string' ? [content] : content.map(({ text, content: held }) => text ?? held);
    for (const text of texts) {
      if (typeof text === 'string') for (let at = 0; at < text.length; at++) sum ^= text.charCodeAt(at);
    }
  }
  return sum;
}

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'chitta-bench-growth-'));
  try {
    const sources = new Map(FACTORS.map((factor) => [factor, sessionText(SMALLEST_TOKENS * factor)]));
    const files = new Map(
      FACTORS.map((factor) => {
        const path = join(folder, `${factor}.jsonl`);
        writeFileSync(path, transcript(JSON.parse(sources.get(factor))));
        return [factor, path];
      }),
    );
    const reading = await timeGrowth(
      (factor) => files.get(factor),
      (path) => readTranscript(path, { all: true, maxBytes: 1 << 30 }),
    );
    const compactions = [];
    for (const [strategy, detail] of [
      ['need', 'excerpt'],
      ['need', 'whole'],
      ['formula', 'whole'],
    ]) {
      const times = await timeGrowth(
        (factor) => JSON.parse(sources.get(factor)),
        (messages) => compactContext({ messages, strategy, detail }),
      );
      compactions.push([strategy === 'formula' ? strategy : `${strategy}, ${detail}`, times]);
    }
    const loop = await timeGrowth((factor) => JSON.parse(sources.get(factor)), readCharacters);
    const formula = compactions.at(-1)[1];
    const store = storeGrowth(folder);
    const [first, , last] = store;
    const row = (name, times) => [
      name,
      ...times.map((ms) => formatMs(ms)),
      formatRatio(times[1] / times[0]),
      formatRatio(times[2] / times[0]),
    ];
    const timed = [
      ['reading the whole transcript', reading],
      ...compactions.map(([name, times]) => [`compaction: ${name}`, times]),
    ];
    const perTurn = ({ bytes, turns }) => Math.round(bytes / turns);
    return {
      name: 'growth',
      title: 'Ten and a hundred times as much',
      columns: ['what', '1 ×', '10 ×', '100 ×', '10 × against 1 ×', '100 × against 1 ×'],
      rows: [
        ...timed.map(([name, times]) => row(name, times)),
        row('a bare loop over all characters', loop),
        [
          'database after 1, 10, 100 compactions',
          ...store.map(({ bytes }) => `${(bytes / 1e6).toFixed(1)} MB`),
          ...[1, 2].map((at) => formatRatio(store[at].bytes / first.bytes)),
        ],
        [
          'one `chitta compact` into that database',
          ...store.map(({ ms }) => formatMs(ms)),
          ...[1, 2].map((at) => formatRatio(store[at].ms / first.ms)),
        ],
      ],
      notes: [
        `Of the formula's time ${FACTORS.map((factor, at) => `at ${factor} × ${Math.round((100 * formula.collected[at]) / formula[at])} %`).join(', ')} went into collecting garbage: the messages themselves, which were made just before.`,
        `1 × is ${SMALLEST_TOKENS.toLocaleString('en')} tokens, ${Math.round(statSync(files.get(1)).size / 1000)} kB as a transcript.`,
        `The database held ${store.map(({ turns }) => turns.toLocaleString('en')).join(', ')} turns: ${store.map((one) => perTurn(one).toLocaleString('en')).join(', ')} bytes each, index included.`,
      ],
      targets: [
        ...timed.map(([name, times]) => ({
          what: `${name}, 100 times as much`,
          reach: `≤ ${REACH_GROWTH} × the time`,
          value: formatRatio(times[2] / times[0]),
          met: times[2] / times[0] <= REACH_GROWTH,
        })),
        {
          what: 'bytes of a turn after 100 compactions against after one',
          reach: '≤ 1.1 ×',
          value: formatRatio(perTurn(last) / perTurn(first)),
          met: perTurn(last) / perTurn(first) <= 1.1,
        },
        {
          what: 'one chitta compact after 100 against the first',
          reach: '≤ 1.3 ×',
          value: formatRatio(last.ms / first.ms),
          met: last.ms / first.ms <= 1.3,
        },
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
