/** The sessions that the pages show. Where `npm run record` asks for it, they are kept as recordings and pictures. */
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { WITH_TIME, withEachHost } from './support/hosts.ts';
import { pictureOf } from './support/picture.ts';
import { isTooOld, newestMain, setUpReplace } from './support/replacing.ts';
import { textIn } from './support/requests.ts';
import { setUp } from './support/rig.ts';
import { AFTERWARDS, STORY, STORY_FILES, wordForWord } from './support/story.ts';
import { FRONT } from './support/survivors.ts';
import { NO_TERMINAL, openTerminal, type Terminal } from './support/terminal.ts';

/** Where they are kept; nowhere by default. */
const folder = process.env['CHITTA_E2E_RECORDINGS'];
/** In characters: what a page shows without scaling it down. */
const COLUMNS = 100;
const IDLE = /^(?![^]*esc to interrupt)/;
/** An invented session whose project is in somebody's home. */
const SESSION = readFileSync(join(import.meta.dirname, '..', '..', 'demo', 'session.jsonl'), 'utf8');
const ITS_PROJECT = /\/home\/\w+\/src\/(?=lamplighter)/g;

/** Keeps what the terminal shows now. */
async function keepPicture(terminal: Terminal, name: string, title: string): Promise<void> {
  const picture = pictureOf(await terminal.picture(), COLUMNS, title);
  if (folder !== undefined) writeFileSync(join(folder, `${name}.svg`), picture);
}

/** Keeps what it has shown since it was opened. */
function keepRecording(terminal: Terminal, name: string, title: string): void {
  if (folder !== undefined) writeFileSync(join(folder, `${name}.cast`), terminal.recording.cast(title));
}

withEachHost((host) => {
  const why = isTooOld(host) ? ' (skipped: this version knows no modules)' : NO_TERMINAL;

  test.skipIf(why !== '')(
    `a session in mode replace, /compact and /chitta:why in a terminal${why}`,
    WITH_TIME,
    async () => {
      const rig = await setUpReplace(host, { files: STORY_FILES, env: { COLORTERM: 'truecolor' } });
      const { api } = rig;
      const args = ['--permission-mode', 'default'];
      const terminal = await openTerminal(rig, { columns: COLUMNS, rows: 47, args });
      await terminal.shows(/❯/);
      const ask = async ({ prompt, replies }: typeof AFTERWARDS): Promise<void> => {
        api.reply('main', ...replies);
        await terminal.enter(prompt);
        // The host shows no marks of markdown.
        const [beginning = ''] = String(replies.at(-1)?.text).split('`');
        await terminal.shows(new RegExp(beginning));
        await terminal.shows(IDLE);
      };
      for (const turn of STORY) await ask(turn);
      await terminal.enter('/compact the lock');
      await terminal.shows(/Compacted/);
      await ask(AFTERWARDS);
      expect(api.of('summary')).toEqual([]);
      expect(textIn(newestMain(rig))).toContain(FRONT);
      expect(textIn(newestMain(rig))).toContain('Never write to payments_archive.');
      await keepPicture(terminal, 'claude-code-compact', 'Claude Code behind a compaction in mode replace');

      api.reply('main', wordForWord);
      await terminal.enter('/chitta:why');
      await terminal.shows(/→\d+ tokens, \d+% dropped/);
      await terminal.shows(IDLE);
      await keepPicture(terminal, 'claude-code-why', 'Claude Code, /chitta:why');
      await terminal.enter('/exit');
      await vi.waitUntil(async () => terminal.hasEnded(), { timeout: 20_000 });
      keepRecording(terminal, 'claude-code', 'chitta in Claude Code: mode replace, /compact, /chitta:why');
      expect(rig.complaints()).toEqual([]);
    },
  );

  const skipped = host.isNewest ? NO_TERMINAL : ' (skipped: told once, no host is in it)';
  test.skipIf(skipped !== '')(`chitta compact --explain and chitta show in a terminal${skipped}`, async () => {
    const rig = await setUp(host, { files: { 'session.jsonl': SESSION.replaceAll(ITS_PROJECT, '/') } });
    const path = [join(rig.plugin ?? '', 'bin'), rig.env['PATH']].join(delimiter);
    const command = ['env', `PATH=${path}`, 'PS1=$ ', 'bash', '--norc', '--noprofile'];
    const terminal = await openTerminal(rig, { columns: COLUMNS, rows: 44, command });
    await terminal.shows(/^\$/);
    await terminal.enter('chitta compact session.jsonl --last 20 --detail excerpt --explain');
    const told = await terminal.shows(/bring one back: .*\n\$/);
    await keepPicture(terminal, 'compact-explain', 'chitta compact --explain');
    const [, handle = 'no handle'] = /user +631 dropped .*#([a-z2-7]{7})/.exec(told) ?? [];
    await terminal.enter(`chitta show ${handle} --about lag`);
    expect(await terminal.shows(/── #[^]*\n\$/)).toContain('lamplighter_event_loop_lag_seconds > 0.5');
    await terminal.enter('exit');
    await vi.waitUntil(async () => terminal.hasEnded(), { timeout: 20_000 });
    keepRecording(terminal, 'compact', 'chitta compact --explain, chitta show');
  });
});
