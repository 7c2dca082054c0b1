// What memories free in a budget and what they cost: `need` told of memories made of the context itself, with what they hold
// counted in full (as if there were none), in half (as chitta does) and not at all. On recorded sessions where there are any
// beside the repository, else on generated ones. Run by bench/covering/run.mjs, or by itself:
// Usage: node bench/retention/covering.mjs [FOLDER OF TRANSCRIPTS] [--factors 0.75,0.5,0]
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'tsdown';
import { transcript } from '../data.mjs';
import { session } from './sessions.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const recorded = join(root, '..', 'shared', 'corpus');
const SESSIONS = 8;
const OPTIONS = { ratios: [0.1, 0.2, 0.4], shares: [0.1, 0.25, 0.5], allFound: [0.5, 1] };
const FACTORS = [0.5, 0];

/** The program as JavaScript, built on the spot. Below the project, so that better-sqlite3 is found. */
async function program() {
  const outDir = join(root, '.cache', 'bench-covering');
  await build({
    config: false,
    cwd: root,
    entry: { covering: fileURLToPath(new URL('programs/covering.ts', import.meta.url)) },
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    fixedExtension: true,
    dts: false,
    logLevel: 'silent',
    deps: { neverBundle: ['better-sqlite3', 'gpt-tokenizer/encoding/o200k_base'] },
  });
  return import(pathToFileURL(join(outDir, 'covering.mjs')).href);
}

function generated() {
  const folder = mkdtempSync(join(tmpdir(), 'chitta-covering-'));
  for (let seed = 1; seed <= SESSIONS; seed++) {
    writeFileSync(join(folder, `session-${String(seed).padStart(2, '0')}.jsonl`), transcript(session({ seed })));
  }
  return folder;
}

async function measure(folder, factors) {
  const { measure } = await program();
  const onTranscript = (done, total) => process.stderr.write(`  session ${done + 1} of ${total}\n`);
  return measure(folder, { ...OPTIONS, factors, onTranscript });
}

async function measureAny(folder, factors) {
  if (folder !== undefined) return ['recorded', await measure(folder, factors)];
  if (existsSync(recorded)) return ['recorded', await measure(recorded, factors)];
  const made = generated();
  try {
    return ['generated', await measure(made, factors)];
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

const points = (share) => (share * 100).toFixed(1);
const signed = (share) => {
  const value = points(share).replace(/^-(?=0\.0$)/, '');
  return share > 0 && value !== '0.0' ? `+${value}` : value;
};
const mean = (estimate) => (estimate === undefined ? '' : points(estimate.mean));
const change = (estimate) =>
  estimate === undefined ? '' : `${signed(estimate.mean)} (${signed(estimate.low)} to ${signed(estimate.high)})`;

function rowOf({ memories, ratio, factor, ...of }) {
  const own = factor === 1 ? () => '' : change;
  return [
    `${ratio}`,
    memories,
    `${factor}`,
    mean(of.kept),
    own(of.keptChange),
    mean(of.reached),
    own(of.reachedChange),
    mean(of.reachedIds),
    own(of.reachedIdsChange),
    mean(of.covered),
    own(of.freed),
  ];
}

async function runOn(folder, factors) {
  const [name, { transcripts, projects, episodes, meanContextTokens, sets, summaries }] = await measureAny(
    folder,
    factors,
  );
  const flawed = summaries.reduce((sum, one) => sum + one.flawed, 0);
  return {
    name: 'covering',
    title: 'What memories free in a budget and what they cost, in percent',
    columns: [
      'budget',
      'memories hold',
      'factor',
      'kept',
      'against factor 1',
      'kept or in a memory',
      'against factor 1',
      'identifiers kept or in a memory',
      'against factor 1',
      'budget that goes to what memories hold',
      'freed',
    ],
    rows: summaries.map(rowOf),
    notes: [
      `${name}: ${transcripts} sessions of ${projects} project${projects === 1 ? '' : 's'}, ${episodes} episodes, ${meanContextTokens.toLocaleString('en')} tokens each on average.`,
      ...sets.map(
        ({ name: set, rows, found, alone }) =>
          `Memories with ${set}: ${Math.round(rows)} rows on average, ${Math.round(found)} of them found by the compaction; without any context they hold ${points(alone)} % of what was needed.`,
      ),
      'In brackets 95 % intervals of the paired differences, bootstrap over sessions. How it is measured: [retention](retention.md#what-memory-frees-and-costs).',
    ],
    targets: [
      {
        what: 'outputs beside memories that are invalid or over their budget',
        reach: '0',
        value: `${flawed}`,
        met: flawed === 0,
      },
    ],
  };
}

/** The benchmark as `npm run bench` runs it. */
export function run() {
  return runOn(undefined, FACTORS);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { factors: { type: 'string' } } });
  const { columns, rows, notes } = await runOn(positionals[0], values.factors?.split(',').map(Number) ?? FACTORS);
  const lines = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  process.stdout.write(`${[...lines, '', ...notes].join('\n')}\n`);
}
