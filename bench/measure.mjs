// How the benchmarks measure, in one place. Whole processes: fresh ones, in interleaved rounds (A B C A B C …), so that
// a slow moment of the machine hits all cases alike; medians; ratios only between cases of one run.
import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import process from 'node:process';

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Wall time of processes, in milliseconds, by case name. A case is { name, argv, input?, env? }; argv goes to the Node in
 * use. Throws if a process fails: a benchmark of an error message is worth nothing.
 */
export function timeProcesses(cases, { rounds = 15, warmups = 2, env = process.env } = {}) {
  const times = new Map(cases.map(({ name }) => [name, []]));
  for (let round = -warmups; round < rounds; round++) {
    for (const { name, argv, input, expect, env: own } of cases) {
      const startedAt = performance.now();
      const result = spawnSync(process.execPath, argv, {
        input,
        env: own ?? env,
        encoding: 'utf8',
        maxBuffer: 1 << 28,
      });
      const tookMs = performance.now() - startedAt;
      if (result.status !== 0 || (expect && !expect(result.stdout))) {
        throw new Error(
          `${name}: exit ${result.status}\n${result.stdout.slice(0, 500)}\n${result.stderr.slice(0, 2000)}`,
        );
      }
      if (round >= 0) times.get(name).push(tookMs);
    }
  }
  return new Map([...times].map(([name, values]) => [name, median(values)]));
}

export function formatMs(ms) {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms).toLocaleString('en')} ms`;
}

export function formatRatio(ratio) {
  return `${ratio.toFixed(2)} ×`;
}
