// What it costs to read the last 60 turns of a transcript, and that its size does not matter.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { formatMs, formatRatio, median } from '../measure.mjs';
import { LARGE_MB, LAST, LONG_LINE_MB, ROUNDS, SMALL_MB, WARMUPS } from './cases.mjs';
import { writeTranscript } from './data.mjs';

const MIB = 1024 * 1024;
const reader = fileURLToPath(new URL('reader.mjs', import.meta.url));

function measure(path) {
  const startedAt = performance.now();
  const result = spawnSync(process.execPath, [reader, path, String(LAST)], { encoding: 'utf8' });
  const wallMs = performance.now() - startedAt;
  if (result.status !== 0) throw new Error(`reader: exit ${result.status}\n${result.stderr.slice(0, 2000)}`);
  const answer = JSON.parse(result.stdout);
  if (answer.messages < LAST || answer.capHit) throw new Error(`reader: ${result.stdout}`);
  return { wallMs, ...answer };
}

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'chitta-bench-tail-'));
  try {
    const cases = [
      { name: `${SMALL_MB} MB`, bytes: SMALL_MB * MIB },
      { name: `${LARGE_MB} MB`, bytes: LARGE_MB * MIB },
      { name: `${SMALL_MB} MB + one line of ${LONG_LINE_MB} MB`, bytes: SMALL_MB * MIB, longLine: LONG_LINE_MB * MIB },
    ].map(({ name, bytes, longLine }, index) => {
      const path = join(folder, `${index}.jsonl`);
      return { name, path, size: writeTranscript(path, bytes, longLine), samples: [] };
    });
    for (let round = -WARMUPS; round < ROUNDS; round++) {
      for (const { path, samples } of cases) {
        const sample = measure(path);
        if (round >= 0) samples.push(sample);
      }
    }
    const of = ({ samples }, key) => median(samples.map((sample) => sample[key]));
    const [small, large] = cases;
    const ratio = of(large, 'readMs') / of(small, 'readMs');
    const wallRatio = of(large, 'wallMs') / of(small, 'wallMs');
    const rssMb = Math.max(...large.samples.map((sample) => sample.rssMb));
    return {
      name: 'tail-read',
      title: `Reading the last ${LAST} turns of a transcript`,
      columns: ['transcript', 'reading', 'whole process', 'peak memory', 'bytes read'],
      rows: cases.map((one) => [
        one.name,
        formatMs(of(one, 'readMs')),
        formatMs(of(one, 'wallMs')),
        `${Math.round(Math.max(...one.samples.map((sample) => sample.rssMb)))} MB`,
        of(one, 'bytesRead').toLocaleString('en'),
      ]),
      notes: [`Fresh processes, ${ROUNDS} interleaved rounds, medians; memory is the highest of all rounds.`],
      targets: [
        { what: `reading ${LARGE_MB} MB against 1 MB`, reach: '≤ 2 ×', value: formatRatio(ratio), met: ratio <= 2 },
        { what: 'whole process, the same', reach: '≤ 2 ×', value: formatRatio(wallRatio), met: wallRatio <= 2 },
        { what: `peak memory, ${LARGE_MB} MB`, reach: '< 150 MB', value: `${Math.round(rssMb)} MB`, met: rssMb < 150 },
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${JSON.stringify(await run(), null, 2)}\n`);
}
