/** What is put beside a prompt: nothing, unless somebody stored it on purpose or the context has lost a name that is asked for. */
import { expect, test } from 'vitest';
import { FACTS, plantFacts } from './support/facts.ts';
import { onBuilds, WITH_TIME, withEachHost } from './support/hosts.ts';
import { summary } from './support/replies.ts';
import { blocksIn, countOf, textIn, type ModelRequest } from './support/requests.ts';
import { setUp, type Rig } from './support/rig.ts';

const FULL = 99_000;

function newest(rig: Rig): ModelRequest {
  const request = rig.api.of('main').at(-1);
  if (request === undefined) throw new Error('the model was asked nothing');
  return request;
}

withEachHost((host) => {
  test('prompts for which nothing is stored get nothing beside them', async () => {
    const rig = await setUp(host);
    const session = rig.open();
    for (const prompt of ['Hello.', 'Write a function that adds two numbers.', 'Now test it with `add(1, 2)`.']) {
      await session.say(prompt);
    }
    expect(textIn(newest(rig))).not.toContain('[chitta:');
    expect(rig.complaints()).toEqual([]);
  });

  test(
    'a memory that was stored on purpose comes with the prompt that asks for it, once',
    { ...onBuilds(host), ...WITH_TIME },
    async () => {
      const rig = await setUp(host);
      const text = 'The staging database listens on port 6543 behind the bastion.';
      expect((await rig.chitta('memory', 'add', text)).exitCode).toBe(0);
      const session = rig.open();
      await session.say('Write a haiku about autumn.');
      expect(textIn(newest(rig))).not.toContain('6543');
      await session.say('On which port does the staging database listen?');
      expect(blocksIn(textIn(newest(rig)), 'recall').join('\n')).toContain(text);
      await session.say('Which port was that again, for the staging database?');
      expect(countOf(text, textIn(newest(rig)))).toBe(1);
    },
  );

  test('directives come with the session, and one that is new with the next prompt', WITH_TIME, async () => {
    const rig = await setUp(host);
    await rig.chitta('directives', 'add', 'Commit messages are written in Esperanto.');
    const session = rig.open();
    await session.say('Hello.');
    expect(blocksIn(textIn(newest(rig)), 'hot').join('\n')).toContain('Esperanto');
    expect(countOf('Esperanto', textIn(newest(rig)))).toBe(1);
    await rig.chitta('directives', 'add', 'Every module has a haiku at its head.');
    await session.say('What shall we do today?');
    expect(blocksIn(textIn(newest(rig)), 'recall').join('\n')).toContain('haiku at its head');
    await session.say('Fine, go on.');
    expect(countOf('haiku at its head', textIn(newest(rig)))).toBe(1);
  });

  test('a name that the context has lost is pointed to, and its turn can be had', WITH_TIME, async () => {
    const rig = await setUp(host);
    rig.api.otherwise('summary', summary('The work was done as asked.'));
    const first = rig.open();
    await plantFacts(rig, first, { inputTokens: FULL });
    await first.say('Go on with the next thing.');
    expect(await first.end()).toBe(0);

    const other = rig.open();
    await other.say(`What do we use \`${FACTS.identifier}\` for?`);
    const pointers = blocksIn(textIn(newest(rig)), 'recall').join('\n');
    expect(pointers).toContain(FACTS.identifier);
    const [handle = ''] = /#[a-z2-7]{7}/.exec(pointers) ?? [];
    expect((await rig.chitta('show', handle)).stdout).toContain(FACTS.identifier);
  });
});
