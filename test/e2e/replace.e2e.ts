/**
 * Mode replace: the context after a compaction is what survived of it, block for block, and no summary is asked for. What is
 * held against each other are the requests before and after.
 */
import { expect, test } from 'vitest';
import type { Block } from '../../src/messages/types.ts';
import { onBuilds, WITH_TIME, withEachHost } from './support/hosts.ts';
import { expectReplaced, isTooOld, newestMain, replacedIn, setUpReplace, TURNS, work } from './support/replacing.ts';
import { bash, TOO_LONG } from './support/replies.ts';
import { blocksIn, guideIn, only, requestAfterCompaction, textIn } from './support/requests.ts';
import { conversationIn, conversationWith } from './support/survivors.ts';

const FULL = 99_000;
const said = (text: string): Block => ({ type: 'text', text });
const CONSTRAINT = 'Never write to payments_archive.';

withEachHost((host) => {
  const old = isTooOld(host) ? ' (skipped: this version knows no modules)' : '';

  test.skipIf(old !== '')(
    `/compact leaves survivors byte for byte, in their order, below the budget; the next compaction works${old}`,
    { ...onBuilds(host), ...WITH_TIME },
    async () => {
      const rig = await setUpReplace(host);
      const session = rig.open();
      await work(rig, session);
      const before = newestMain(rig);
      await session.say('/compact total_2_cents');
      expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
      const after = newestMain(rig);
      const replaced = expectReplaced(rig, after, before);
      expect(replaced.others).toEqual([said('And now?')]);
      expect(textIn(after)).toContain(CONSTRAINT);
      expect(textIn(after)).toContain('total_2_cents.');

      await work(rig, session, TURNS + 1, 3);
      const later = newestMain(rig);
      await session.say('/compact');
      expect(await session.say('Go on.')).toMatchObject({ text: 'Done.', isError: false });
      const again = expectReplaced(rig, newestMain(rig), later);
      expect(again.others).toEqual([said('Go on.')]);
      expect(rig.complaints()).toEqual([]);
    },
  );

  test.skipIf(old !== '')(
    `a window that is full in the middle of a turn is compacted so, and the turn is finished${old}`,
    WITH_TIME,
    async () => {
      const rig = await setUpReplace(host);
      const { api } = rig;
      const session = rig.open();
      await work(rig, session);
      api.reply('main', bash('echo first', { inputTokens: 30_000 }));
      api.reply('main', bash('echo second', { thinking: 'Hm.', inputTokens: FULL }));
      api.reply('main', { text: 'Both steps are done.', inputTokens: 20_000 });
      expect(await session.say('Do both steps.')).toMatchObject({ text: 'Both steps are done.', isError: false });
      const [before, after] = api.of('main').slice(-2);
      if (before === undefined || after === undefined) throw new Error('too little was sent');
      const { others } = expectReplaced(rig, after, before);
      // The newest call is the model's, its result new: from there the model goes on.
      const call = api.answerTo(before).at(-1);
      expect(others).toEqual([{ type: 'tool_result', tool_use_id: call?.['id'], content: 'second' }]);
      expect(conversationIn(after).slice(-2)).toEqual([call, ...others]);
    },
  );

  test.skipIf(old !== '')(
    `a budget of one's own is kept to, and what was left out can be had again${old}`,
    WITH_TIME,
    async () => {
      const rig = await setUpReplace(host);
      await rig.chitta('config', 'set', 'budget_tokens', '4000');
      const session = rig.open();
      await work(rig, session);
      const before = newestMain(rig);
      await session.say('/compact');
      expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
      const { tokens, others, excerpts } = replacedIn(rig, newestMain(rig), before);
      expect(rig.api.of('summary')).toEqual([]);
      expect(others).toEqual([said('And now?')]);
      expect(tokens).toBeLessThanOrEqual(4_000);
      const rows = excerpts.find(
        ({ type, content }) => type === 'tool_result' && / \d{2,} lines\]/.test(String(content)),
      );
      const [handle = 'no handle'] = /#[a-z2-7]{7}/.exec(String(rows?.['content'])) ?? [];
      const { stdout, exitCode } = await rig.chitta('show', handle, '--about', '37');
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/page \d row 37 of the ledger/);
    },
  );

  test.skipIf(old !== '')(`what the API calls too long is replaced as well${old}`, WITH_TIME, async () => {
    const rig = await setUpReplace(host);
    const session = rig.open({ args: ['--model', 'claude-sonnet-4-5'], env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '' } });
    await work(rig, session);
    const before = newestMain(rig);
    rig.api.reply('main', TOO_LONG, { text: 'Here I am again.' });
    expect(await session.say('What is the sum?')).toMatchObject({ text: 'Here I am again.', isError: false });
    expect(expectReplaced(rig, newestMain(rig), before).others).toEqual([said('What is the sum?')]);
  });

  test.skipIf(old === '')(
    'a version without modules goes on with guide and summary (skipped: for versions that have them)',
    async () => {
      const rig = await setUpReplace(host);
      const session = rig.open();
      await work(rig, session);
      await session.say('/compact');
      expect(guideIn(only(rig.api.of('summary')))).toContain(CONSTRAINT);
      expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
      const after = requestAfterCompaction(rig.api.requests);
      expect(textIn(after)).not.toContain('compacted without a summary');
      expect(blocksIn(textIn(after), 'restored')).toHaveLength(1);
      expect(await session.end()).toBe(0);
      const resumed = rig.open({ resume: session.id });
      expect(await resumed.say('Still there?')).toMatchObject({ text: 'Done.', isError: false });
      expect(conversationIn(newestMain(rig))).toEqual([...conversationWith(rig.api, after), said('Still there?')]);
    },
  );

  test('mode guide leaves the compaction to the host', async () => {
    const rig = await setUpReplace(host);
    await rig.chitta('config', 'set', 'mode', 'guide');
    const session = rig.open();
    await work(rig, session);
    await session.say('/compact');
    expect(rig.api.of('summary')).toHaveLength(1);
  });
});
