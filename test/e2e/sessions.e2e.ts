/** Sessions that are resumed, forked, cleared, kept nowhere, or two at once. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WITH_TIME, withEachHost } from './support/hosts.ts';
import { summary } from './support/replies.ts';
import { guideIn, only, requestAfterCompaction, textIn } from './support/requests.ts';
import { setUp, type Rig } from './support/rig.ts';

interface EpisodeRow {
  readonly session: string;
  readonly state: string;
  readonly trigger: string;
}

async function episodesOf(rig: Rig): Promise<readonly EpisodeRow[]> {
  const { stdout } = await rig.chitta('episodes', '--json');
  // Documented in docs/json-output.md.
  return (JSON.parse(stdout) as { episodes: EpisodeRow[] }).episodes;
}

withEachHost((host) => {
  test('a session that is resumed behind a compaction goes on from the summary, and can be compacted again', async () => {
    const rig = await setUp(host);
    const { api } = rig;
    const first = rig.open();
    await first.say('Never change the public name parse_record.');
    await first.say('Thanks. What is next?');
    api.reply('summary', summary('The public name parse_record stays.'));
    await first.say('/compact');
    const { id } = first;
    expect(await first.end()).toBe(0);

    for (const resume of [id, true] as const) {
      const session = rig.open({ resume });
      expect(await session.say(`Go on (${String(resume)}).`)).toMatchObject({ text: 'Done.', isError: false });
      const sent = api.of('main').at(-1);
      expect(sent === undefined ? '' : textIn(sent)).toContain('The public name parse_record stays.');
      expect(session.id).toBe(id);
      expect(await session.end()).toBe(0);
    }

    const last = rig.open({ resume: id });
    await last.say('Only read from the replica.');
    await last.say('/compact');
    const guides = api.of('summary').map(guideIn);
    expect(guides).toHaveLength(2);
    expect(guides[1]).toContain('Only read from the replica.');
    expect(guides[1]).not.toContain('[chitta:');
    expect(await last.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
    expect(new Set((await episodesOf(rig)).map(({ session }) => session))).toEqual(new Set([id]));
  });

  test('a fork is compacted for itself, and the session that it comes from stays as it was', async () => {
    const rig = await setUp(host);
    const { api } = rig;
    const origin = rig.open();
    await origin.say('Use the table ledger_entries for money.');
    await origin.say('Thanks. What is next?');
    const { id } = origin;
    expect(await origin.end()).toBe(0);
    const before = only(rig.transcripts(id).map((path) => readFileSync(path, 'utf8')));

    const fork = rig.open({ resume: id, fork: true });
    await fork.say('Try it with a view instead, and never lock the table.');
    expect(fork.id).not.toBe(id);
    await fork.say('/compact');
    const guide = guideIn(only(api.of('summary')));
    expect(guide).toContain('never lock the table');
    expect(guide).toContain('ledger_entries');
    expect(await fork.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
    expect((await episodesOf(rig)).map(({ session }) => session)).toEqual([fork.id]);
    expect(only(rig.transcripts(id).map((path) => readFileSync(path, 'utf8')))).toBe(before);
  });

  test('what was said before /clear is not in a later guide', async () => {
    const rig = await setUp(host);
    const session = rig.open();
    await session.say('Never mention the code name heron.');
    await session.say('Thanks. What is next?');
    await session.say('/clear');
    await session.say('Never rename the function sum_up.');
    await session.say('Thanks again.');
    await session.say('Is that all?');
    await session.say('/compact');
    const guide = guideIn(only(rig.api.of('summary')));
    expect(guide).toContain('sum_up');
    expect(guide).not.toContain('heron');
    expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
  });

  test('a session that is written nowhere is compacted by the host alone', async () => {
    const rig = await setUp(host);
    const { api } = rig;
    const session = rig.open({ args: ['--no-session-persistence'] });
    await session.say('Use UUID keys for users.');
    await session.say('Thanks. What is next?');
    await session.say('/compact');
    expect(textIn(only(api.of('summary')))).not.toContain('[chitta:');
    expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
    expect(textIn(requestAfterCompaction(api.requests))).toContain('And now?');
    expect(await episodesOf(rig)).toEqual([]);
  });

  test('two sessions of a project at once: each is told its own, and both are in the history', async () => {
    const rig = await setUp(host);
    const sessions = [rig.open(), rig.open()];
    const names = ['osprey', 'kestrel'];
    await Promise.all(
      sessions.map(async (session, at) => {
        await session.say(`Never rename the service ${names[at]}.`);
        await session.say('Thanks. What is next?');
        await session.say('/compact');
        await session.say('And now?');
      }),
    );
    const asked = rig.api.of('summary');
    expect(asked.map(({ session }) => session).toSorted()).toEqual(sessions.map(({ id }) => id).toSorted());
    for (const request of asked) {
      const own = request.session === sessions[0]?.id ? 0 : 1;
      expect(guideIn(request)).toContain(names[own]);
      expect(guideIn(request)).not.toContain(names[1 - own]);
    }
    const recorded = await episodesOf(rig);
    expect(recorded.map(({ session }) => session).toSorted()).toEqual(sessions.map(({ id }) => id).toSorted());
    expect(recorded.map(({ trigger }) => trigger)).toEqual(['manual', 'manual']);
  });

  test('compactions that another hook forbids are in no history as done', async () => {
    const forbid = { type: 'command', command: 'echo "not now" >&2; exit 2' };
    const settings = JSON.stringify({ hooks: { PreCompact: [{ hooks: [forbid] }] } });
    const rig = await setUp(host, { files: { '.claude/settings.json': settings } });
    const session = rig.open();
    await session.say('Never lock the table ledger_entries.');
    await session.say('Thanks. What is next?');
    for (let time = 1; time <= 10; time += 1) await session.say(`/compact time ${time}`);
    expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
    expect(rig.api.of('summary')).toEqual([]);
    expect((await episodesOf(rig)).filter(({ state }) => state !== 'proposed')).toEqual([]);
  });

  test('of a private session nothing is stored, and its compactions are told what to keep all the same', async () => {
    const rig = await setUp(host, { env: { CHITTA_PRIVATE: '1' } });
    const session = rig.open();
    await session.say('Never mention the code name heron.');
    await session.say('Thanks. What is next?');
    await session.say('/compact');
    expect(guideIn(only(rig.api.of('summary')))).toContain('heron');
    expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
    expect(await session.end()).toBe(0);
    expect(await episodesOf(rig)).toEqual([]);
    const files = readdirSync(rig.home, { recursive: true, encoding: 'utf8', withFileTypes: true });
    const holding = files
      .filter((entry) => entry.isFile())
      .filter(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes('heron'));
    expect(holding.map(({ name }) => name)).toEqual([]);
  });

  test('a compaction that took place is in the history as done, with what its summary lost', WITH_TIME, async () => {
    const rig = await setUp(host);
    const session = rig.open();
    await session.say('Keep `order_total_v3` in src/orders/total.ts as it is, and never round twice.');
    await session.say('Look at `order_total_v3` again.');
    await session.say('/compact');
    await session.say('And now?');
    expect((await episodesOf(rig)).map(({ state }) => state)).toEqual(['done']);
    const { stdout, exitCode } = await rig.chitta('why');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('order_total_v3');
  });
});
