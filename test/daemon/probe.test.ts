import { expect, test } from 'vitest';
import { daemonProbe } from '../../src/daemon/probe.ts';

type Status = Awaited<ReturnType<Awaited<ReturnType<Parameters<typeof daemonProbe>[0]>>['status']>>;

test.each<[why: string, status: Status, state: string, says: string]>([
  [
    'one that runs is well',
    { running: true, fields: { state: 'ready', pid: 7, model: 'm' } },
    'ok',
    'ready, process 7, m',
  ],
  ['none is no fault', { running: false, reason: 'none', detail: '' }, 'ok', 'it starts when it is needed'],
  [
    'a stranger at its address is a warning',
    { running: false, reason: 'garbage', detail: 'no hello' },
    'warn',
    'no hello',
  ],
])('%s', async (_why, status, state, says) => {
  const [check, ...more] = await daemonProbe(async () => ({ status: async () => status })).run();
  expect(more).toEqual([]);
  expect(check?.state).toBe(state);
  expect(check?.detail).toContain(says);
  expect(check?.fix !== undefined).toBe(state !== 'ok');
});
