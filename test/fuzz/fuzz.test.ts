/** A small, fixed part of `npm run fuzz`: the same targets, always the same cases. What starts processes has tests of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { targetsIn } from './targets.ts';

const SEED = 20_261_130;
const CASES = 60;

const folder = mkdtempSync(join(tmpdir(), 'chitta-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const targets = targetsIn(folder).filter(({ name }) => !name.endsWith('process'));

test.each(targets.map((target) => [target.name, target] as const))('%s', async (_, { property, share }) => {
  const { failed, counterexample, errorInstance } = await fc.check(property, {
    seed: SEED,
    numRuns: Math.ceil(CASES * share),
  });
  expect(failed ? [String(errorInstance), counterexample] : []).toEqual([]);
});
