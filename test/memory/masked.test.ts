import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { maskedTurns } from '../../src/memory/masked.ts';
import { MS, opened, turn } from './home.ts';

const texts = ({ records }: ReturnType<typeof maskedTurns>): string[] =>
  records.map((record) => (record.kind === 'turn' ? record.turn.text : ''));

describe('masking turns ends with its share of the time', () => {
  test('a turn that is too long for it takes no room from the others', () => {
    const turns = ['a', 'b'.repeat(9_000_000), 'c'].map((text, i) => turn(i, { text }));
    expect(texts(maskedTurns(turns, 0, 500, () => 0))).toEqual(['a', 'c']);
    expect(maskedTurns(turns, 0, 500, () => 0)).toMatchObject({ late: 0, tooLong: 1 });
    expect(maskedTurns(turns, 0, 20_000, () => 0)).toMatchObject({ late: 0, tooLong: 0 });
  });

  test('the newest come first, and stay in their order', () => {
    let clock = 0;
    const turns = Array.from({ length: 10 }, (_, i) => turn(i, { text: `turn ${i}` }));
    // Each look at the clock takes 30 ms of the 100 that there are.
    expect(texts(maskedTurns(turns, 0, 400, () => (clock += 30)))).toEqual(['turn 7', 'turn 8', 'turn 9']);
  });

  test('what is left out is not written anywhere, and the log says so', async () => {
    const { memory, home, lines } = opened();
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const startedAt = performance.now();
    await memory.archive(
      [turn(1, { text: 'short enough' }), turn(2, { text: `${'word and more words '.repeat(450_000)} ${secret}` })],
      MS / 5,
    );
    expect(performance.now() - startedAt).toBeLessThan(MS);
    expect((await memory.stats(MS)).turns).toBe(1);
    expect(lines).toEqual([expect.stringMatching(/^1 turns are not archived: there was no time to mask them/)]);
    for (const name of ['memory.db', 'memory.db-wal']) {
      expect(readFileSync(join(home, name)).includes('more words')).toBe(false);
    }
  });
});
