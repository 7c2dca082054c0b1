import { expect, test } from 'vitest';
import { Complaints } from '../../src/daemon/complaints.ts';

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
