/** A session whose shell has gone into a folder of its project, which is under no version control. */
import { expect, test } from 'vitest';
import { WITH_TIME, withEachHost } from './support/hosts.ts';
import { bash } from './support/replies.ts';
import { isTooOld, setUpReplace, work } from './support/replacing.ts';
import { textIn } from './support/requests.ts';
import type { Rig } from './support/rig.ts';
import type { Session } from './support/session.ts';

async function move(rig: Rig, session: Session): Promise<void> {
  rig.api.reply('main', bash('mkdir -p src/deep && cd src/deep && pwd'), { text: 'Moved.' });
  await session.say('Go into src/deep.');
  expect(textIn(rig.api.of('main').at(-1)!)).toContain('/project/src/deep');
}

withEachHost((host) => {
  test('what is typed, what the model asks, and compactions are of the project', WITH_TIME, async () => {
    const rig = await setUpReplace(host);
    const session = rig.open();
    await move(rig, session);
    await session.say('/chitta:remember The port is 8080.');
    rig.api.reply('main', bash('chitta memory add "The queue never drops data." && pwd'), { text: 'Stored.' });
    await session.say('Store it.');
    await work(rig, session, 1, 2);
    await session.say('/compact');
    expect(rig.api.of('summary')).toHaveLength(isTooOld(host) ? 1 : 0);
    await session.say('/chitta:why');
    expect(textIn(rig.api.of('main').at(-1)!)).not.toContain('E_NOT_FOUND');
    // From the project's own folder.
    const { memories } = JSON.parse((await rig.chitta('memory', 'list', '--json')).stdout);
    for (const text of ['The port is 8080.', 'The queue never drops data.']) {
      expect(memories).toContainEqual(expect.objectContaining({ text }));
    }
    expect(JSON.parse((await rig.chitta('episodes', '--json')).stdout).episodes).toHaveLength(1);
  });

  test('a project that switches chitta off has it off there too', async () => {
    const rig = await setUpReplace(host, { files: { '.chitta.json': '{"disabled": true}' } });
    const session = rig.open();
    await move(rig, session);
    await work(rig, session, 1, 2);
    await session.say('/compact');
    expect(rig.api.of('summary')).toHaveLength(1);
    expect(await session.say('Go on.')).toMatchObject({ isError: false });
    expect(rig.api.requests.map(textIn).join('\n')).not.toContain('[chitta:');
  });
});
