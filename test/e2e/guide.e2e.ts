/** Mode guide, manual compaction: what the summariser is told, and that a session goes on as if nothing had been added. */
import { expect, test } from 'vitest';
import { onBuilds, withEachHost } from './support/hosts.ts';
import { bash, summary } from './support/replies.ts';
import {
  blocksIn,
  countOf,
  guideIn,
  instructionsIn,
  lastUserText,
  only,
  requestAfterCompaction,
  textIn,
} from './support/requests.ts';
import { setUp } from './support/rig.ts';

/** What the hook may say where the host repeats it in the context. */
const MAX_MANUAL_CHARS = 1_500;

withEachHost((host) => {
  test(
    '/compact tells the summariser once what to carry over, behind the words of the user',
    onBuilds(host, 'all'),
    async () => {
      const rig = await setUp(host);
      const { api } = rig;
      api.reply('main', bash('echo "create table users (id uuid)" | tee schema.sql'), {
        text: 'Users have UUID keys.',
      });
      api.reply('summary', summary('Users have UUID keys in schema.sql.'));
      const session = rig.open();
      await session.say('Use UUID keys for users, and never delete a migration.');
      await session.say('Thanks. What is next?');
      await session.say('/compact keep the schema');

      const asked = only(api.of('summary'));
      expect(instructionsIn(asked).startsWith('keep the schema\n\n[chitta:guide]')).toBe(true);
      const guide = guideIn(asked);
      expect(countOf('[chitta:guide]', textIn(asked))).toBe(1);
      expect(guide).toContain('never delete a migration');
      expect(guide.length).toBeLessThanOrEqual(MAX_MANUAL_CHARS);

      const turn = await session.say('And now?');
      expect(turn).toMatchObject({ text: 'Done.', isError: false });
      const after = requestAfterCompaction(api.requests);
      expect(textIn(after)).toContain('Users have UUID keys in schema.sql.');
      expect(lastUserText(after)).toContain('And now?');
      expect(await session.end()).toBe(0);
      expect(rig.complaints()).toEqual([]);
    },
  );

  test('each of several compactions has a guide of its own, which never quotes an older one', async () => {
    const rig = await setUp(host);
    const { api } = rig;
    const session = rig.open();
    await session.say('Start with the parser of dates.');
    for (const word of ['alpha', 'beta', 'gamma']) {
      api.reply('summary', summary(`The work on ${word} was begun.`));
      await session.say(`Rename the module to ${word}_core and never shorten that name.`);
      await session.say(`Good. Document ${word}_core.`);
      await session.say('/compact');
    }
    const guides = api.of('summary').map(guideIn);
    expect(guides).toHaveLength(3);
    expect(guides.map((guide) => guide.includes('[chitta:'))).toEqual([false, false, false]);
    expect(guides.map((guide) => countOf('Carry the following', guide))).toEqual([1, 1, 1]);
    expect(guides[2]).toContain('gamma_core');
    for (const guide of guides) expect(guide.length).toBeLessThanOrEqual(MAX_MANUAL_CHARS);

    expect(await session.say('Go on.')).toMatchObject({ text: 'Done.', isError: false });
    const after = requestAfterCompaction(api.requests);
    expect(textIn(after)).toContain('The work on gamma was begun.');
    // The host repeats what a hook said at a manual compaction; those of earlier ones must be gone with them.
    expect(blocksIn(textIn(after), 'guide').length).toBeLessThanOrEqual(1);
  });

  test('a token in the conversation does not reach the instructions', async () => {
    const rig = await setUp(host);
    const token = `ghp_${'0aB1'.repeat(9)}`;
    const session = rig.open();
    await session.say(`Never print the token ${token} in a log.`);
    await session.say('Thanks. What is next?');
    await session.say('/compact');
    const guide = guideIn(only(rig.api.of('summary')));
    expect(guide).toContain('Never print the token');
    expect(guide).not.toContain(token);
  });

  test.each(['CHITTA_DISABLE', 'CHITTA_CHILD'])('%s=1 leaves everything to the host', async (name) => {
    const rig = await setUp(host, { env: { [name]: '1' } });
    const session = rig.open();
    await session.say('Use UUID keys for users.');
    await session.say('Thanks. What is next?');
    await session.say('/compact');
    expect(textIn(only(rig.api.of('summary')))).not.toContain('[chitta:');
    expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
  });
});
