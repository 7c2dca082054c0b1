/** bin/chitta and hooks/typed, as Claude Code starts them: by `sh`, with whatever is on the PATH. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const repository = join(import.meta.dirname, '..', '..');
const work = mkdtempSync(join(tmpdir(), 'chitta-launcher-'));
const tools = join(work, 'tools');
/** A build that says how it was called. */
const ECHO = 'process.stdout.write(JSON.stringify(process.argv.slice(2)));\n';
const root = join(work, 'a plugin');

const EVENTS = [
  'session-start',
  'user-prompt-submit',
  'stop',
  'subagent-stop',
  'pre-compact',
  'post-compact',
  'session-end',
];

interface Said {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function sh(script: string, args: readonly string[], { input = '{}', path = '', env = {}, at = root } = {}): Said {
  const PATH = [path, tools].filter((part) => part !== '').join(delimiter);
  const { status, stdout, stderr } = spawnSync('/bin/sh', [join(at, script), ...args], {
    input,
    env: { PATH, HOME: work, ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** Standard input of a slash command; without words where it takes none. */
const typed = (words?: string): string => `${words === undefined ? '' : `${words}\n`}ALL_THAT_WAS_TYPED\n`;

const withNode = { path: dirname(process.execPath) };
const SILENT: Said = { status: 0, stdout: '', stderr: '' };

function pluginAt(folder: string, build: string | undefined): void {
  mkdirSync(folder, { recursive: true });
  for (const name of ['bin', 'hooks']) cpSync(join(repository, name), join(folder, name), { recursive: true });
  if (build === undefined) return;
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist', 'cli.mjs'), build);
}

beforeAll(() => {
  mkdirSync(tools);
  // What a shell script needs of a machine, and no Node.
  for (const name of ['cat', 'sh']) symlinkSync(join('/bin', name), join(tools, name));
  pluginAt(root, ECHO);
});

afterAll(() => {
  rmSync(work, { recursive: true, force: true });
});

/** What Claude Code says to a server, in its way of writing it. */
const ASKED = [
  '{"jsonrpc":"2.0","id":"probe-1","method":"server/discover","params":{}}',
  '{"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"c"}},"jsonrpc":"2.0","id":0}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}',
  '{"method":"ping","jsonrpc":"2.0","id":"two"}\n',
].join('\n');
const SERVER =
  '"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"chitta","version":"0"}';
const ANSWERED = [
  '{"jsonrpc":"2.0","id":"probe-1","error":{"code":-32601,"message":"chitta offers nothing here"}}',
  `{"jsonrpc":"2.0","id":0,"result":{${SERVER}}}`,
  '{"jsonrpc":"2.0","id": 1,"result":{"tools":[]}}',
  '{"jsonrpc":"2.0","id":"two","result":{}}\n',
].join('\n');

describe.skipIf(process.platform === 'win32')('the launcher (needs a POSIX shell)', () => {
  test('hands on its arguments as they are', () => {
    const args = ['memory', 'add', 'it\'s $HOME `x` "y" *'];
    expect(sh('bin/chitta', args, withNode)).toEqual({ status: 0, stdout: JSON.stringify(args), stderr: '' });
  });

  test('is found by a relative path, and through a link', () => {
    const link = join(work, 'linked');
    symlinkSync('a plugin/bin/chitta', link);
    const relative = spawnSync('/bin/sh', ['bin/chitta', 'doctor'], {
      cwd: root,
      env: { PATH: `${withNode.path}:${tools}` },
    });
    expect([relative.status, String(relative.stdout)]).toEqual([0, '["doctor"]']);
    const linked = spawnSync('/bin/sh', [link, 'doctor'], {
      env: { PATH: [withNode.path, tools, '/usr/bin'].join(delimiter) },
    });
    expect([linked.status, String(linked.stdout)]).toEqual([0, '["doctor"]']);
  });

  const unable = {
    'without node on the PATH': () => ({ at: root, path: '' }),
    'with a Node from before modules': () => {
      const old = join(work, 'old');
      mkdirSync(old, { recursive: true });
      const check = JSON.stringify(join(root, 'hooks', 'oldest-node.cjs'));
      // The real Node, made to say that it is another: runs the check with what stands behind the build.
      const program = `Object.defineProperty(process, 'versions', { value: { node: '12.22.9' } });
        process.argv.splice(1, 0, 'cli.mjs'); require(${check}); process.stdout.write('went on');`;
      const shift = 'until case "$1" in *cli.mjs|*hook.cjs) ;; *) false ;; esac; do shift; done; shift';
      const script = `#!/bin/sh\n${shift}\nexec '${process.execPath}' -e "$PROGRAM" -- "$@"\n`;
      writeFileSync(join(old, 'node'), script, { mode: 0o755 });
      return { at: root, path: old, env: { PROGRAM: program } };
    },
    'without a build': () => {
      const bare = join(work, 'bare');
      pluginAt(bare, undefined);
      return { at: bare, ...withNode };
    },
  };

  describe.each(Object.entries(unable))('%s', (_name, machine) => {
    test('no hook fails, and only the start of a session tells the person why', () => {
      const options = machine();
      for (const event of EVENTS.slice(1))
        expect([event, sh('bin/chitta', ['hook', event], options)]).toEqual([event, SILENT]);
      const { status, stdout, stderr } = sh('bin/chitta', ['hook', 'session-start'], options);
      expect([status, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toEqual({
        systemMessage: expect.stringMatching(/^chitta does nothing in this session: .+/),
      });
    });

    test('an MCP client finds a server that offers nothing, and no error', () => {
      const { status, stdout, stderr } = sh('bin/chitta', ['mcp'], { ...machine(), input: ASKED });
      expect([status, stdout]).toEqual([0, ANSWERED]);
      expect(stderr).toMatch(/^chitta: .+\n$/);
    });

    test('nothing is said where chitta is switched off', () => {
      const { env, ...options } = { env: {}, ...machine() };
      const off = { ...options, env: { ...env, CHITTA_DISABLE: '1' } };
      expect(sh('bin/chitta', ['hook', 'session-start'], off)).toEqual(SILENT);
    });

    test('a command that someone typed says why, and fails', () => {
      const { status, stdout, stderr } = sh('bin/chitta', ['doctor'], machine());
      expect([status === 0, stdout]).toEqual([false, '']);
      expect(stderr).toMatch(/^chitta: .+\n$/);
    });

    test('a slash command shows the reason instead of an answer', () => {
      const { status, stdout } = sh('hooks/typed', ['memory', 'add'], { ...machine(), input: typed('a fact') });
      expect(status).toBe(0);
      expect(stdout).toMatch(/^chitta: /);
    });
  });

  test.each([{ CHITTA_DISABLE: '1' }, { CLAUDE_PLUGIN_OPTION_MCP: 'false' }])(
    'no Node is started for the MCP server of one who has %o',
    (env) => {
      expect(sh('bin/chitta', ['mcp'], { env, input: ASKED })).toEqual({ status: 0, stdout: ANSWERED, stderr: '' });
    },
  );

  test('words behind a slash command arrive as one text, whatever a shell would make of them', () => {
    const text = `it's "a" $(id) \`id\` --global *\nand a second line`;
    const { stdout } = sh('hooks/typed', ['memory', 'add'], { ...withNode, input: typed(text) });
    expect(JSON.parse(stdout)).toEqual(['memory', 'add', '--', text]);
  });

  test.each(['', 'look at', 'one\n', 'ALL_THAT_WAS_TYPED and more\n'])(
    'words that were cut off by the host are not taken for all: %j',
    (input) => {
      const { status, stdout } = sh('hooks/typed', ['memory', 'add'], { ...withNode, input });
      expect([status, stdout]).toEqual([0, expect.stringMatching(/^chitta: nothing was done: .+\ntry: .+\n$/)]);
    },
  );

  test('without words there is only the command', () => {
    for (const input of [typed(), typed('')]) {
      expect(JSON.parse(sh('hooks/typed', ['recall'], { ...withNode, input }).stdout)).toEqual(['recall']);
    }
  });

  test('behind show they are a handle and options', () => {
    const { stdout } = sh('hooks/typed', ['show'], { ...withNode, input: typed('#k3v7q2a --about *') });
    expect(JSON.parse(stdout)).toEqual(['show', '#k3v7q2a', '--about', '*']);
  });

  test('a command that fails does not end the prompt: its words are the output', () => {
    const broken = join(work, 'broken');
    pluginAt(broken, "process.stderr.write('chitta: no\\n'); process.exit(3);\n");
    expect(sh('hooks/typed', ['doctor'], { ...withNode, at: broken, input: typed() })).toEqual({
      status: 0,
      stdout: 'chitta: no\n',
      stderr: '',
    });
  });
});
