/** The long run: all targets in turns until the time is over. `scripts/fuzz.mjs` bundles and starts it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { targetsIn } from './targets.ts';
import { hookMatrix } from './targets/processes.ts';
import type { Target } from './target.ts';

/** Cases of a share of 1 in one turn. */
const BATCH = 200;

const LONGEST_TURN_MS = 60_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string' },
    target: { type: 'string' },
    path: { type: 'string' },
  },
});
const seed = values.seed === undefined ? Math.trunc(Math.random() * 2 ** 31) : Number(values.seed);
const until = performance.now() + Number(values.minutes) * 60_000;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Tally {
  cases: number;
  ms: number;
  failed: number;
}

function bytesOf(value: unknown): Buffer {
  return Buffer.isBuffer(value)
    ? value
    : Buffer.from(typeof value === 'string' ? value : (JSON.stringify(value, undefined, 1) ?? 'undefined'));
}

/** Writes what failed to files, one for each argument of the property, and says how to run it again. */
function reportFailure(target: Target, run: number, details: fc.RunDetails<unknown[]>, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const files = (details.counterexample ?? []).map((value, at) => {
    const path = join(folder, `${target.name.replaceAll(' ', '-')}-${run}.${at}`);
    writeFileSync(path, bytesOf(value));
    return path;
  });
  const error = details.errorInstance;
  say(
    `FAIL ${target.name}: ${(error instanceof Error ? (error.stack ?? error.message) : String(error)).split('\n').slice(0, 6).join('\n     ')}`,
  );
  say(
    `     again: npm run fuzz -- --target '${target.name}' --seed ${run} --path '${details.counterexamplePath ?? ''}'`,
  );
  for (const path of files) say(`     shrunken input: ${path}`);
}

const work = mkdtempSync(join(tmpdir(), 'chitta-fuzz-'));
const failures = join(tmpdir(), 'chitta-fuzz-failures');
const targets = targetsIn(work).filter(({ name }) => values.target === undefined || name === values.target);
const tallies = new Map<string, Tally>(targets.map(({ name }) => [name, { cases: 0, ms: 0, failed: 0 }]));
say(`seed ${seed}`);
if (values.target === undefined || values.target === 'hook matrix') {
  const startedAt = performance.now();
  process.send?.({ target: 'hook matrix', seed });
  const { cases, problems } = await hookMatrix(work);
  tallies.set('hook matrix', { cases, ms: performance.now() - startedAt, failed: problems.length });
  for (const problem of problems) say(`FAIL ${problem}`);
}
let turn = 0;
do {
  for (const target of targets) {
    const tally = tallies.get(target.name)!;
    // Known by its seed, whatever ran before it.
    const run = values.path === undefined ? (seed + turn) | 0 : seed;
    const startedAt = performance.now();
    process.send?.({ target: target.name, seed: run });
    const details = await fc.check(target.property, {
      seed: run,
      numRuns: Math.max(1, Math.round(BATCH * target.share)),
      // What takes long to fail would take hours to shrink.
      interruptAfterTimeLimit: LONGEST_TURN_MS,
      ...(values.path === undefined ? {} : { path: values.path }),
    });
    tally.cases += details.numRuns;
    tally.ms += performance.now() - startedAt;
    if (!details.failed) continue;
    tally.failed += 1;
    if (tally.failed <= 3) reportFailure(target, run, details, failures);
  }
  turn += 1;
} while (performance.now() < until && values.path === undefined);
rmSync(work, { recursive: true, force: true });

let cases = 0;
let failed = 0;
for (const [name, tally] of tallies) {
  cases += tally.cases;
  failed += tally.failed;
  say(
    `${name.padEnd(26)} ${String(tally.cases).padStart(8)} cases ${String(Math.round(tally.cases / (tally.ms / 1000))).padStart(6)}/s  ${tally.failed} failed`,
  );
}
say(
  `${cases} cases, ${Math.round(cases / ((performance.now() - until) / 1000 + Number(values.minutes) * 60))}/s, seed ${seed}, ${failed} failed`,
);
process.disconnect?.();
process.exitCode = failed > 0 ? 1 : 0;
