/** Mode replace, and something else going on: sessions beside it, a new conversation, no transcript, a broken store, no plugin. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSqlite } from '../../src/platform/native.ts';
import { type Host, WITH_TIME, withEachHost } from './support/hosts.ts';
import { isTooOld, newestMain, replacedIn, setUpReplace, work } from './support/replacing.ts';
import { countOf, type ModelRequest, only, textIn } from './support/requests.ts';
import type { Rig, RigOptions } from './support/rig.ts';
import type { Session } from './support/session.ts';

/** Enough to leave something out. */
const PAGES = 3;

const sqlite = await loadSqlite();
const absence = sqlite.state === 'ok' ? '' : ` (skipped: ${sqlite.reason})`;

async function begin(host: Host, options: RigOptions = {}): Promise<{ rig: Rig; session: Session }> {
  const rig = await setUpReplace(host, options);
  const session = rig.open();
  await work(rig, session, 1, PAGES);
  return { rig, session };
}

/** Compacts, holds the session to its going on from survivors alone, and returns the request behind. */
async function replaceAndGoOn(rig: Rig, session: Session): Promise<ModelRequest> {
  const before = newestMain(rig);
  expect(await session.say('/compact')).toMatchObject({ isError: false });
  expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
  const after = newestMain(rig);
  const { fronts, others, tokens, budget, excerpts } = replacedIn(rig, after, before);
  expect(rig.api.of('summary')).toEqual([]);
  expect(fronts).toHaveLength(1);
  expect(others).toEqual([{ type: 'text', text: 'And now?' }]);
  expect(excerpts.length).toBeGreaterThan(0);
  expect(tokens).toBeLessThanOrEqual(budget);
  return after;
}

withEachHost((host) => {
  const old = isTooOld(host) ? ' (skipped: this version knows no modules)' : '';

  test.skipIf(old !== '')(`a session that is written nowhere is replaced all the same${old}`, WITH_TIME, async () => {
    const rig = await setUpReplace(host);
    const session = rig.open({ args: ['--no-session-persistence'] });
    await work(rig, session, 1, PAGES);
    expect(textIn(await replaceAndGoOn(rig, session))).toContain('Never write to payments_archive.');
  });

  test.skipIf(old !== '')(`behind /clear only what was said since survives${old}`, WITH_TIME, async () => {
    const { rig, session } = await begin(host);
    await session.say('/clear');
    await work(rig, session, 11, PAGES);
    const after = textIn(await replaceAndGoOn(rig, session));
    expect(after).toContain('total_13_cents');
    expect(after).not.toContain('total_3_cents');
  });

  test.skipIf(old !== '')(`two sessions of a project at once: each keeps its own${old}`, WITH_TIME, async () => {
    const rig = await setUpReplace(host);
    const sessions = [rig.open(), rig.open()] as const;
    for (const [at, session] of sessions.entries()) await work(rig, session, 10 * at + 1, PAGES);
    await Promise.all(sessions.map(async (session) => session.say('/compact')));
    for (const [at, session] of sessions.entries()) {
      expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
      const sent = textIn(newestMain(rig));
      expect(countOf('compacted without a summary', sent)).toBe(1);
      expect(sent).toContain(`total_${10 * at + 3}_cents`);
      expect(sent).not.toContain(`total_${10 * (1 - at) + 3}_cents`);
    }
    expect(rig.api.of('summary')).toEqual([]);
    const { stdout } = await rig.chitta('episodes', '--json');
    // Documented in docs/json-output.md.
    const { episodes } = JSON.parse(stdout) as { episodes: { session: string; state: string }[] };
    expect(episodes.map(({ session, state }) => [session, state]).toSorted()).toEqual(
      sessions.map(({ id }) => [id, 'done']).toSorted(),
    );
  });

  test.skipIf(old !== '' || absence !== '')(
    `a damaged database is set aside, and replaced as ever${old}${absence}`,
    WITH_TIME,
    async () => {
      const { rig, session } = await begin(host);
      for (const name of readdirSync(rig.home).filter((one) => one.startsWith('memory.db')))
        rmSync(join(rig.home, name));
      writeFileSync(join(rig.home, 'memory.db'), Buffer.alloc(65_536, 'no database '), { mode: 0o600 });
      await replaceAndGoOn(rig, session);
      expect(readdirSync(rig.home).filter((name) => name.includes('.corrupt-'))).toHaveLength(1);
    },
  );

  for (const [what, signal] of [
    ['was killed', 'SIGKILL'],
    ['does not answer', 'SIGSTOP'],
  ] as const) {
    test.skipIf(old !== '' || absence !== '')(
      `a daemon that ${what} is not waited for${old}${absence}`,
      WITH_TIME,
      async () => {
        const rig = await setUpReplace(host, { daemon: true });
        expect((await rig.chitta('daemon', 'start')).exitCode).toBe(0);
        // Documented in docs/json-output.md.
        const { pid } = JSON.parse((await rig.chitta('daemon', 'status', '--json')).stdout) as { pid: number };
        const session = rig.open();
        rig.api.reply('main', { text: 'Ready.' });
        await session.say('Hello.');
        process.kill(pid, signal);
        onTestFinished(() => {
          if (signal === 'SIGSTOP') process.kill(pid, 'SIGKILL');
        });
        await work(rig, session, 1, PAGES);
        await replaceAndGoOn(rig, session);
      },
    );
  }

  test.skipIf(old !== '')(`a plugin whose files are removed is not missed: summarised${old}`, async () => {
    const { rig, session } = await begin(host, { plugin: 'own' });
    rmSync(rig.plugin ?? '', { recursive: true });
    expect(await session.say('/compact')).toMatchObject({ isError: false });
    expect(textIn(only(rig.api.of('summary')))).not.toContain('[chitta:guide]');
    expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
  });
});
