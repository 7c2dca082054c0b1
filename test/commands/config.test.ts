import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addConfigCommand } from '../../src/commands/config.ts';
import { type Bench, benchFor } from './context.ts';

let bench: Bench;
beforeEach(() => {
  bench = benchFor(addConfigCommand);
});
afterEach(() => bench.remove());

const file = (): string => join(bench.home, 'config.json');
const saved = (): unknown => JSON.parse(readFileSync(file(), 'utf8'));
function save(text: string): void {
  mkdirSync(bench.home, { mode: 0o700 });
  writeFileSync(file(), text);
}

describe('showing', () => {
  test('without a word, all settings with where each comes from', async () => {
    save('{"last_turns": 80}');
    writeFileSync(join(bench.project, '.chitta.json'), '{"target_ratio": 0.2}');
    expect(await bench.run('config')).toMatchInlineSnapshot(`
      "target_ratio      0.2 share of tokens  .chitta.json  How much of the context compaction keeps.
      last_turns        80 messages          your file     How many of the newest user and assistant messages are looked at.
      max_read_bytes    33554432 bytes       default       How much of a transcript is read, from its end, to find those messages.
      disabled          false                default       Switches the hooks off; commands that you type still work.
      private           false                default       Hooks store nothing of the session; they still read, and give back what is stored.
      mode              guide                default       What the plugin does at a compaction: guide the summary, or replace it (Claude Code 2.1.287 and newer).
      budget_tokens     80000 tokens         default       In mode replace, what survives is no larger than this, whatever target_ratio says.
      recall            true                 default       Hooks put what is known of the names in a prompt beside it.
      mcp               true                 default       The MCP server, which the plugin starts with each session, offers its tools.
      learn             true                 default       Decisions, corrections, rules, settings and fixes of a session become memories.
      archive_max_mb    0 MB                 default       Beyond so much text the oldest archived turns are deleted; 0: never.
      archive_max_days  0 days               default       Archived turns that are older are deleted; 0: never.
      auto_summarize    false                default       A language model summarises a context that is nearly full, where a front end asks after each turn.
      tickets           false                default       Issue trackers may be asked: those that tickets.HOST.kind names.
      "
    `);
  });

  test('one value alone, for scripts', async () => {
    expect(await bench.run('config', 'get', 'target_ratio')).toBe('0.4\n');
  });

  test('as JSON, by key', async () => {
    save('{"last_turns": 80}');
    const one = { last_turns: { value: 80, source: 'user', default: 60 } };
    expect(JSON.parse(await bench.run('config', 'get', 'last_turns', '--json'))).toEqual(one);
    expect(JSON.parse(await bench.run('config', 'get', '--json'))).toMatchObject({
      ...one,
      disabled: { value: false, source: 'default', default: false },
    });
  });

  test('where the file is, whether or not it is there', async () => {
    expect(await bench.run('config', 'path')).toBe(`${file()}\n`);
    expect(JSON.parse(await bench.run('config', 'path', '--json'))).toEqual({
      user: file(),
      project: expect.stringMatching(/project.\.chitta\.json$/),
    });
    expect(existsSync(bench.home)).toBe(false);
  });
});

describe('changing', () => {
  test('makes the folder and the file for this user alone, and says nothing', async () => {
    expect(await bench.run('config', 'set', 'target_ratio', '0.25')).toBe('');
    expect([saved(), bench.said.err]).toEqual([{ target_ratio: 0.25 }, '']);
    const modes = [bench.home, file()].map((path) => (statSync(path).mode & 0o777).toString(8));
    expect(modes).toEqual(process.platform === 'win32' ? ['666', '666'] : ['700', '600']);
  });

  test('keeps what else is in the file, also what this version does not know', async () => {
    save('{"later_setting": [1, 2], "last_turns": 80}');
    await bench.run('config', 'set', 'disabled', 'true');
    expect(saved()).toEqual({ later_setting: [1, 2], last_turns: 80, disabled: true });
    await bench.run('config', 'unset', 'last_turns');
    expect(saved()).toEqual({ later_setting: [1, 2], disabled: true });
  });

  test('taking out what is not there makes no file', async () => {
    await bench.run('config', 'unset', 'last_turns');
    expect(existsSync(bench.home)).toBe(false);
  });

  test('says so when something goes before the file', async () => {
    writeFileSync(join(bench.project, '.chitta.json'), '{"last_turns": 10}');
    await bench.run('config', 'set', 'last_turns', '80');
    expect(bench.said.err).toBe('saved, but last_turns stays 10: .chitta.json goes before your file\n');
  });

  test('says so when the project switches tickets off', async () => {
    await bench.run('config', 'set', 'tickets.github.com.kind', 'github');
    expect(bench.said.err).toBe('');
    writeFileSync(join(bench.project, '.chitta.json'), '{"tickets": false}');
    await bench.run('config', 'set', 'tickets.github.com.token_env', 'MINE');
    expect(bench.said.err).toBe('saved, but tickets stays false: .chitta.json goes before your file\n');
    expect(saved()).toEqual({ tickets: { 'github.com': { kind: 'github', token_env: 'MINE' } } });
  });

  test.each([
    ['a misspelt key', ['lastturns', '5'], /"lastturns" is not a setting/, 'did you mean "last_turns"?'],
    [
      'a key like none',
      ['colour', 'red'],
      /"colour" is not a setting/,
      expect.stringContaining('target_ratio, last_turns'),
    ],
    [
      'a value out of range',
      ['target_ratio', '4'],
      /target_ratio must be a number from 0\.05 to 1, not "4"/,
      undefined,
    ],
    ['hexadecimal', ['last_turns', '0x10'], /last_turns must be a whole number/, undefined],
    ['nothing', ['last_turns', ''], /last_turns must be a whole number/, undefined],
    ['a word for true', ['disabled', 'yes'], /disabled must be true or false, not "yes"/, undefined],
  ])('refuses %s and writes nothing', async (_what, words, message, hint) => {
    const refused = bench.run('config', 'set', ...words);
    await expect(refused).rejects.toMatchObject({
      code: 'E_CONFIG_INVALID',
      message: expect.stringMatching(message),
      hint,
    });
    expect(existsSync(file())).toBe(false);
  });

  test('leaves a broken file to its owner', async () => {
    save('{"last_turns": 80,}');
    await expect(bench.run('config', 'set', 'last_turns', '5')).rejects.toMatchObject({
      code: 'E_CONFIG_INVALID',
      message: expect.stringContaining('line 1, column 19'),
    });
    expect(readFileSync(file(), 'utf8')).toBe('{"last_turns": 80,}');
  });

  test('a home that cannot be made is told with its reason', async () => {
    writeFileSync(bench.home, 'a file');
    await expect(bench.run('config', 'set', 'last_turns', '5')).rejects.toMatchObject({ code: 'E_CONFIG_WRITE' });
  });
});
