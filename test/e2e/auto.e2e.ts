/** Mode guide, compaction by the host itself: when its window is full, and when the API calls a request too long. */
import { expect, test } from 'vitest';
import { onBuilds, withEachHost } from './support/hosts.ts';
import { bash, summary, TOO_LONG } from './support/replies.ts';
import { countOf, guideIn, only, requestAfterCompaction, textIn } from './support/requests.ts';
import { setUp } from './support/rig.ts';

/** More than the host takes with the window of the rig. */
const FULL = 99_000;
/** Longer output of a hook is cut by the host. */
const MAX_HOOK_CHARS = 10_000;

withEachHost((host) => {
  test(
    'a window that is full in the middle of a turn: one guide, and the turn is finished',
    onBuilds(host),
    async () => {
      const rig = await setUp(host);
      const { api } = rig;
      api.reply('main', bash('echo first', { inputTokens: 30_000 }), bash('echo second', { inputTokens: FULL }));
      api.reply('main', { text: 'Both steps are done.', inputTokens: 20_000 });
      api.reply('summary', summary('Two steps were asked for.'));
      const session = rig.open();
      const turn = await session.say('Do both steps, and never touch the file fixtures/golden.json.');

      expect(turn).toMatchObject({ text: 'Both steps are done.', isError: false });
      const asked = only(api.of('summary'));
      expect(guideIn(asked)).toContain('fixtures/golden.json');
      expect(countOf('[chitta:guide]', textIn(asked))).toBe(1);
      const after = requestAfterCompaction(api.requests);
      expect(textIn(after)).toContain('Two steps were asked for.');
      expect(textIn(after)).not.toContain('[chitta:guide]');
      expect(await session.say('Anything left?')).toMatchObject({ text: 'Done.', isError: false });
      expect(rig.complaints()).toEqual([]);
    },
  );

  test('the guide of a long session is whole and within what the host takes of a hook', async () => {
    const rig = await setUp(host);
    const session = rig.open();
    for (let at = 1; at <= 14; at++) {
      const lines = Array.from(
        { length: 30 },
        (_, line) => `rule ${at}.${line}: never merge module_${at}_${line} by hand`,
      );
      rig.api.reply('main', {
        text: `Understood, part ${at}.\n${lines.join('\n')}`,
        inputTokens: at === 14 ? FULL : 20_000,
      });
      await session.say(`Part ${at} of the brief.\n${lines.join('\n')}`);
    }
    await session.say('Begin.');
    const guide = guideIn(only(rig.api.of('summary')));
    expect(guide.length).toBeGreaterThan(5_000);
    expect(guide.length).toBeLessThanOrEqual(MAX_HOOK_CHARS);
    expect(textIn(only(rig.api.of('summary')))).not.toContain('output cut');
  });

  test('a request that the API calls too long: one guide, and the turn is finished', async () => {
    const rig = await setUp(host);
    const { api } = rig;
    // A model whose window the host does not watch: it waits for the API to refuse.
    const session = rig.open({ args: ['--model', 'claude-sonnet-4-5'], env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '' } });
    await session.say('Keep the port at 5433, only there is it free.');
    await session.say('Now look at the logs.');
    api.reply('main', TOO_LONG, { text: 'Here I am again.' });
    const turn = await session.say('Summarise them.');
    expect(turn).toMatchObject({ text: 'Here I am again.', isError: false });
    expect(guideIn(only(api.of('summary')))).toContain('5433');
    expect(textIn(requestAfterCompaction(api.requests))).toContain('Summarise them.');
  });

  const why = host.isNewest ? '' : ' (skipped: an older version waits for the API to refuse)';
  test.skipIf(!host.isNewest)(`a window of a million tokens is compacted the same way${why}`, async () => {
    const rig = await setUp(host);
    const { api } = rig;
    const session = rig.open({ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '' } });
    api.reply('main', { text: 'Noted.', inputTokens: 500_000 }, { text: 'Still room.', inputTokens: 970_000 });
    await session.say('The index lives in src/index/btree.ts; only append to it.');
    await session.say('Is there room?');
    expect(api.of('summary')).toHaveLength(0);
    expect(await session.say('Go on.')).toMatchObject({ text: 'Done.', isError: false });
    expect(guideIn(only(api.of('summary')))).toContain('only append to it');
  });
});
