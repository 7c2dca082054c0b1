/** What a compaction has lost comes back at its end: one block, whole, behind the messages that the host kept. */
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { FACTS, factsIn, plantFacts } from './support/facts.ts';
import { onBuilds, WITH_TIME, withEachHost, type Host } from './support/hosts.ts';
import { bash, summary } from './support/replies.ts';
import {
  blocksIn,
  countOf,
  guideIn,
  instructionsIn,
  only,
  requestAfterCompaction,
  textIn,
} from './support/requests.ts';
import { setUp, type Rig } from './support/rig.ts';
import type { Session } from './support/session.ts';

const FULL = 99_000;
/** Longer output of a hook goes to a file, and the model sees its first 2 KB. */
const MAX_HOOK_CHARS = 10_000;

/** A session whose planted facts a forgetful summary has just lost, its window being full. */
async function compacted(host: Host, plugin: 'full' | 'bare' = 'full'): Promise<{ rig: Rig; session: Session }> {
  const rig = await setUp(host, { plugin });
  rig.api.otherwise('summary', summary('The work was done as asked.'));
  const session = rig.open();
  await plantFacts(rig, session, { inputTokens: FULL });
  expect(await session.say('Go on with the next thing.')).toMatchObject({ text: 'Done.', isError: false });
  return { rig, session };
}

withEachHost((host) => {
  test('what a forgetful summary lost is there, once and whole', { ...onBuilds(host), ...WITH_TIME }, async () => {
    const { rig } = await compacted(host);
    const after = requestAfterCompaction(rig.api.requests);
    const restored = only(blocksIn(textIn(after), 'restored'));
    expect(factsIn(after)).toEqual(Object.keys(FACTS));
    expect(restored.length).toBeLessThanOrEqual(MAX_HOOK_CHARS);
    expect(textIn(after)).toContain('[/chitta:restored]');
    expect(textIn(after)).not.toContain('Output too large');
    expect(rig.complaints()).toEqual([]);
  });

  test('without the native packages as well', WITH_TIME, async () => {
    const { rig } = await compacted(host, 'bare');
    expect(blocksIn(textIn(requestAfterCompaction(rig.api.requests)), 'restored')).toHaveLength(1);
  });

  test('a second compaction restores anew, and neither quotes the first nor keeps it', WITH_TIME, async () => {
    const { rig, session } = await compacted(host);
    const { api } = rig;
    const first = only(blocksIn(textIn(requestAfterCompaction(api.requests)), 'restored'));
    api.reply('main', bash('echo "chapter"'), {
      text: 'The chapter is set in `garamond_premier`.',
      inputTokens: FULL,
    });
    await session.say('Set the chapter, and never hyphenate headings.');
    await session.say('Go on.');
    expect(api.of('summary').map((asked) => guideIn(asked).includes('[chitta:'))).toEqual([false, false]);
    const after = requestAfterCompaction(api.requests);
    const second = only(blocksIn(textIn(after), 'restored'));
    expect(second).not.toBe(first);
    expect(second).not.toContain('[chitta:');
    expect(second).toContain('never hyphenate headings');
    expect(countOf('[chitta:restored]', textIn(after))).toBe(1);
  });

  test('behind /compact there is one block too, with the facts', WITH_TIME, async () => {
    const rig = await setUp(host);
    rig.api.otherwise('summary', summary('The work was done as asked.'));
    const session = rig.open();
    await plantFacts(rig, session);
    await session.say('/compact the report');
    await session.say('And now?');
    const after = requestAfterCompaction(rig.api.requests);
    expect(instructionsIn(only(rig.api.of('summary')))).toContain('the report');
    expect(factsIn(after)).toEqual(Object.keys(FACTS));
    expect(blocksIn(textIn(after), 'restored')).toHaveLength(1);
  });

  test('a session that is resumed afterwards still has the block, once', WITH_TIME, async () => {
    const { rig, session } = await compacted(host);
    const restored = only(blocksIn(textIn(requestAfterCompaction(rig.api.requests)), 'restored'));
    const { id } = session;
    expect(await session.end()).toBe(0);
    const again = rig.open({ resume: id });
    await again.say('Are you there?');
    const sent = rig.api.of('main').at(-1);
    expect(sent === undefined ? [] : blocksIn(textIn(sent), 'restored')).toEqual([restored]);
  });

  /** The host has a switch for this that is set from afar; here the hook is called early, as the host would call it. */
  test('a summary that was prepared before it was needed: what was said since is there', async () => {
    const rig = await setUp(host, { events: ['SessionStart', 'UserPromptSubmit', 'Stop', 'PostCompact'] });
    rig.api.otherwise('summary', summary('The work was done as asked.'));
    const session = rig.open();
    await plantFacts(rig, session);
    await rig.settled();
    const input = {
      session_id: session.id,
      transcript_path: only(rig.transcripts(session.id)),
      cwd: rig.project,
      hook_event_name: 'PreCompact',
      trigger: 'auto',
      custom_instructions: null,
    };
    const command = ['sh', [`${rig.plugin}/bin/chitta`, 'hook', 'pre-compact']] as const;
    const early = await execa(...command, { cwd: rig.project, env: { ...rig.env }, input: JSON.stringify(input) });
    expect(blocksIn(early.stdout, 'guide')).toHaveLength(1);

    await session.say('Set the chapter, and never hyphenate headings.');
    rig.api.reply('main', { text: 'It is set in `garamond_premier`.', inputTokens: FULL });
    await session.say('And the title page?');
    await rig.settled();
    expect(await session.say('Go on.')).toMatchObject({ text: 'Done.', isError: false });
    expect(textIn(only(rig.api.of('summary')))).not.toContain('[chitta:guide]');
    const after = requestAfterCompaction(rig.api.requests);
    const restored = only(blocksIn(textIn(after), 'restored'));
    expect(restored).toContain('never hyphenate headings');
    expect(factsIn(after)).toEqual(Object.keys(FACTS));
    const { stdout } = await rig.chitta('episodes', '--json');
    expect(stdout.match(/"state":"\w+"/g)).toEqual(['"state":"done"']);
  });
});
