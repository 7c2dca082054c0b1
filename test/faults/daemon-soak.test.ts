/** A short form of scripts/soak.mjs, with a scripted model: many requests, one in twenty a fault. */
import { expect, test } from 'vitest';
import { BUILD, daemonRig, eventually } from '../daemon/support/rig.ts';
import { soak } from './support/soak.ts';

const rig = daemonRig();

test.runIf(process.platform === 'linux')(
  '5,000 requests with faults among them: all good ones answered right, no descriptor and no memory lost (needs /proc)',
  { timeout: 120_000 },
  async () => {
    const child = await rig().daemon({ remembered: ['the parser of the river', 'the window of the harbour'] });
    await eventually(() => rig().journal('serving')[0], 'the model');
    const { endpoint } = rig();
    const result = await soak({ endpoint, build: BUILD, pid: child.pid ?? 0, warmUp: 3_000, requests: 2_000, seed: 7 });
    expect(result.wrongs).toEqual([]);
    expect(result.good + result.faults).toBeGreaterThanOrEqual(5_000);
    expect(result.faults).toBeGreaterThan(150);
    const [[before, after], [small, large]] = [result.descriptors, result.rssBytes];
    expect(after).toBeLessThanOrEqual(before);
    expect(large - small).toBeLessThan(20e6);
  },
);
