import { expect, test } from 'vitest';
import { Complaints, sparing } from '../../src/daemon/complaints.ts';

function busy(ms: number): Error {
  return Object.assign(new Error(`held for ${ms} ms`), { code: 'SQLITE_BUSY' });
}

test('the same trouble is said once, another one or the same after it was well again', () => {
  const lines: string[] = [];
  const complaints = new Complaints((line) => lines.push(line));
  for (const ms of [10, 20, 30]) complaints.about('no coverage', busy(ms));
  complaints.about('recall failed', busy(40));
  complaints.about('no coverage', new Error('disk full'));
  complaints.clear('no coverage');
  complaints.about('no coverage', new Error('disk full'));
  expect(lines).toEqual([
    'no coverage: held for 10 ms',
    'recall failed: held for 40 ms',
    'no coverage: disk full',
    'no coverage: disk full',
  ]);
});

test('a sparing log takes the same line again after ten minutes, others at once, and keeps few in mind', () => {
  const lines: string[] = [];
  let nowMs = 0;
  const log = sparing(
    (line) => lines.push(line),
    () => nowMs,
  );
  for (const line of ['a', 'a', 'b', 'a']) log(line);
  expect(lines).toEqual(['a', 'b']);
  nowMs = 599_999;
  log('a');
  nowMs = 600_001;
  log('a');
  expect(lines).toEqual(['a', 'b', 'a']);
  for (let index = 0; index < 1_000; index++) log(`line ${index}`);
  expect(lines).toHaveLength(1_003);
});
