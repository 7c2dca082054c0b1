/** Mode replace: the context after a compaction is what survived of it, word for word, and no summary is asked for. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isMark } from '../../src/messages/marks.ts';
import type { Message } from '../../src/messages/types.ts';
import { estimateMessageTokens } from '../../src/tokens/message.ts';
import { type Host, onBuilds, withEachHost, WITH_TIME } from './support/hosts.ts';
import { bash } from './support/replies.ts';
import { countOf, type ModelRequest, textIn, textOf } from './support/requests.ts';
import { type Rig, type RigOptions, setUp } from './support/rig.ts';
import type { Session } from './support/session.ts';

const FULL = 99_000;
const TURNS = 6;
/** Modules are known from here on. */
const KNOWS_MODULES = /^2\.1\.(?:28[7-9]|29\d|[3-9]\d\d)/;
const FRONT = '[chitta:restored]\nThe context was compacted without a summary';

async function setUpReplace(host: Host, options: RigOptions = {}): Promise<Rig> {
  const rig = await setUp(host, options);
  await rig.chitta('config', 'set', 'mode', 'replace');
  return rig;
}

/** Turns whose results are long and mostly of no later use. */
async function work({ api }: Rig, session: Session, from = 1): Promise<void> {
  for (let turn = from; turn < from + TURNS; turn++) {
    api.reply('main', bash(`for i in $(seq 1 300); do echo "page ${turn} row $i of the ledger"; done`), {
      text: `Page ${turn} is checked; its total is in total_${turn}_cents.`,
    });
    await session.say(`Check page ${turn} of the ledger. Never write to payments_archive.`);
  }
}

function conversationIn({ messages }: ModelRequest): readonly Message[] {
  return messages.filter(({ role }) => role !== 'system');
}

/** Lines a model reads that the earlier request did not hold, but for chitta's own block. */
function newLines(after: ModelRequest, before: ModelRequest): string[] {
  const known = new Set(textIn(before).split('\n'));
  const own = textIn(after).replace(/\[chitta:restored\][^]*?\[\/chitta:restored\]/, '');
  return own.split('\n').filter((line) => line.trim() !== '' && !known.has(line) && !isMark(line));
}

function newestMain({ api }: Rig): ModelRequest {
  const request = api.of('main').at(-1);
  if (request === undefined) throw new Error('nothing was sent');
  return request;
}

function tokensOf(request: ModelRequest): number {
  return conversationIn(request).reduce((sum, message) => sum + estimateMessageTokens(message), 0);
}

withEachHost((host) => {
  const isOld = host.version !== '' && !KNOWS_MODULES.test(host.version);

  test.skipIf(isOld)(
    '/compact leaves survivors word for word, asks for no summary, and can be repeated and resumed',
    { ...onBuilds(host), ...WITH_TIME },
    async () => {
      const rig = await setUpReplace(host);
      const session = rig.open();
      await work(rig, session);
      const before = newestMain(rig);
      await session.say('/compact total_2_cents');
      expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
      const after = newestMain(rig);
      expect(rig.api.of('summary')).toEqual([]);
      expect(countOf(FRONT, textIn(after))).toBe(1);
      expect(textIn(after)).toContain('Never write to payments_archive.');
      expect(tokensOf(after)).toBeLessThan(tokensOf(before) * 0.5);
      const added = newLines(after, before).filter(
        (line) => !/And now\?|^ *<|Compacted|total_2_cents$|total_6_cents/.test(line),
      );
      expect(added).toEqual([]);

      expect(await session.end()).toBe(0);
      const resumed = rig.open({ resume: session.id });
      expect(await resumed.say('Still there?')).toMatchObject({ text: 'Done.', isError: false });
      const survivors = conversationIn(after).map(({ content }) => textOf(content));
      expect(
        conversationIn(newestMain(rig))
          .map(({ content }) => textOf(content))
          .slice(0, survivors.length),
      ).toEqual(survivors);

      await work(rig, resumed, TURNS + 1);
      await resumed.say('/compact');
      expect(await resumed.say('Go on.')).toMatchObject({ text: 'Done.', isError: false });
      expect(countOf(FRONT, textIn(newestMain(rig)))).toBe(1);
      expect(rig.api.of('summary')).toEqual([]);
      expect(rig.complaints()).toEqual([]);
    },
  );

  test.skipIf(isOld)(
    'a window that is full in the middle of a turn is compacted so, and the turn is finished',
    onBuilds(host),
    async () => {
      const rig = await setUpReplace(host);
      const { api } = rig;
      const session = rig.open();
      await work(rig, session);
      api.reply(
        'main',
        bash('echo first', { inputTokens: 30_000 }),
        bash('echo second', { thinking: 'Hm.', inputTokens: FULL }),
      );
      api.reply('main', { text: 'Both steps are done.', inputTokens: 20_000 });
      expect(await session.say('Do both steps.')).toMatchObject({ text: 'Both steps are done.', isError: false });
      expect(api.of('summary')).toEqual([]);
      const after = newestMain(rig);
      expect(countOf(FRONT, textIn(after))).toBe(1);
      expect(textIn(after)).toContain('second');
    },
  );

  test('without chitta, the host compacts as it always does', onBuilds(host), async () => {
    const rig = await setUpReplace(host, { plugin: 'own' });
    const session = rig.open();
    await work(rig, session);
    writeFileSync(join(rig.plugin ?? '', 'bin', 'chitta'), '#!/bin/sh\nexit 3\n');
    await session.say('/compact');
    expect(rig.api.of('summary')).toHaveLength(1);
    expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
  });

  test('mode guide leaves the compaction to the host', onBuilds(host), async () => {
    const rig = await setUp(host);
    const session = rig.open();
    await work(rig, session);
    await session.say('/compact');
    expect(rig.api.of('summary')).toHaveLength(1);
  });
});
