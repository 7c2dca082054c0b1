/** What a session says and mends becomes memories when its turns end, and another session has them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withEachHost } from './support/hosts.ts';
import { bash } from './support/replies.ts';
import { type Rig, setUp } from './support/rig.ts';
import type { Session } from './support/session.ts';

const RECALL = 'mcp__plugin_chitta_chitta__recall';
const ALLOWED = ['--allowedTools', RECALL];

interface Learned {
  readonly id: number;
  readonly kind: string;
  readonly text: string;
  readonly origin: string;
  readonly session: string;
  readonly quote?: string;
  readonly source_ids: readonly string[];
  readonly superseded_by: number | null;
}

async function memories(rig: Rig, ...flags: readonly string[]): Promise<Learned[]> {
  const { stdout } = await rig.chitta('memory', 'list', '--json', ...flags);
  // The command's documented shape.
  return (JSON.parse(stdout) as { memories: Learned[] }).memories;
}

/** Ids of a session's messages that say so. */
function said(rig: Rig, session: string, words: string): string[] {
  const lines = rig.transcripts(session).flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  const prompts = lines.filter((line) => line.includes('"type":"user"') && line.includes(words));
  // Rows of the host's transcript.
  return prompts.map((line) => (JSON.parse(line) as { uuid: string }).uuid);
}

/** Fails until another file says otherwise. */
const RUN = `. ./check.sh
if [ "$broken" = 1 ]; then echo "Error: retryLimit is not set in check.sh" >&2; exit 1; fi
echo all is well
`;

/** Ends it once its last turn was taken up: 2.1.197 ends what runs behind a turn with itself. */
async function endOf(rig: Rig, session: Session): Promise<void> {
  await rig.settled();
  expect(await session.end()).toBe(0);
  await rig.settled();
}

withEachHost((host) => {
  test('rules, settings and a fix are learned with where they were said, and another session finds them', async () => {
    const rig = await setUp(host, { files: { 'check.sh': 'broken=1\n', 'run.sh': RUN } });
    const first = rig.open();
    await first.say('Use pnpm instead of npm. The dev server listens on port 8080.');
    rig.api.reply(
      'main',
      bash('sh run.sh'),
      { calls: [{ name: 'Read', input: { file_path: `${rig.project}/check.sh` } }] },
      {
        text: 'The cause is that retryLimit is never set.',
        calls: [{ name: 'Edit', input: { file_path: `${rig.project}/check.sh`, old_string: '1', new_string: '0' } }],
      },
      bash('sh run.sh'),
      { text: 'It passes now.' },
    );
    await first.say('Please make run.sh pass.');
    const session = first.id;
    await endOf(rig, first);

    const learned = await memories(rig);
    const of = (words: string): Learned | undefined => learned.find(({ text }) => text.includes(words));
    const [rule, port, fix] = [of('pnpm'), of('8080'), of('sh run.sh')];
    expect([rule?.kind, port?.kind, fix?.kind]).toEqual(['preference', 'fact', 'fix']);
    expect(port).toMatchObject({
      origin: 'auto',
      session,
      quote: 'The dev server listens on port 8080.',
      source_ids: said(rig, session, 'listens on port 8080'),
    });
    expect(fix).toMatchObject({ session, text: expect.stringContaining('check.sh') });
    expect(fix?.text).toContain('The cause is that retryLimit is never set.');
    // Sources of the fix are messages of the conversation.
    expect(fix?.source_ids.length).toBeGreaterThan(1);

    const second = rig.open({ args: ALLOWED });
    await second.say('Hello.');
    rig.api.reply('main', { calls: [{ name: RECALL, input: { query: 'dev server port' } }] });
    await second.say('Which port was it?');
    expect(JSON.stringify(rig.api.of('main').at(-1)?.messages)).toContain('listens on port 8080');

    await second.say('No, the dev server listens on port 9090.');
    await endOf(rig, second);
    const now = await memories(rig);
    expect(now.filter(({ text }) => text.includes('dev server')).map(({ text }) => text)).toEqual([
      expect.stringContaining('9090'),
    ]);
    const before = (await memories(rig, '--all')).find(({ id }) => id === port?.id);
    expect(before).toMatchObject({ superseded_by: now.find(({ text }) => text.includes('9090'))?.id });
    expect(rig.complaints()).toEqual([]);
  });

  test('nothing is learned where the project forbids it', async () => {
    const rig = await setUp(host, { files: { '.chitta.json': '{"learn": false}' } });
    const session = rig.open();
    await session.say('Use pnpm instead of npm. The dev server listens on port 8080.');
    await endOf(rig, session);
    expect(await memories(rig)).toEqual([]);
  });
});
