/** The built command line as a process: exit codes, streams, and what happens when things around it go wrong. */
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { cliRig } from './support/cli.ts';

const rig = cliRig();
const demo = join(import.meta.dirname, '..', 'demo');

beforeAll(() => {
  copyFileSync(join(demo, 'session.jsonl'), join(rig.folder, 'session.jsonl'));
  writeFileSync(join(rig.folder, 'codex.jsonl'), '{"type":"session_meta","payload":{"id":"x"}}\n');
  writeFileSync(join(rig.folder, 'words.txt'), 'no JSON at all\nnowhere\n');
  writeFileSync(join(rig.folder, 'torn.json'), '[{"role":"user","content":"a"');
  mkdirSync(join(rig.folder, 'folder'));
});

describe('usage that is not understood exits 2, with what is meant', () => {
  test.each([
    ['compat', "unknown command 'compat'", 'chitta compact, or chitta --help for all there is'],
    ['xyzzy', "unknown command 'xyzzy'", 'chitta --help'],
    ['--json', "unknown option '--json'", 'chitta --help'],
    ['compact --ration 0.3', "unknown option '--ration'", '--ratio, or chitta compact --help for all there is'],
    ['compact --ratio', "option '--ratio <N>' argument missing", 'chitta compact --help'],
    [
      'compact --ratio 7 session.jsonl',
      "option '--ratio <N>' argument '7' is invalid. It must be a number from 0.05 to 1.",
      'chitta compact --help',
    ],
    [
      'compact --last some',
      "option '--last <N>' argument 'some' is invalid. It must be a whole number of at least 1.",
      'chitta compact --help',
    ],
    ['transcript', "missing required argument 'FILE'", 'chitta transcript --help'],
  ])('chitta %s', async (line, message, hint) => {
    expect(await rig.run(line.split(' '))).toEqual({
      stdout: '',
      stderr: `chitta: ${message}   [E_USAGE]\ntry:    ${hint}\n`,
      exitCode: 2,
    });
  });
});

describe('input that is none', () => {
  test.each([
    ['a file that is not there', 'compact nowhere.jsonl', 'E_INPUT_MISSING', 'there is no file nowhere.jsonl'],
    ['a folder', 'compact folder', 'E_INPUT_MISSING', 'folder is a folder'],
    ['an empty device', 'compact /dev/null', 'E_INPUT_EMPTY', 'the input is empty'],
    ['empty standard input', 'compact', 'E_INPUT_EMPTY', 'the input is empty'],
    ['words', 'compact words.txt', 'E_INPUT_JSON', 'the input is neither JSON nor a transcript'],
    ['damaged JSON', 'compact torn.json', 'E_INPUT_JSON', 'the input is neither JSON nor a transcript: '],
    ["another agent's file", 'compact codex.jsonl', 'E_INPUT_FORMAT', 'Codex'],
    ['a file that is not there, for transcript', 'transcript nowhere.jsonl', 'E_INPUT_MISSING', 'nowhere.jsonl'],
    ['a folder, for transcript', 'transcript folder', 'E_INPUT_MISSING', 'folder is a folder'],
  ])('%s exits 1, in two lines', async (_, line, code, message) => {
    const { stdout, stderr, exitCode } = await rig.run(line.split(' '));
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toContain(`[${code}]\ntry:    `);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(2);
  });
});

test('what was not expected is one line; a stack only if it is asked for', async () => {
  const lines = async (...args: string[]) => (await rig.run(args)).stderr.split('\n').length;
  expect(await lines('compact', 'nowhere')).toBe(3);
  expect(await lines('compact', 'nowhere', '--debug')).toBeGreaterThan(5);
  expect(await lines('--debug', 'compact', 'nowhere')).toBeGreaterThan(5);
  const { stderr } = await rig.run(['compact', 'nowhere'], { env: { CHITTA_DEBUG: '1' } });
  expect(stderr).toMatch(/\n {4}at /);
});

test('messages for people hold no control characters of the file name', async () => {
  const { stderr } = await rig.run(['compact', 'a\u001b[31mb\u202ec']);
  expect(stderr).toContain('there is no file abc ');
});

describe('streams', () => {
  test('a reader that goes away is no failure', async () => {
    const big = `[${Array.from({ length: 3000 }, () => '{"role":"user","content":"Lorem ipsum dolor sit amet."}').join()}]`;
    const lines = [
      'chitta compact - --ratio 1 --json | head -c1',
      'chitta compact - --ratio 1 | head -n1',
      'chitta transcript session.jsonl | head -c1',
      'chitta --help | true',
    ];
    for (const line of lines) {
      const { stderr, stdout } = await rig.shell(`{ ${line}; } ; echo " \${PIPESTATUS[*]}"`, { input: big });
      expect({ line, stderr }).toEqual({ line, stderr: '' });
      expect(stdout).toMatch(/ 0$/m);
    }
    const { stdout } = await rig.shell(
      'set +o pipefail; chitta compact - --ratio 1 --json | head -c1 >/dev/null; echo ${PIPESTATUS[0]}',
      {
        input: big,
      },
    );
    expect(stdout).toBe('0\n');
  });

  test.skipIf(!existsSync('/dev/full'))(
    'output that cannot be written is one error, not a bug (needs /dev/full)',
    async () => {
      for (const command of ['--help', 'transcript session.jsonl']) {
        const { stderr, exitCode } = await rig.shell(`chitta ${command} >/dev/full`);
        expect([command, exitCode]).toEqual([command, 1]);
        expect(stderr).toMatch(
          /^chitta: standard output cannot be written: ENOSPC[^\n]*   \[E_OUTPUT\]\ntry:    is the disk full\?\n$/m,
        );
      }
      const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
      const { stderr, exitCode } = await rig.shell('chitta >/dev/full', { input: ping });
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('[E_OUTPUT]') });
      expect(await rig.shell('chitta hook pre-compact >/dev/full', { input: '{}' })).toMatchObject({ exitCode: 0 });
    },
  );

  test('a home that cannot be written to is no failure', async () => {
    const file = join(rig.folder, 'session.jsonl');
    const env = { CHITTA_HOME: join(file, 'chitta'), HOME: file };
    const compacted = await rig.run(['compact', 'session.jsonl', '--stats'], { env });
    expect(compacted).toMatchObject({ stderr: '', exitCode: 0 });
    expect(await rig.run(['hook', 'pre-compact'], { env, input: '{' })).toEqual({
      stdout: '',
      stderr: '',
      exitCode: 0,
    });
  });

  test('compacting leaves in the home what was dropped, and nothing outside of it', async () => {
    const before = readdirSync(rig.folder).filter((name) => name !== 'home');
    await rig.run(['compact', 'session.jsonl', '--json']);
    expect(readdirSync(rig.folder).filter((name) => name !== 'home')).toEqual(before);
    expect(readdirSync(join(rig.folder, 'home'))).toContain('memory.db');
  });

  test('a pipe that was named is read to its end', async () => {
    const { stdout, exitCode } = await rig.shell('chitta compact <(cat session.jsonl) --stats');
    expect(stdout).toMatch(/^[\d,]+ → [\d,]+ tokens · /);
    expect(exitCode).toBe(0);
  });

  test('an interruption exits 130', async () => {
    const child = rig.start([]);
    child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    // A reply shows that it runs.
    if (child.stdout !== null) await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
  });
});

describe('hooks exit 0 and say nothing, whatever they are given', () => {
  test.each([
    ['no event', ['hook'], ''],
    ['an unknown event', ['hook', 'no-such-event'], '{}'],
    ['the name of an inherited property', ['hook', 'constructor'], '{}'],
    ['no input', ['hook', 'pre-compact'], ''],
    ['no JSON', ['hook', 'pre-compact'], 'garbage'],
    [
      'a transcript that is not there',
      ['hook', 'pre-compact'],
      '{"transcript_path":"/nowhere.jsonl","session_id":"x"}',
    ],
    ['an option', ['hook', 'pre-compact', '--no-such-option'], '{}'],
    ['debugging', ['--debug', 'hook', 'pre-compact'], 'garbage'],
  ])('%s', async (_, args, input) => {
    expect(await rig.run(args, { input })).toMatchObject({ stdout: '', exitCode: 0 });
  });

  test('a broken settings file, and a folder that is gone', async () => {
    mkdirSync(join(rig.folder, 'broken'), { recursive: true });
    writeFileSync(join(rig.folder, 'broken', 'config.json'), '{"target_ratio":');
    const env = { CHITTA_HOME: join(rig.folder, 'broken') };
    expect(await rig.run(['hook', 'pre-compact'], { env, input: '{}' })).toMatchObject({ stdout: '', exitCode: 0 });
    const gone = await rig.shell('mkdir gone && cd gone && rmdir ../gone && chitta hook pre-compact; echo $?', {
      input: '{}',
    });
    expect(gone.stdout).toBe('0\n');
  });

  test('an answer does not wait for a host that keeps standard input open', async () => {
    const child = rig.start(['hook', 'no-such-event']);
    expect(await once(child, 'close')).toEqual([0, null]);
  });

  test('its help is there all the same', async () => {
    const { stdout, exitCode } = await rig.run(['hook', '--help']);
    expect(stdout).toContain('Usage: chitta hook <event>');
    expect(exitCode).toBe(0);
  });
});

test('a broken settings file is one warning, not a failure', async () => {
  const env = { CHITTA_HOME: join(rig.folder, 'broken-too') };
  mkdirSync(env.CHITTA_HOME);
  writeFileSync(join(env.CHITTA_HOME, 'config.json'), '{"target_ratio":');
  const { stderr, exitCode } = await rig.run(['compact', 'session.jsonl', '--stats'], { env });
  expect(stderr).toMatch(/^chitta: warning: .*config\.json.*\n$/);
  expect(exitCode).toBe(0);
});

test('from a folder that is gone, what is named by its full path is still read', async () => {
  const file = join(rig.folder, 'two.json');
  writeFileSync(file, '[{"role":"user","content":"hi"}]');
  const script = `mkdir lost && cd lost && rmdir ../lost && chitta compact '${file}' --json | tail -c +1; echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | chitta`;
  const { stdout, stderr } = await rig.shell(script);
  expect(stderr).not.toContain('E_INTERNAL');
  expect(stdout).toContain('"content":"hi"');
  expect(stdout).toContain('"result":{}');
});
