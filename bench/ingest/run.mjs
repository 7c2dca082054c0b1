// How fast past sessions come into the archive: the whole command in a process of its own, against only reading the bytes.
import { execFile } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { writeTranscript } from './data.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.mjs', import.meta.url));
const SIZES_MB = [20, 60, 500];
const WANTED_MB_S = 20;
const MOST_MEMORY_MB = 400;

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

async function read(file) {
  const started = performance.now();
  for await (const chunk of createReadStream(file, { highWaterMark: 1_048_576 })) if (chunk.length === 0) break;
  return performance.now() - started;
}

export async function run() {
  const rows = [];
  let slowest = Infinity;
  let mostMb = 0;
  for (const megabytes of SIZES_MB) {
    const folder = mkdtempSync(join(tmpdir(), 'chitta-bench-ingest-'));
    try {
      const file = join(folder, 'session.jsonl');
      writeTranscript(file, megabytes * 1e6);
      const { size } = statSync(file);
      const readMs = await read(file);
      const { took_ms: tookMs, turns, memoryMb, cpuMs } = await ingest(folder, file);
      const speed = size / 1e3 / tookMs;
      const stored = statSync(join(folder, 'home', 'memory.db')).size;
      slowest = Math.min(slowest, speed);
      mostMb = Math.max(mostMb, memoryMb);
      rows.push([
        megabytes,
        turns,
        tookMs,
        speed.toFixed(1),
        (size / 1e3 / cpuMs).toFixed(1),
        (tookMs / readMs).toFixed(0),
        memoryMb.toFixed(0),
        (stored / 1e6).toFixed(0),
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return {
    name: 'ingest',
    title: 'past sessions into the archive, without embeddings: read, parsed, masked, stored and indexed',
    columns: [
      'transcript MB',
      'turns',
      'ms',
      'MB a second',
      'MB a second of the processor',
      'times as long as reading the bytes',
      'memory MB',
      'stored MB',
    ],
    rows,
    notes: ['MB of the transcript, which holds what a tool printed twice; the archive has it once'],
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
