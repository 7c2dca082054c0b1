import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { daemonRig, eventually } from './support/rig.ts';

const rig = daemonRig();

test('scores texts by their cosine to the query, and says how many vectors it had', async () => {
  await rig().daemon({ remembered: ['the parser'] });
  const connection = await rig().connected();
  const outcome = await connection.call(
    'score',
    { texts: ['the parser', 'zzz', '', '12 34'], query: 'the parser' },
    5_000,
  );
  expect(outcome).toMatchObject({
    state: 'answered',
    result: {
      similarity: [expect.closeTo(1, 5), 0, null, null],
      coverage: [1, 0, null, null],
      vectors: { used: 2, total: 3 },
    },
  });
  connection.close();
});

test('what is late is embedded afterwards, the newest first, and known the next time', async () => {
  await rig().daemon({ embedMs: 60 });
  await eventually(() => rig().journal('serving')[0], 'the model');
  const connection = await rig().connected();
  const texts = Array.from({ length: 12 }, (_, index) => `text ${'abcdefghijkl'[index]}`);
  const first = await connection.call('score', { texts }, 250);
  if (first.state !== 'answered') throw new Error(first.state);
  const { used } = first.result['vectors'] as { used: number };
  expect(used).toBeLessThan(12);
  expect(rig().journal('embed')[0]).toBe('embed text l');
  connection.close();
  await eventually(() => (rig().journal('embed').length === 12 ? true : undefined), 'the rest');
  await pause(100);
  const again = await rig().connected();
  expect(await again.call('score', { texts }, 250)).toMatchObject({ result: { vectors: { used: 12, total: 12 } } });
  again.close();
});
