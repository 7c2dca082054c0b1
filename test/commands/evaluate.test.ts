import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addEvaluateCommand, since } from '../../src/commands/evaluate.ts';
import { neededSession } from '../support/needs.ts';
import { TranscriptBuilder } from '../support/transcript.ts';
import { type Bench, benchFor } from './context.ts';

let bench: Bench;
let folder: string;

/** Writes a file into the folder of transcripts, so many days old. */
function put(name: string, bytes: Buffer | string, daysAgo = 0): void {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  const when = Date.now() / 1000 - daysAgo * 86_400;
  utimesSync(path, when, when);
}

beforeAll(() => {
  bench = benchFor(addEvaluateCommand, { HOME: '/nowhere' });
  folder = join(bench.project, 'transcripts');
  mkdirSync(join(folder, 'deep'), { recursive: true });
  put('new.jsonl', neededSession({ salt: 1, project: '/home/me/one' }).bytes);
  put(join('deep', 'middle.jsonl'), neededSession({ salt: 2, project: '/home/me/two' }).bytes, 10);
  put('old.jsonl', neededSession({ salt: 3, project: '/home/me/one' }).bytes, 100);
  const short = new TranscriptBuilder(4);
  short.prompt('x'.repeat(20_000));
  put('short.jsonl', short.bytes);
  put('tiny.jsonl', '{}\n');
  put('damaged.jsonl', '{"type":"user","message":{"role":'.repeat(1_000));
  const rollout = { type: 'session_meta', payload: { id: 'x', text: 'y'.repeat(20_000) } };
  put('foreign.jsonl', `${JSON.stringify(rollout)}\n`);
  put('notes.txt', 'no transcript');
});
afterAll(() => bench.remove());

/** One result by method and ratio. */
function pick(json: string, method: string, ratio: number): Record<string, { mean: number } | null> {
  const { results } = JSON.parse(json);
  return results.find((one: { method: string; ratio: number }) => one.method === method && one.ratio === ratio);
}

describe('chitta evaluate', () => {
  test('says what each method keeps, with intervals and the difference to keep-last', async () => {
    const out = await bench.run('evaluate', folder, '--ratios', '0.2', '--methods', 'keep-last,masking');
    expect(out).toMatch(/^3 transcripts of 2 projects, \d+ episodes, [\d,]+ tokens each on average$/m);
    expect(out).toMatch(/^left out: 2 too short, 1 of another format, 1 damaged$/m);
    expect(out).toMatch(/^budget 20 % +composite +against keep-last +ids/m);
    expect(out).toMatch(/^keep-last +\d+\.\d \[\d+–\d+\] /m);
    expect(out).toMatch(/^masking +\d+\.\d \[\d+–\d+\] +[+-]?\d+\.\d \[[+-]?\d+\.\d [+-]?\d+\.\d\]/m);
    expect(bench.said.err).toBe('');
  });

  test('everything is kept where everything fits', async () => {
    const json = await bench.run('evaluate', folder, '--ratios', '1', '--methods', 'keep-last,formula', '--json');
    for (const method of ['keep-last', 'formula']) {
      expect(pick(json, method, 1)).toMatchObject({
        composite: { mean: 100, low: 100, high: 100, transcripts: 3 },
        ids: { mean: 100 },
        edit_lines: { mean: 100 },
        edits_whole: { mean: 100 },
        constraints: { mean: 100 },
        invalid: 0,
        over_budget: 0,
      });
    }
    expect(pick(json, 'formula', 1)['difference']).toMatchObject({ mean: 0 });
    expect(pick(json, 'keep-last', 1)['difference']).toBeNull();
  });

  test('what was needed is older than what keep-last keeps', async () => {
    const json = await bench.run('evaluate', folder, '--ratios', '0.1,0.4', '--methods', 'keep-last', '--json');
    expect(pick(json, 'keep-last', 0.1)['edits_whole']?.mean).toBeLessThan(
      pick(json, 'keep-last', 0.4)['edits_whole']?.mean ?? 0,
    );
  });

  test('takes the newest of those that are long enough, or those since a date', async () => {
    const flags = ['--methods', 'prompts', '--ratios', '0.2', '--json'];
    const count = async (...words: string[]): Promise<number> =>
      JSON.parse(await bench.run('evaluate', folder, ...words, ...flags)).transcripts;
    expect(await count('--limit', '2')).toBe(2);
    expect(await count('--since', '50d')).toBe(2);
    expect(await count('--since', '5d')).toBe(1);
    expect(await count('--since', '2000-01-01')).toBe(3);
  });

  test('names the format of a file that is no transcript of Claude Code, however short it is', async () => {
    const rollout = { type: 'session_meta', payload: { id: 'x' } };
    const file = join(bench.project, 'rollout.jsonl');
    writeFileSync(file, `${JSON.stringify(rollout)}\n`);
    await expect(bench.run('evaluate', file)).rejects.toThrow(
      'the file is no Claude Code transcript: Codex CLI rollout',
    );
  });

  test('takes files by name, each once, and without a path the projects folder of Claude Code', async () => {
    const flags = ['--methods', 'prompts', '--ratios', '0.2', '--json'];
    const file = join(folder, 'new.jsonl');
    expect(JSON.parse(await bench.run('evaluate', file, file, ...flags)).transcripts).toBe(1);
    const own = benchFor(addEvaluateCommand, { CLAUDE_CONFIG_DIR: join(bench.project, 'claude') });
    mkdirSync(join(bench.project, 'claude', 'projects', '-home-me'), { recursive: true });
    writeFileSync(join(bench.project, 'claude', 'projects', '-home-me', 'a.jsonl'), neededSession().bytes);
    expect(JSON.parse(await own.run('evaluate', ...flags))).toMatchObject({ transcripts: 1, guessable_known: false });
    own.remove();
  });

  test('gives the same numbers each time, the time taken aside', async () => {
    const once = async (): Promise<string> =>
      (await bench.run('evaluate', folder, '--ratios', '0.2', '--json')).replaceAll(/"ms_per_100k":[\d.]+/g, '');
    expect(await once()).toBe(await once());
  });

  test('writes nothing', async () => {
    const state = (): unknown[] =>
      readdirSync(bench.project, { recursive: true }).map((name) => {
        const { size, mtimeMs } = statSync(join(bench.project, String(name)));
        return [name, size, mtimeMs];
      });
    const before = state();
    await bench.run('evaluate', folder, '--ratios', '0.2', '--methods', 'keep-last');
    expect(state()).toEqual(before);
  });

  test.each([
    ['a path that is not there', ['/no/such/place'], 'E_INPUT_MISSING', /cannot read \/no\/such\/place/],
    ['the default folder missing', [], 'E_INPUT_MISSING', /cannot read \/nowhere\/.claude\/projects/],
    ['a method that is not known', ['FOLDER', '--methods', 'magic'], 'E_PARAM_INVALID', /no method "magic"/],
    ['nothing long enough', ['FOLDER/short.jsonl'], 'E_INPUT_EMPTY', /none of 1 files is long enough.*1 too short/],
    ['nothing new enough', ['FOLDER', '--since', '2999-01-01'], 'E_INPUT_EMPTY', /no transcripts to evaluate/],
  ])('%s is an error that says so', async (_why, words, code, message) => {
    const command = bench.run('evaluate', ...words.map((word) => word.replace('FOLDER', folder)));
    await expect(command).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test.each([
    ['14d', { agoMs: 14 * 86_400_000 }],
    ['2026-01-31', { atMs: new Date(2026, 0, 31).getTime() }],
  ])('--since %s', (text, expected) => {
    expect(since(text)).toEqual(expected);
  });

  test.each(['yesterday', '2026-13-45', '2026-02-31', 'd', '1.5d'])('--since %s is refused', (text) => {
    expect(() => since(text)).toThrow(/date/);
  });
});
