/** The plugin as people get it: from a repository with the built tree, and by `chitta install`. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { serveRepository } from './support/git-server.ts';
import { type Host, onBuilds, withEachHost } from './support/hosts.ts';
import { work } from './support/replacing.ts';
import { guideIn, only, textIn } from './support/requests.ts';
import { type Rig, setUp } from './support/rig.ts';

const repository = join(import.meta.dirname, '..', '..');

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chitta-install-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A PATH on which `claude` is this host. */
function pathWith(host: Host): string {
  const bin = newFolder();
  symlinkSync(host.path, join(bin, 'claude'));
  return [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
}

async function claude(rig: Rig, ...argv: readonly string[]): Promise<string> {
  const options = { cwd: rig.project, env: { ...rig.env }, extendEnv: false, all: true } as const;
  return (await execa(rig.host.path, argv, options)).all;
}

function settings(rig: Rig): Record<string, unknown> {
  // Written by the rig and the host.
  return JSON.parse(readFileSync(join(String(rig.env['CLAUDE_CONFIG_DIR']), 'settings.json'), 'utf8')) as Record<
    string,
    unknown
  >;
}

/** A machine on which the plugin comes from a repository with the released tree. */
async function installedFromRepository(host: Host, ...config: readonly string[]): Promise<Rig> {
  const tree = join(newFolder(), 'tree');
  await execa(process.execPath, [join(repository, 'scripts', 'release.mjs'), tree]);
  const rig = await setUp(host, { plugin: 'none' });
  await claude(rig, 'plugin', 'validate', '--strict', tree);
  await claude(rig, 'plugin', 'marketplace', 'add', await serveRepository(tree));
  await claude(rig, 'plugin', 'install', 'chitta@chitta', ...config.flatMap((one) => ['--config', one]));
  return rig;
}

/**
 * Files of a machine that hold `planted`, or name chitta in their path or their text. The plugin that it was installed from is the
 * test's own, and transcripts are the host's; which plugins it has seen, and what servers said to it, it keeps by name for itself.
 */
function tracesIn({ folder }: Rig, planted: string): string[] {
  const own = [join(folder, 'plugin'), join(folder, 'config', 'projects')];
  const hosts = ['config/.claude.json', 'config/backups/.claude.json', '.cache/claude-cli-nodejs'].map((path) =>
    join(folder, path),
  );
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !own.some((one) => path.startsWith(`${one}/`)))
    .filter((path) => {
      const text = `${path}\n${lstatSync(path).isFile() ? readFileSync(path, 'latin1') : ''}`.replaceAll(folder, '');
      return (/chitta/i.test(text) && !hosts.some((one) => path.startsWith(one))) || text.includes(planted);
    })
    .map((path) => relative(folder, path));
}

withEachHost((host) => {
  test('from a repository: it loads, guides a compaction, and answers what is typed', async () => {
    const rig = await installedFromRepository(host);
    // Nothing is permitted here beforehand: what a slash command may run, it says itself.
    writeFileSync(
      join(String(rig.env['CLAUDE_CONFIG_DIR']), 'settings.json'),
      JSON.stringify({ ...settings(rig), permissions: {} }),
    );
    const session = rig.open();
    await session.say('Never change the public name parse_record.');
    const begun = only(session.events.filter(({ subtype }) => subtype === 'init'));
    expect(begun).toMatchObject({ plugins: expect.arrayContaining([expect.objectContaining({ name: 'chitta' })]) });
    expect(begun['plugin_errors'] ?? []).toEqual([]);
    await session.say('Thanks. What is next?');
    await session.say('/compact');
    expect(guideIn(only(rig.api.of('summary')))).toContain('parse_record');

    const answered = async (command: string): Promise<string> => {
      await session.say(command);
      const sent = rig.api.of('main').at(-1);
      return sent === undefined ? '' : textIn(sent);
    };
    expect(await answered('/chitta:status')).toMatch(/^warn {2}better-sqlite3 {2}no memory: .*\n.*→ chitta setup$/m);
    // Without the native packages there is no memory, and the reason takes the place of the answer.
    expect(await answered('/chitta:remember it\'s "8080" & `more`')).toContain('E_STORE_UNAVAILABLE');
    expect(await session.say('Go on.')).toMatchObject({ text: 'Done.', isError: false });
    expect(await session.end()).toBe(0);
  });

  test('what is chosen for the plugin reaches its hooks, and its commands afterwards', async () => {
    const rig = await installedFromRepository(host, 'mode=replace', 'last_turns=20', 'recall=false');
    const session = rig.open();
    await session.say('Hello.');
    expect(await session.end()).toBe(0);
    const { stdout } = await rig.chitta('config', 'get', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      mode: { value: 'replace', source: 'plugin' },
      last_turns: { value: 20, source: 'plugin' },
      recall: { value: false, source: 'plugin' },
      budget_tokens: { value: 80_000, source: 'default' },
    });
  });

  test('without node on the PATH the session goes on, and no hook counts as failed', async () => {
    const rig = await installedFromRepository(host);
    const bin = newFolder();
    for (const name of ['sh', 'cat', 'readlink']) symlinkSync(join('/bin', name), join(bin, name));
    const session = rig.open({ env: { PATH: bin } });
    expect(await session.say('Never change the public name parse_record.')).toMatchObject({
      text: 'Done.',
      isError: false,
    });
    await session.say('Thanks. What is next?');
    await session.say('/compact');
    expect(await session.say('Go on.')).toMatchObject({ text: 'Done.', isError: false });
    const sent = rig.api.requests.map(textIn).join('\n');
    expect(sent).not.toContain('[chitta:');
    expect(sent).not.toMatch(/Compact \[.*\] failed/);
    // No failed hook anywhere in what was written of the session.
    const transcript = rig
      .transcripts()
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n');
    expect(transcript).not.toContain('hook_non_blocking_error');
  });

  test(
    'chitta install, once and again; the next session has it; chitta uninstall leaves the database',
    onBuilds(host),
    async () => {
      const rig = await setUp(host, { plugin: 'own', env: { PATH: pathWith(host) } });
      // The rig hands its plugin to each session; this one has to be found by what was installed.
      const before = settings(rig);
      const open = async (): Promise<boolean> => {
        const options = { cwd: rig.project, env: { ...rig.env }, extendEnv: false, input: '' } as const;
        const argv = ['-p', 'Hello.', '--output-format', 'stream-json', '--verbose'];
        const { stdout } = await execa(host.path, argv, options);
        return stdout.includes('"name":"chitta"');
      };
      expect(await open()).toBe(false);
      for (const state of ['installed', 'present']) {
        const { stdout, exitCode } = await rig.chitta('install', '--json');
        expect([JSON.parse(stdout).state, exitCode]).toEqual([state, 0]);
      }
      expect(await open()).toBe(true);
      await rig.chitta('memory', 'add', 'the server listens on port 8080');
      const { stdout: report } = await rig.chitta('doctor', '--json');
      const { checks } = JSON.parse(report);
      expect(checks).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'plugin', state: 'ok' }),
          expect.objectContaining({ name: 'hooks', state: 'ok' }),
          expect.objectContaining({ name: 'mode', state: 'ok', detail: 'guide' }),
        ]),
      );

      for (const _ of ['once', 'again']) expect((await rig.chitta('uninstall')).exitCode).toBe(0);
      expect(await open()).toBe(false);
      const { enabledPlugins, extraKnownMarketplaces, ...rest } = settings(rig);
      expect([rest, enabledPlugins, extraKnownMarketplaces]).toEqual([before, {}, {}]);
      const plugins = join(String(rig.env['CLAUDE_CONFIG_DIR']), 'plugins');
      expect(
        readdirSync(plugins, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('chitta')),
      ).toEqual([]);
      expect(readdirSync(rig.home).filter((name) => !name.startsWith('memory.db'))).toEqual([]);
      await rig.chitta('uninstall', '--purge');
      expect(existsSync(rig.home)).toBe(false);
      expect(tracesIn(rig, 'port 8080')).toEqual([]);
    },
  );

  test.each(['guide', 'replace'])(
    'chitta uninstall in the middle of a session in mode %s: it is compacted and goes on, now and when it is resumed',
    async (mode) => {
      const rig = await setUp(host, { plugin: 'none', env: { PATH: pathWith(host) } });
      expect((await rig.chitta('install', '--mode', mode)).exitCode).toBe(0);
      const session = rig.open();
      await work(rig, session, 1, 2);
      expect(session.events.find(({ subtype }) => subtype === 'init')).toMatchObject({
        plugins: expect.arrayContaining([expect.objectContaining({ name: 'chitta' })]),
      });
      expect((await rig.chitta('uninstall')).exitCode).toBe(0);
      for (const prompt of ['/compact', 'Go on.']) expect(await session.say(prompt)).toMatchObject({ isError: false });
      expect(textIn(only(rig.api.of('summary')))).not.toContain('[chitta:guide]');
      expect(await session.end()).toBe(0);
      const again = rig.open({ resume: session.id });
      expect(await again.say('Are you there?')).toMatchObject({ text: 'Done.', isError: false });
    },
  );

  test('installed for one project, it is in that project alone', async () => {
    const rig = await setUp(host, { plugin: 'own', env: { PATH: pathWith(host) } });
    expect(await rig.chitta('install', '--scope', 'project')).toMatchObject({ exitCode: 0 });
    const elsewhere = join(rig.folder, 'elsewhere');
    mkdirSync(elsewhere);
    for (const [cwd, isThere] of [
      [rig.project, true],
      [elsewhere, false],
    ] as const) {
      const options = { cwd, env: { ...rig.env }, extendEnv: false } as const;
      const { stdout } = await execa(host.path, ['plugin', 'list', '--json'], options);
      const entries: { id: string; projectPath?: string }[] = JSON.parse(stdout);
      const here = entries.filter(({ id, projectPath }) => id === 'chitta@chitta' && projectPath === cwd);
      expect([cwd, here.length > 0]).toEqual([cwd, isThere]);
    }
    expect((await rig.chitta('uninstall')).exitCode).toBe(0);
  });
});
