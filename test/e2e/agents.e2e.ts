/** Sub-agents: the host reports their events under the id and transcript of the main conversation. */
import { expect, test } from 'vitest';
import { withEachHost, type Host } from './support/hosts.ts';
import { bash } from './support/replies.ts';
import { guideIn, only, textIn } from './support/requests.ts';
import { setUp, type Rig } from './support/rig.ts';
import type { Session } from './support/session.ts';

const FULL = 99_000;

/** A session whose sub-agent has filled its own window and was compacted, while the main conversation waited for it. */
async function delegated(host: Host, mode = 'guide'): Promise<{ rig: Rig; session: Session }> {
  const rig = await setUp(host);
  await rig.chitta('config', 'set', 'mode', mode);
  const input = { description: 'look', prompt: 'Look for the cause.', subagent_type: 'general-purpose' };
  const call = { name: 'Agent', input: { ...input, run_in_background: false } };
  rig.api.reply('main', { text: 'I delegate.', calls: [call] });
  rig.api.reply('agent', bash('echo one', { inputTokens: 30_000 }), bash('echo two', { inputTokens: FULL }));
  const session = rig.open();
  const turn = await session.say('Never restart the broker; find out why it stalls.');
  expect(turn).toMatchObject({ text: 'Done.', isError: false });
  // The compaction is that of the sub-agent that did the work.
  const [worker] = rig.api.of('agent');
  expect(worker?.agent).toMatch(/\w/);
  expect(only(rig.api.of('summary')).agent).toBe(worker?.agent);
  return { rig, session };
}

withEachHost((host) => {
  /** The older version does not say whose compaction it is: there the transcripts must tell. */
  test.each(['guide', 'replace'])("a sub-agent's own compaction is left to the host, in mode %s", async (mode) => {
    const { rig } = await delegated(host, mode);
    const read = [...rig.api.of('summary'), ...rig.api.of('agent')].map(textIn);
    expect(read.filter((text) => text.includes('[chitta:'))).toEqual([]);
    expect((await rig.chitta('episodes', '--json')).stdout).toContain('"episodes":[]');
    expect(rig.complaints()).toEqual([]);
  });

  test('behind the compaction of a sub-agent, that of the main conversation has its guide', async () => {
    const { rig, session } = await delegated(host);
    await session.say('Thanks. What is next?');
    await session.say('/compact');
    const ofMain = only(rig.api.of('summary').filter(({ agent }) => agent === undefined));
    expect(guideIn(ofMain)).toContain('Never restart the broker');
    expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
  });
});
