// How fast past sessions come into the archive: the whole command in a process of its own, against only reading the bytes.
import { execFile } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { median } from '../measure.mjs';
import { writeTranscript } from './data.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.mjs', import.meta.url));
/** Megabytes of a transcript that is made up, and how often it is read. */
const CASES = [
  [20, 5],
  [60, 5],
  [500, 1],
];
/** Recorded sessions, where there are some; each file is small. */
const RECORDED = fileURLToPath(new URL('../../../shared/corpus', import.meta.url));
const WANTED_MB_S = 20;
const MOST_MEMORY_MB = 400;

/** What each step gave when it was made, measured by itself, in time of the processor for 60 MB made up. */
const TRIED = [
  'What paid, each by itself, in seconds of the processor for 60 MB: the second copy of a result not decoded, and a compaction looked for without copying, 1.85 → 1.45; parts of 4 MB instead of 16, 1.9 → 1.4; a look for any word that tells a secret before the masks that need one, 0.70 → 0.30; an index that gathers 16 MB of words instead of 1 before it writes, 1.2 → 1.0; texts handed from thread to thread as bytes, two fifths less memory touched for the first time.',
  'What did not: more or less merging in the index, fewer checkpoints, a larger cache of pages by itself. Without overwriting what is deleted (`secure_delete`) writing takes a fifth less; that is not given up, since what is forgotten has to leave the file.',
];

/** Runs the command; its report, and the most memory that its process had. */
function ingest(folder, file) {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    CHITTA_HOME: join(folder, 'home'),
    CHITTA_RUNTIME_DIR: '/dev/null',
  };
  const script = `process.argv.splice(1, 1); process.on('exit', () => { const used = process.resourceUsage(); process.stderr.write('rss ' + used.maxRSS + ' cpu ' + (used.userCPUTime + used.systemCPUTime)); }); import(${JSON.stringify(cli)});`;
  const args = ['--input-type=module', '--eval', script, 'node', cli, 'ingest', '--json', file];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env }, (error, stdout, stderr) => {
      if (error) reject(error);
      else
        resolve({
          ...JSON.parse(stdout),
          memoryMb: Number(/rss (\d+)/.exec(stderr)?.[1]) / 1024,
          cpuMs: Number(/cpu (\d+)/.exec(stderr)?.[1]) / 1000,
        });
    });
  });
}

async function read(files) {
  const started = performance.now();
  for (const file of files)
    for await (const chunk of createReadStream(file, { highWaterMark: 1_048_576 })) if (chunk.length === 0) break;
  return performance.now() - started;
}

/** Medians of reading what is at a path into a new archive, so often. */
async function measured(path, files, rounds) {
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const runs = [];
  for (let round = 0; round < rounds; round += 1) {
    const home = mkdtempSync(join(tmpdir(), 'chitta-bench-ingest-'));
    try {
      const readMs = await read(files);
      const { took_ms: tookMs, turns, memoryMb, cpuMs } = await ingest(home, path);
      const stored = statSync(join(home, 'home', 'memory.db')).size;
      runs.push({ tookMs, turns, memoryMb, cpuMs, stored, readMs });
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
  const of = (field) => median(runs.map((run) => run[field]));
  const tookMs = of('tookMs');
  return {
    speed: bytes / 1e3 / tookMs,
    memoryMb: of('memoryMb'),
    cells: [
      (bytes / 1e6).toFixed(0),
      of('turns'),
      tookMs,
      (bytes / 1e3 / tookMs).toFixed(1),
      (bytes / 1e3 / of('cpuMs')).toFixed(1),
      (tookMs / of('readMs')).toFixed(0),
      of('memoryMb').toFixed(0),
      (of('stored') / 1e6).toFixed(0),
    ],
  };
}

export async function run() {
  const results = [];
  const take = async (name, path, files, rounds) => results.push({ name, ...(await measured(path, files, rounds)) });
  const folder = mkdtempSync(join(tmpdir(), 'chitta-bench-transcripts-'));
  try {
    for (const [megabytes, rounds] of CASES) {
      const file = join(folder, 'session.jsonl');
      writeTranscript(file, megabytes * 1e6);
      await take('one session, made up', file, [file], rounds);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (existsSync(RECORDED)) {
    const files = readdirSync(RECORDED).filter((name) => name.endsWith('.jsonl'));
    await take(
      `${files.length} recorded sessions`,
      RECORDED,
      files.map((name) => join(RECORDED, name)),
      5,
    );
  }
  const slowest = Math.min(...results.map(({ speed }) => speed));
  const mostMb = Math.max(...results.map(({ memoryMb }) => memoryMb));
  return {
    name: 'ingest',
    title: 'past sessions into the archive, without embeddings: read, parsed, masked, stored and indexed',
    columns: [
      'transcripts',
      'MB',
      'turns',
      'ms',
      'MB a second',
      'MB a second of the processor',
      'times as long as reading the bytes',
      'memory MB',
      'stored MB',
    ],
    rows: results.map(({ name, cells }) => [name, ...cells]),
    notes: [
      'MB of the transcript, which holds what a tool printed twice; the archive has it once. Medians.',
      'One thread reads, parses and masks while the other writes, so that it takes less time than the two need of the processor.',
      ...TRIED,
    ],
    targets: [
      {
        what: 'ingest',
        reach: `${WANTED_MB_S} MB/s`,
        value: `${slowest.toFixed(0)} MB/s`,
        met: slowest >= WANTED_MB_S,
      },
      {
        what: 'memory for a transcript of 500 MB',
        reach: `at most ${MOST_MEMORY_MB} MB`,
        value: `${mostMb.toFixed(0)} MB`,
        met: mostMb <= MOST_MEMORY_MB,
      },
    ],
  };
}
