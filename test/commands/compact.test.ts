import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CLI, cliRig, hasProgram } from '../support/cli.ts';

const rig = cliRig();
const demo = join(import.meta.dirname, '..', '..', 'demo');
const hasScript = hasProgram('script');

const messages = Array.from({ length: 10 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: `Turn ${index}: the date parser takes no "Z" at the end.`,
  mine: index,
}));

beforeAll(() => {
  copyFileSync(join(demo, 'session.jsonl'), join(rig.folder, 'session.jsonl'));
  writeFileSync(join(rig.folder, 'messages.json'), JSON.stringify(messages));
});

async function json(args: readonly string[], input?: string): Promise<Record<string, never>> {
  const { stdout, stderr, exitCode } = await rig.run(['compact', ...args], input === undefined ? {} : { input });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return JSON.parse(stdout);
}

describe('the same conversation, however it comes', () => {
  test.each([
    ['a file', ['messages.json'], undefined],
    ['standard input', [], JSON.stringify(messages)],
    ['standard input, as -', ['-'], JSON.stringify(messages, null, 2)],
    ['an object with messages', ['-'], JSON.stringify({ messages })],
    ['an object with parameters, printed over lines', ['-'], JSON.stringify({ target_ratio: 0.4, messages }, null, 2)],
    ['with a byte order mark', ['-'], `\uFEFF${JSON.stringify(messages)}`],
  ])('%s', async (_, args, input) => {
    const expected = await json(['messages.json', '--ratio', '0.4', '--json']);
    const { messages: survivors, stats } = await json([...args, '--json'], input);
    expect(survivors).toEqual(expected['messages']);
    expect({ ...Object(stats), took_ms: 0 }).toEqual({ ...Object(expected['stats']), took_ms: 0 });
    expect(Object(stats).dropped).toBeGreaterThan(0);
  });

  test('a transcript as a file, as a stream, and as a list of rows', async () => {
    const text = readFileSync(join(demo, 'session.jsonl'), 'utf8');
    const rows = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { messages: expected } = await json(['session.jsonl', '--json']);
    expect((await json(['-', '--json'], text))['messages']).toEqual(expected);
    expect((await json(['-', '--json'], JSON.stringify(rows)))['messages']).toEqual(expected);
  });
});

describe('parameters', () => {
  const params = { messages, target_ratio: 0.2, query: 'parser', explain: true };
  test('come with the messages, and flags go before them', async () => {
    const input = JSON.stringify(params);
    const given = await json(['-', '--json'], input);
    expect(given['decisions']).toHaveLength(10);
    expect(Object(given['stats']).after_tokens).toBeLessThanOrEqual(Object(given['stats']).before_tokens * 0.2);
    expect(Object((await json(['-', '--ratio', '1', '--json'], input))['stats']).dropped).toBe(0);
    expect(
      Object((await json(['-', '--ratio', '1', '--json'], JSON.stringify({ messages, budget_tokens: 30 })))['stats'])
        .dropped,
    ).toBe(0);
    const budget = await json(['-', '--budget', '40', '--json'], input);
    expect(Object(budget['stats']).after_tokens).toBeLessThanOrEqual(40);
  });

  test('the setting decides where nothing else does', async () => {
    await rig.run(['config', 'set', 'target_ratio', '1']);
    expect(Object((await json(['messages.json', '--json']))['stats']).dropped).toBe(0);
    await rig.run(['config', 'unset', 'target_ratio']);
    expect(Object((await json(['messages.json', '--json']))['stats']).dropped).toBeGreaterThan(0);
  });

  test('--last takes the newest turns, of a list and of a transcript', async () => {
    const { messages: survivors } = await json(['messages.json', '--last', '3', '--ratio', '1', '--json']);
    expect(survivors).toEqual(messages.slice(7));
    const whole = Object(await json(['session.jsonl', '--ratio', '1', '--json'])).messages;
    const newest = Object(await json(['session.jsonl', '--last', '4', '--ratio', '1', '--json'])).messages;
    expect(newest.length).toBeGreaterThanOrEqual(4);
    expect(newest).toEqual(whole.slice(-newest.length));
  });

  test.each([
    ['an unknown parameter', { messages, ratio: 0.3 }, 2, 'E_PARAM_INVALID', 'ratio'],
    [
      'a key that rows have, beside messages',
      { type: 'chat', messages },
      2,
      'E_PARAM_INVALID',
      'type is not a parameter',
    ],
    ['a ratio out of range', { messages, target_ratio: 7 }, 2, 'E_PARAM_INVALID', 'target_ratio'],
    ['no messages', { query: 'x' }, 2, 'E_PARAM_INVALID', 'messages'],
    ['a message that is null', [messages[0], null], 1, 'E_MESSAGE_INVALID', 'messages[1]'],
    ['a message that is a number', [7], 1, 'E_MESSAGE_INVALID', 'messages[0]'],
    ['a message without a role', { messages: [{ content: 'a' }] }, 1, 'E_MESSAGE_INVALID', 'messages[0].role'],
    ['explain that is no boolean', { messages, explain: 'yes' }, 2, 'E_PARAM_INVALID', 'explain'],
  ])('%s is an error that names it', async (_, input, exitCode, code, field) => {
    const run = await rig.run(['compact', '-'], { input: JSON.stringify(input) });
    expect(run).toMatchObject({ stdout: '', exitCode });
    expect(run.stderr).toContain(field);
    expect(run.stderr).toContain(`[${code}]`);
  });
});

describe('output', () => {
  test('--json gives messages unchanged and stats; decisions only if asked for', async () => {
    const plain = await json(['messages.json', '--ratio', '1', '--json']);
    expect(Object.keys(plain)).toEqual(['messages', 'stats']);
    expect(plain['messages']).toEqual(messages);
    const explained = await json(['messages.json', '--explain', '--json']);
    expect(Object.keys(explained)).toEqual(['messages', 'stats', 'decisions']);
    expect(Object.keys(await json(['messages.json', '--stats', '--json']))).toContain('dropped_pct');
  });

  test('of no messages, no messages', async () => {
    expect(await json(['-', '--json'], '[]')).toMatchObject({ messages: [], stats: { dropped: 0, dropped_pct: 0 } });
    expect((await rig.run(['compact'], { input: '[]' })).stdout).toMatch(
      /^0 → 0 tokens · 0\.0 % let go · [\d.]+ ms\n$/,
    );
  });

  test('--stats are a few lines', async () => {
    const { stdout } = await rig.run(['compact', 'session.jsonl', '--stats']);
    expect(stdout).toMatch(
      /^[\d,]+ → [\d,]+ tokens · [\d.]+ % let go · (\d+) of \1 tool pairs intact · [\d.]+ ms\n\d+ messages kept, \d+ let go\nstrategy need · without vectors\n$/,
    );
  });

  test('in a pipe, bars are plain text of at most 80 columns, one line a message', async () => {
    const { stdout } = await rig.run(['compact', 'messages.json']);
    expect(stdout).not.toContain('\u001b');
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(1 + messages.length + 3);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    expect(lines[1]).toMatch(/^ {3}0 user +\d+ (?:kept|dropped) +[█░]+ +\d\.\d\d {2}Turn 0: /);
    expect(lines.at(-1)).toBe('bring one back: chitta show HANDLE --about WORD (handles: --explain)');
  });

  test('the formula shows its terms', async () => {
    const { stdout } = await rig.run(['compact', 'messages.json', '--strategy', 'formula']);
    expect(stdout.split('\n')[1]).toMatch(/^ {3}0 user +\d+ (?:kept|dropped) +[█░]+ +0\.10 0\.50 0\.00 Turn 0: /);
  });

  test('--explain names score, reason and handle', async () => {
    const { stdout } = await rig.run(['compact', 'messages.json', '--explain']);
    expect(stdout.split('\n')[1]).toMatch(/ \d\.\d\d {2}(?:no room left|kept elsewhere|typed prompt) +#[a-z2-7]{7} /);
    expect(stdout).toMatch(/last prompt/);
    const { stdout: terms } = await rig.run(['compact', 'messages.json', '--explain', '--strategy', 'formula']);
    expect(terms.split('\n')[1]).toMatch(
      / 0\.10 0\.50 0\.00 0\.\d\d {2}(?:fits the budget|no room left) +#[a-z2-7]{7} /,
    );
  });

  test('--explain says which lines of an excerpt are left, for which names, and that a list stands in front', async () => {
    const excerpt = ['compact', 'session.jsonl', '--detail', 'excerpt', '--ratio', '0.3', '--explain'];
    const { stdout } = await rig.run(excerpt);
    expect(stdout).toMatch(/ excerpt .*\n {5}result lines [\d–, …]+ of \d+ · for \S/);
    expect(stdout).toMatch(/ dropped .* no room left .*\n {5}lost: \S/);
    expect(stdout).toMatch(/ · \d+ in excerpts · (\d+) of \1 tool pairs intact · list of \d+ tokens · /);
    expect(stdout).toMatch(
      /\na list in front names dropped calls, .*\nbring one back: chitta show HANDLE --about WORD\n$/,
    );
    const { decisions, messages: survivors } = Object(await json([...excerpt.slice(1), '--json']));
    const counts: Record<string, number> = {};
    for (const { action } of decisions) counts[action] = (counts[action] ?? 0) + 1;
    expect(counts).toMatchObject({ keep: expect.any(Number), drop: expect.any(Number), excerpt: expect.any(Number) });
    expect(survivors[0].content).toMatch(/^\[chitta:stub dropped: .* #[a-z2-7]{7}\]$/);
    expect(survivors).toHaveLength(decisions.length - counts['drop']! + 1);
  });

  test('what a list or a mark names, show brings back', async () => {
    const { messages: survivors } = Object(
      await json(['session.jsonl', '--detail', 'excerpt', '--ratio', '0.3', '--json']),
    );
    const text = JSON.stringify(survivors);
    const listed = /chitta:stub dropped: [^\]]*?#([a-z2-7]{7})/.exec(text)?.[1] ?? '';
    const marked = /chitta:gap #([a-z2-7]{7}) /.exec(text)?.[1] ?? '';
    for (const handle of [listed, marked]) {
      const { stdout, exitCode } = await rig.run(['show', handle]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain(`── #${handle} `);
      expect(stdout).toContain('from the archive');
    }
  });

  test('is well-formed Unicode, and says what was repaired', async () => {
    const input = '[{"role":"user","content":"half \\ud83d of it, and \\\\ud83d in letters"}]';
    const { stdout, stderr } = await rig.run(['compact', '-', '--json', '--ratio', '1'], { input });
    expect(stdout).toContain('"half \uFFFD of it, and \\\\ud83d in letters"');
    expect(stderr).toBe('chitta: lone surrogates written as U+FFFD: 1\n');
    expect((await rig.run(['compact', '-'], { input })).stdout).toContain('half \uFFFD of it');
  });

  test('says of numbers that it cannot hold that their last digits may be lost, and nothing of others', async () => {
    const call = (id: string): string =>
      `[{"role":"user","content":"find it"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"find","input":{"id":${id}}}]},` +
      '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"found"}]}]';
    expect((await rig.run(['compact', '--json', '--ratio', '1'], { input: call('1234567890123456789') })).stderr).toBe(
      'chitta: messages with numbers beyond 2^53, whose last digits may be lost: 1\n',
    );
    expect((await rig.run(['compact', '--json', '--ratio', '1'], { input: call('9007199254740991') })).stderr).toBe('');
  });

  test('says how much of a transcript could not be read', async () => {
    const text = readFileSync(join(demo, 'session.jsonl'), 'utf8');
    const { stdout, stderr } = await rig.run(['compact', '-', '--stats'], { input: `${text}{"type":"user","mess` });
    expect(stdout).toContain('tokens');
    expect(stderr).toBe('chitta: damaged parts of the transcript were skipped: 1\n');
  });

  test('text cannot take over the terminal', async () => {
    const input = JSON.stringify([{ role: 'user\u001b[2J', content: 'a\u001b]0;title\u0007b\u001b[31mc\u202ed\r\ne' }]);
    const { stdout } = await rig.run(['compact', '-'], { input });
    // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(stdout).toContain('abcd e');
  });
});

describe.skipIf(!hasScript)('on a terminal (needs script)', () => {
  const onTerminal = async (columns: number, env: Record<string, string> = {}): Promise<string[]> => {
    const command = `stty cols ${columns}; '${process.execPath}' '${CLI}' compact messages.json`;
    const { stdout } = await rig.shell(`script -qec "${command}" /dev/null`, { env: { TERM: 'xterm', ...env } });
    return stdout.replaceAll('\r', '').trimEnd().split('\n');
  };
  // oxlint-disable-next-line no-control-regex -- colours are what it takes out
  const bare = (line: string): string => line.replace(/\u001b\[\d+m/g, '');

  test('bars are in colour and as wide as the terminal', async () => {
    const lines = await onTerminal(120);
    expect(['\u001b[2m', '\u001b[32m']).toContain(lines[1]?.split('m', 1)[0] + 'm');
    expect(lines.map(bare).some((line) => line.length > 80)).toBe(true);
    expect((await onTerminal(40)).map(bare).every((line) => line.length <= 40 || line.includes('→'))).toBe(true);
  });

  test('colour can be refused', async () => {
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      expect((await onTerminal(80, env)).join('')).not.toContain('\u001b');
    }
  });

  test('no input is a question for a file, not a wait for one', async () => {
    const { stdout } = await rig.shell(`script -qec "'${process.execPath}' '${CLI}' compact" /dev/null`);
    expect(stdout).toContain('[E_USAGE]');
  });
});
