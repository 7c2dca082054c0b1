/** Mode replace: where chitta fails or is late, the host compacts as it always does, and the session goes on. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSqlite } from '../../src/platform/native.ts';
import { WITH_TIME, withEachHost } from './support/hosts.ts';
import {
  BUDGET_TOKENS,
  isTooOld,
  newestMain,
  putInPlaceOfCompact,
  replacedIn,
  setUpReplace,
  work,
} from './support/replacing.ts';
import { bash } from './support/replies.ts';
import { blocksIn, guideIn, only, requestAfterCompaction, textIn } from './support/requests.ts';
import type { Rig } from './support/rig.ts';
import type { Session } from './support/session.ts';

const LARGE_BYTES = 2_500_000;
/** More would be more than a window of a million tokens holds. */
const PARTS = 9;

const sqlite = await loadSqlite();
const absence = sqlite.state === 'ok' ? '' : ` (skipped: ${sqlite.reason})`;

/** What the module gets from chitta; each is one that it must not take. */
const ANSWERS = [
  ['an error', 'exit 3'],
  ['nothing', 'exit 0'],
  ['half an object', 'echo "{"; exit 0'],
  ['a survivor that was not there', `echo '{"front":"x","survivors":[{"index":99999}]}'; exit 0`],
] as const;

/** The first would take longer than a turn of the test may. */
const LATE = [
  ['does not answer', 'exec sleep 900'],
  ['gets its question', '{ sleep 5; cat; } | sh "$0.real" "$@"; exit $?'],
] as const;

/** Compacts, holds the session to its going on, and what was compacted to the host's own way. */
async function expectSummarised(rig: Rig, session: Session): Promise<void> {
  const { api } = rig;
  const earlier = api.of('summary').length;
  expect(await session.say('/compact')).toMatchObject({ isError: false });
  const asked = only(api.of('summary').slice(earlier));
  expect(guideIn(asked)).toContain('Never write to payments_archive.');
  expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
  const after = textIn(requestAfterCompaction(api.requests));
  expect(after).not.toContain('compacted without a summary');
  expect(blocksIn(after, 'restored').length).toBeLessThanOrEqual(1);
}

withEachHost((host) => {
  const old = isTooOld(host) ? ' (skipped: this version knows no modules)' : '';

  test.skipIf(old !== '')(`whatever chitta answers in its place: summarised with a guide${old}`, async () => {
    const rig = await setUpReplace(host, { plugin: 'own' });
    const session = rig.open();
    for (const [at, [, script]] of ANSWERS.entries()) {
      putInPlaceOfCompact(rig, script);
      await work(rig, session, at * 2 + 1, 2);
      await expectSummarised(rig, session);
    }
    expect(rig.api.of('summary')).toHaveLength(ANSWERS.length);
  });

  for (const [what, script] of LATE) {
    test.skipIf(old !== '')(`chitta ${what} too late: summarised with a guide${old}`, async () => {
      const rig = await setUpReplace(host, { plugin: 'own' });
      putInPlaceOfCompact(rig, script);
      const session = rig.open();
      await work(rig, session, 1, 2);
      await expectSummarised(rig, session);
      // What was waited for in vain is not left running.
      expect(await rig.settled()).toBeUndefined();
    });
  }

  test.skipIf(old !== '')(
    `two and a half megabytes are replaced, or summarised where that would be late${old}`,
    async () => {
      const rig = await setUpReplace(host);
      const { api } = rig;
      const session = rig.open({ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '' } });
      for (let part = 1; part <= PARTS; part++) {
        const rows = Array.from(
          { length: 6_000 },
          (_, row) => `part ${part} row ${row}: order_${part}_${row * 7919} was shipped in time`,
        );
        api.reply('main', { text: `Part ${part} is read.`, inputTokens: 20_000 });
        await session.say(`Read part ${part}. Never write to payments_archive.\n${rows.join('\n')}`);
      }
      api.reply('main', bash('echo checked'), { text: 'All parts are read.', inputTokens: 20_000 });
      await session.say('Check them.');
      await rig.settled();
      const before = newestMain(rig);
      expect(JSON.stringify(before.messages).length).toBeGreaterThan(LARGE_BYTES);
      expect(await session.say('/compact')).toMatchObject({ isError: false });
      expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
      const summaries = api.of('summary').length;
      expect(summaries).toBeLessThanOrEqual(1);
      const { fronts, tokens, others } = replacedIn(rig, newestMain(rig), before);
      expect(fronts).toHaveLength(1 - summaries);
      expect(tokens).toBeLessThanOrEqual(BUDGET_TOKENS);
      const now = { type: 'text', text: 'And now?' };
      expect(others.slice(-1)).toEqual([now]);
      expect(others.length).toBeLessThanOrEqual(1 + summaries);
    },
  );

  test.skipIf(old !== '' || absence !== '')(
    `a database that is held locked: replaced all the same, and nothing is restored besides${old}${absence}`,
    WITH_TIME,
    async () => {
      if (sqlite.state !== 'ok') throw new Error(sqlite.reason);
      const rig = await setUpReplace(host);
      const session = rig.open();
      await work(rig, session);
      mkdirSync(rig.home, { recursive: true, mode: 0o700 });
      const db = sqlite.open(join(rig.home, 'memory.db'));
      onTestFinished(() => void db.close());
      db.exec('BEGIN EXCLUSIVE');
      const before = newestMain(rig);
      await session.say('/compact');
      expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
      db.exec('ROLLBACK');
      const after = newestMain(rig);
      expect(rig.api.of('summary')).toEqual([]);
      const { fronts, others, tokens, budget } = replacedIn(rig, after, before);
      expect(fronts).toHaveLength(1);
      expect(others).toEqual([{ type: 'text', text: 'And now?' }]);
      expect(tokens).toBeLessThanOrEqual(budget);
      // What the front message says is all: that nothing was lost is known from the spool.
      expect(blocksIn(textIn(after), 'restored')).toHaveLength(1);
    },
  );
});
