/**
 * Which facts of a session are in the first request behind a compaction. The summary is written by a stand-in: one that
 * forgets all, and one that carries over what it was told to. Neither is a real model: this shows what is delivered, not
 * what a model makes of it.
 */
import { expect, test } from 'vitest';
import { FACTS, factsIn, plantFacts, type Fact } from './support/facts.ts';
import { WITH_TIME, withEachHost } from './support/hosts.ts';
import { isTooOld, newestMain, setUpReplace } from './support/replacing.ts';
import { summary, type Reply } from './support/replies.ts';
import { instructionsIn, only, requestAfterCompaction, type ModelRequest } from './support/requests.ts';
import { setUp, type Rig } from './support/rig.ts';

const FULL = 99_000;
/** Output of each quiet turn in mode replace, where there must be something to leave out. */
const ROWS = 200;

const FORGETFUL = summary('The work was done as asked.');

/** Copies the quoted lines of its instructions. */
function obedient(request: ModelRequest): Reply {
  const quoted = instructionsIn(request)
    .split('\n')
    .filter((line) => line.startsWith('> ') || line.startsWith('>   '));
  return summary(['The work was done as asked.', ...quoted].join('\n'));
}

interface Case {
  readonly by: 'manual' | 'auto';
  readonly summariser: string;
  readonly writes: Reply | typeof obedient;
  /** At least. */
  readonly found: readonly Fact[];
}

const forgets = { summariser: 'a summariser that forgets', writes: FORGETFUL };
const obeys = { summariser: 'a summariser that obeys', writes: obedient };
/** A name that the assistant used once, long ago, is not in the guide. */
const GUIDED: readonly Fact[] = ['constraint', 'failed approach', 'open task'];

const ALL: readonly Fact[] = ['constraint', 'failed approach', 'identifier', 'open task'];

const CASES: readonly Case[] = [
  { by: 'auto', ...forgets, found: [] },
  { by: 'auto', ...obeys, found: GUIDED },
  // What a hook prints at a manual compaction is repeated in the context by the host.
  { by: 'manual', ...forgets, found: GUIDED },
  { by: 'manual', ...obeys, found: GUIDED },
];

/** Facts in the request behind a compaction of the session in which they were planted. */
async function factsBehind(rig: Rig, { by, writes }: Pick<Case, 'by' | 'writes'>): Promise<Fact[]> {
  const { api } = rig;
  api.otherwise('summary', writes);
  const session = rig.open();
  await plantFacts(rig, session, by === 'auto' ? { inputTokens: FULL } : {});
  if (by === 'manual') await session.say('/compact');
  expect(await session.say('Go on with the next thing.')).toMatchObject({ text: 'Done.', isError: false });
  // Planted well: before the compaction they were all there.
  expect(factsIn(only(api.of('summary')))).toEqual(Object.keys(FACTS));
  return factsIn(requestAfterCompaction(api.requests));
}

withEachHost((host) => {
  test.each(['manual', 'auto'] as const)(
    'without the plugin and its summary, %s compaction loses every fact',
    async (by) => {
      const rig = await setUp(host, { plugin: 'none' });
      expect(await factsBehind(rig, { by, writes: FORGETFUL })).toEqual([]);
    },
  );

  for (const { by, summariser, writes, found } of CASES) {
    const what = found.length === 0 ? 'nothing' : found.join(', ');
    test(`the guide alone, ${by} compaction, ${summariser}: ${what}`, async () => {
      const rig = await setUp(host, { events: ['PreCompact'] });
      expect(await factsBehind(rig, { by, writes })).toEqual(expect.arrayContaining([...found]));
    });
  }

  test('with all that the plugin does, no fact is lost, whatever the summary says', WITH_TIME, async () => {
    const rig = await setUp(host);
    expect(await factsBehind(rig, { by: 'auto', writes: FORGETFUL })).toEqual(ALL);
  });

  const old = isTooOld(host) ? ' (skipped: this version knows no modules)' : '';
  test.skipIf(old !== '').each(['manual', 'auto'] as const)(
    `in mode replace, %s compaction: no fact is lost, and no summary asked for${old}`,
    WITH_TIME,
    async (by) => {
      const rig = await setUpReplace(host);
      const session = rig.open();
      await plantFacts(rig, session, by === 'auto' ? { inputTokens: FULL } : {}, ROWS);
      await rig.settled();
      if (by === 'manual') await session.say('/compact');
      expect(await session.say('Go on with the next thing.')).toMatchObject({ text: 'Done.', isError: false });
      expect(rig.api.of('summary')).toEqual([]);
      expect(factsIn(newestMain(rig))).toEqual(ALL);
    },
  );
});
