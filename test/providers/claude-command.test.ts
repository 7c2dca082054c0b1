import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { claudeCommandModel } from '../../src/providers/claude-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'chitta-claude-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Called {
  readonly args: readonly string[];
  readonly env: readonly string[];
  readonly cwd: string;
  readonly input: string;
}

/** A program in claude's place: keeps how it was called, prints, and ends with a code. A shell script, since a node of its own is slow. */
function program(
  name: string,
  does: { readonly out?: string; readonly err?: string; readonly code?: number; readonly sleeps?: true },
): { readonly command: string; readonly called: () => Called } {
  const command = join(folder, name);
  writeFileSync(`${command}.out`, does.out ?? '');
  writeFileSync(`${command}.err`, does.err ?? '');
  const script = [
    '#!/bin/sh',
    'cat > "$0.input"',
    `for one in "$@"; do printf '%s\\0' "$one"; done > "$0.args"`,
    'env > "$0.env"',
    'pwd > "$0.cwd"',
    does.sleeps === true ? 'exec sleep 60' : `cat "$0.out"; cat "$0.err" >&2; exit ${does.code ?? 0}`,
  ];
  writeFileSync(command, script.join('\n'));
  chmodSync(command, 0o755);
  const read = (what: string): string => readFileSync(`${command}.${what}`, 'utf8');
  return {
    command,
    called: () => ({
      args: read('args').split('\0').slice(0, -1),
      env: read('env').split('\n'),
      cwd: read('cwd').trim(),
      input: read('input'),
    }),
  };
}

const result = (fields: Record<string, unknown>): string => JSON.stringify({ type: 'result', ...fields });
const ASK = { system: 'Be brief.', prompt: 'ü "quoted" $(not run)', maxTokens: 700 };
const PATH = process.env['PATH'] ?? '';

test('asks without hooks, plugins, tools and sessions, in an empty folder, as a child of chitta', async () => {
  const out = result({ result: 'an answer', stop_reason: 'end_turn', usage: { input_tokens: 3, output_tokens: 2 } });
  const { command, called } = program('good', { out });
  const env = { PATH, CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's', MINE: 'x' };
  const model = claudeCommandModel({ command, model: 'haiku', env });
  expect(model.name).toBe('claude:haiku');
  expect(await model.complete(ASK)).toEqual({
    text: 'an answer',
    stop: 'end',
    usage: { inputTokens: 3, outputTokens: 2 },
  });
  const { args, env: given, cwd, input } = called();
  expect(input).toBe(ASK.prompt);
  expect(args).toEqual(
    expect.arrayContaining([
      '-p',
      '--safe-mode',
      '--no-session-persistence',
      '--strict-mcp-config',
      'haiku',
      'Be brief.',
    ]),
  );
  expect(args[args.indexOf('--tools') + 1]).toBe('');
  expect(args[args.indexOf('--settings') + 1]).toBe('{"disableAllHooks":true}');
  expect(given).toEqual(
    expect.arrayContaining(['CHITTA_CHILD=1', 'CHITTA_DISABLE=1', 'CLAUDE_CODE_MAX_OUTPUT_TOKENS=700', 'MINE=x']),
  );
  expect(given.filter((line) => /^(?:CLAUDECODE|CLAUDE_CODE_SESSION)/.test(line))).toEqual([]);
  expect(existsSync(cwd)).toBe(false);
});

describe('what it prints', () => {
  const over = "API Error: Claude's response exceeded the 700 output token maximum.";

  test.each([
    ['cut', { out: result({ result: 'half', stop_reason: 'max_tokens' }) }, { text: 'half', stop: 'length' }],
    ['over', { out: result({ is_error: true, result: over }), code: 1 }, { text: '', stop: 'length' }],
    ['empty', { out: result({ result: '' }) }, { text: '', stop: 'end' }],
  ])('%s is an answer', async (name, does, answer) => {
    const { command } = program(name, does);
    expect(await claudeCommandModel({ command, env: { PATH } }).complete(ASK)).toMatchObject(answer);
  });

  test.each([
    ['error', { out: result({ is_error: true, result: 'Invalid API key' }), code: 1 }, 'claude: Invalid API key'],
    ['words', { out: 'no JSON' }, 'claude: no result: no JSON'],
    ['nothing', { err: 'it broke', code: 3 }, 'claude: it broke'],
  ])('%s is an error', async (name, does, message) => {
    const { command } = program(name, does);
    await expect(claudeCommandModel({ command, env: { PATH } }).complete(ASK)).rejects.toMatchObject({
      code: 'E_PROVIDER',
      message,
    });
  });
});

test('a program that is not there is an error that says so', async () => {
  const model = claudeCommandModel({ command: join(folder, 'absent'), env: { PATH } });
  await expect(model.complete(ASK)).rejects.toMatchObject({
    code: 'E_PROVIDER',
    message: expect.stringContaining('there is no program'),
  });
});

test('a program that does not end is ended', async () => {
  const { command } = program('slow', { sleeps: true });
  const model = claudeCommandModel({ command, env: { PATH }, timeoutMs: 200 });
  await expect(model.complete(ASK)).rejects.toMatchObject({ code: 'E_PROVIDER', message: 'claude: no answer for 0 s' });
});

test('a cancel ends the program', async () => {
  const { command } = program('cancelled', { sleeps: true });
  const signal = AbortSignal.timeout(200);
  await expect(claudeCommandModel({ command, env: { PATH } }).complete({ ...ASK, signal })).rejects.toThrow(/aborted/);
});

test('what chitta started starts nothing', () => {
  expect(() => claudeCommandModel({ env: { PATH, CHITTA_CHILD: '1' } })).toThrow(/starts no other/);
});
