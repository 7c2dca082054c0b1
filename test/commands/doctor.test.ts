import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DoctorReport, runDoctor } from '../../src/actions/doctor.ts';
import type { Check } from '../../src/ports/check.ts';
import { addDoctorCommand, renderReport } from '../../src/commands/doctor.ts';
import { appendLog } from '../../src/platform/log.ts';
import { styleFor } from '../../src/terminal/style.ts';
import { type Bench, benchFor } from './context.ts';

const posix = process.platform !== 'win32';

let bench: Bench;
beforeEach(() => {
  bench = benchFor(addDoctorCommand, { PATH: '' });
});
afterEach(() => {
  bench.remove();
  // A failed check is the command's exit code, not this test run's.
  process.exitCode = undefined;
});

async function report(using: Bench = bench): Promise<DoctorReport> {
  return JSON.parse(await using.run('doctor', '--json'));
}

async function check(name: string, using: Bench = bench): Promise<readonly Check[]> {
  return (await report(using)).checks.filter((one) => one.name === name);
}

test('on a machine where nothing was ever done, all works and nothing is made', async () => {
  const { ok, checks } = await report();
  expect(ok).toBe(true);
  expect(process.exitCode).toBeUndefined();
  expect(checks.map(({ name }) => name)).toEqual([
    'node',
    'home',
    'project',
    'better-sqlite3',
    'node-llama-cpp',
    'claude',
    'log',
    'model',
    'memory',
    'daemon',
    'settings',
    'windows',
    'summaries',
  ]);
  expect(checks.find(({ name }) => name === 'home')?.detail).toMatch(/will be made when it is needed/);
});

test('everything that is not well says what to do', async () => {
  writeFileSync(join(bench.project, '.chitta.json'), '{"lastturns": 5, "target_ratio": 1}');
  const { checks } = await report();
  expect(checks.filter(({ state }) => state !== 'ok').length).toBeGreaterThan(1);
  expect(checks.filter(({ state, fix }) => state !== 'ok' && fix === undefined)).toEqual([]);
});

test('each declared model is told with what is in effect for it, and one without a window is a warning', async () => {
  mkdirSync(bench.home, { mode: 0o700 });
  const models = {
    large: { context_window: 200_000, small_model: 'tiny' },
    tiny: { contextWindow: 8_000 },
    quiet: { context_window: 32_000, auto: false, small_model: 'unheard' },
    open: { tail_turns: 3, small_model: 'unheard' },
    wrong: { reserved: -1, context_window: 100_000 },
  };
  writeFileSync(join(bench.home, 'config.json'), JSON.stringify({ models }));
  writeFileSync(join(bench.project, '.chitta.json'), '{"models": {"large": {"auto": false}}}');
  const said = (await check('windows')).map(({ state, detail, fix }) => [state, detail, fix].join('\n'));
  expect(said.join('\n\n').replaceAll(/\S+(?=config\.json|\.chitta\.json)/g, '')).toMatchInlineSnapshot(`
    "warn
    config.json: models."wrong": "reserved" must be a whole number from 0 to 10000000; it is ignored
    correct that file; docs/configuration.md says what a model may have

    warn
    .chitta.json: "models" is ignored; a project may not set it
    correct that file; docs/configuration.md says what a model may have

    ok
    large: window 200000, compacted above 191808
    8192 tokens are reserved
    a turn's largest tool result is kept free as well, 50000 tokens at most
    summaries by tiny, in pieces for its window of 8000 tokens


    ok
    tiny: window 8000, compacted above 6000
    2000 of 8192 reserved tokens are in effect: no more than a quarter of the window
    a turn's largest tool result is kept free as well, 2000 tokens at most


    ok
    quiet: window 32000, compacted only when asked
    summaries by unheard, in pieces for this window, as it declares none


    warn
    open: no context window is declared, so nothing is compacted on its own
    summaries by unheard, in one piece, as no window is declared
    chitta config set models.open.context_window TOKENS

    ok
    wrong: window 100000, compacted above 91808
    8192 tokens are reserved
    a turn's largest tool result is kept free as well, 25000 tokens at most
    "
  `);
});

describe('settings', () => {
  test('each mistake in a file is a warning', async () => {
    writeFileSync(join(bench.project, '.chitta.json'), '{"lastturns": 5, "target_ratio": 1}');
    expect((await check('settings')).map(({ state, detail }) => [state, detail.split(': ')[1]])).toEqual([
      ['warn', '"lastturns" is not a setting; did you mean "last_turns"?'],
      ['warn', '"target_ratio" is ignored; a project may only lower it'],
    ]);
  });

  test('being switched off is a warning, with the way back', async () => {
    const off = benchFor(addDoctorCommand, { PATH: '', CHITTA_DISABLE: '1' });
    expect(await check('settings', off)).toMatchObject([{ state: 'warn', fix: 'unset CHITTA_DISABLE' }]);
    off.remove();
  });
});

describe.runIf(posix)('home (needs POSIX modes)', () => {
  test('that others can enter or read is a warning with the command that closes it', async () => {
    mkdirSync(bench.home);
    writeFileSync(join(bench.home, 'config.json'), '{}');
    chmodSync(bench.home, 0o755);
    chmodSync(join(bench.home, 'config.json'), 0o644);
    expect((await check('home')).map(({ state, fix }) => [state, fix])).toEqual([
      ['warn', `chmod 700 '${bench.home}'`],
      ['warn', `chmod 600 '${join(bench.home, 'config.json')}'`],
    ]);
  });

  test('that is a file fails the whole: exit code 1', async () => {
    writeFileSync(bench.home, '');
    expect(await report()).toMatchObject({ ok: false });
    expect(process.exitCode).toBe(1);
  });

  test('below a file cannot be made', async () => {
    const below = benchFor(addDoctorCommand, { PATH: '', CHITTA_HOME: '/dev/null/chitta' });
    expect(await check('home', below)).toMatchObject([
      { state: 'fail', fix: 'set CHITTA_HOME to a folder of your own' },
    ]);
    below.remove();
  });
});

describe('log', () => {
  test('shows the last errors, and only errors', async () => {
    for (const line of ['daemon started', 'Error: one', 'E_INPUT_MISSING two', 'hook failed: three', 'error four']) {
      appendLog(bench.home, line);
    }
    const [log] = await check('log');
    expect(log?.state).toBe('warn');
    expect(log?.detail.split('\n').map((line) => line.split(' ').slice(1).join(' '))).toEqual([
      'E_INPUT_MISSING two',
      'hook failed: three',
      'error four',
    ]);
  });
});

describe.runIf(posix)('claude (needs a POSIX shell)', () => {
  const withClaude = async (script: string): Promise<readonly Check[]> => {
    const bin = join(bench.project, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'claude'), script, { mode: 0o755 });
    const using = benchFor(addDoctorCommand, { PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin` });
    const checks = await check('claude', using);
    using.remove();
    return checks;
  };

  test('on the PATH tells its version', async () => {
    expect(await withClaude('#!/bin/sh\necho "2.1.332 (Claude Code)"\n')).toEqual([
      { name: 'claude', state: 'ok', detail: '2.1.332 (Claude Code)' },
    ]);
  });

  test('that is broken, or missing, fails nothing', async () => {
    expect(await withClaude('#!/bin/sh\nexit 3\n')).toMatchObject([{ state: 'warn' }]);
    const missing = async (using?: Bench): Promise<unknown> => check('claude', using);
    expect(await missing()).toMatchObject([
      { state: 'warn', detail: 'not on PATH', fix: expect.stringMatching(/^install Claude Code/) },
    ]);
    // In a session it is there, whatever the PATH.
    const inSession = benchFor(addDoctorCommand, { PATH: '', CLAUDECODE: '1' });
    expect(await missing(inSession)).toMatchObject([{ state: 'warn', fix: expect.not.stringContaining('install') }]);
    inSession.remove();
  });
});

test('a probe that throws is a failed check of its name, and the others still run', async () => {
  const fine: Check = { name: 'b', state: 'ok', detail: 'fine' };
  const probes = [
    { name: 'a', run: () => Promise.reject(new Error('lost')) },
    { name: 'b', run: () => [fine] },
  ];
  expect(await runDoctor(probes)).toEqual({ ok: false, checks: [{ name: 'a', state: 'fail', detail: 'lost' }, fine] });
});

test('for a person: a line per check, what to do below it, a verdict; and nothing steers the terminal', () => {
  const checks: Check[] = [
    { name: 'node', state: 'ok', detail: '20.20.2' },
    { name: 'settings', state: 'warn', detail: 'one\ntwo \u001b[31mred', fix: 'do this' },
  ];
  expect(renderReport({ ok: true, checks }, styleFor({}, {}))).toMatchInlineSnapshot(`
    "ok    node      20.20.2
    warn  settings  one
                    two red
                    → do this

    works, with 1 warning
    "
  `);
  expect(renderReport({ ok: false, checks: [{ name: 'x', state: 'fail', detail: '' }] }, styleFor({}, {}))).toMatch(
    /1 of 1 checks failed\n$/,
  );
});
