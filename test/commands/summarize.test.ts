import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { addCompactCommand } from '../../src/commands/compact.ts';
import { addDoctorCommand } from '../../src/commands/doctor.ts';
import { addSummarizeCommand } from '../../src/commands/summarize.ts';
import { openMemory } from '../../src/memory/store.ts';
import { cliRig } from '../support/cli.ts';
import { type Answer, type ModelServer, modelServer } from '../support/model-server.ts';
import { TranscriptBuilder } from '../support/transcript.ts';
import { structured } from '../summarize/scripted.ts';
import { type Bench, benchFor } from './context.ts';

const SESSION = '0123abcd-0123-4123-8123-0123456789ab';
const folder = mkdtempSync(join(tmpdir(), 'chitta-summarize-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A transcript of so many exchanges, in a file of the session's name. */
function transcript(turns = 6, usage: Record<string, number> = {}): string {
  const made = new TranscriptBuilder();
  for (let turn = 0; turn < turns; turn++) {
    made.prompt(`prompt ${turn} about src/app.ts: ${'word '.repeat(200)}`);
    made.call(`m${turn}`, `t${turn}`);
    made.result(`t${turn}`);
    const content = [{ type: 'text', text: `answer ${turn}` }];
    made.add({
      type: 'assistant',
      message: { id: `n${turn}`, role: 'assistant', model: 'claude-test', content, usage },
    });
  }
  const path = join(folder, `${SESSION}.jsonl`);
  writeFileSync(path, made.bytes);
  return path;
}

interface Set {
  readonly bench: Bench;
  readonly server: ModelServer;
  readonly file: string;
}

async function setUp(answers: readonly Answer[], config: object = {}, file = transcript()): Promise<Set> {
  const server = await modelServer(answers);
  const add: Parameters<typeof benchFor>[0] = (program, ctx) => {
    addSummarizeCommand(program, ctx);
    addCompactCommand(program, ctx);
    addDoctorCommand(program, ctx);
  };
  const bench = benchFor(add, {
    OPENAI_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'key-of-nobody-0123456789',
  });
  onTestFinished(bench.remove);
  mkdirSync(bench.home, { mode: 0o700 });
  writeFileSync(join(bench.home, 'config.json'), JSON.stringify(config));
  return { bench, server, file };
}

const GOOD: Answer = { text: structured('fix src/app.ts') };

async function stored(bench: Bench): Promise<{ turns: number; summaries: number }> {
  const memory = openMemory({ home: bench.home });
  try {
    const { turns } = await memory.stats(5_000);
    return { turns, summaries: (await memory.summaries(SESSION, 5_000)).length };
  } finally {
    memory.close();
  }
}

describe('chitta summarize', () => {
  test('prints the summary, and says beside it what it came to', async () => {
    const { bench, file } = await setUp([GOOD]);
    const out = await bench.run('summarize', file, '--model', 'openai:m');
    expect(out).toBe(`[CONVERSATION SUMMARY — 16 messages compressed]\n\n${GOOD.text}\n`);
    expect(bench.said.err).toMatch(
      /^chitta: 16 messages summarised, 8 kept · [\d,]+ → [\d,]+ tokens, [\d,]+ freed · openai:m, 1 request\n/,
    );
    expect(bench.said.err).toContain('1 names and numbers checked, all stand in the conversation');
  });

  test('--json prints the conversation that it leads to, the summary and the report', async () => {
    const { bench, file } = await setUp([GOOD]);
    const { messages, summary, report } = JSON.parse(
      await bench.run('summarize', file, '--model', 'openai:m', '--json'),
    );
    expect(messages).toHaveLength(9);
    expect(messages[0]).toEqual({ role: 'user', content: summary });
    expect(messages[1].content).toContain('prompt 4');
    expect(report).toMatchObject({
      model: 'openai:m',
      window: null,
      summarised: 16,
      kept: 8,
      chunks: 1,
      requests: 1,
      masked: 0,
      checked: 1,
      unverified: [],
      unverified_rate: 0,
      missing_sections: [],
      usage: { input_tokens: 100, output_tokens: 20 },
      reused: false,
      generation: 1,
    });
    expect(bench.said.err).toBe('');
  });

  test('the second time the stored summary still fits, and nobody is asked; a focus asks anew', async () => {
    const { bench, server, file } = await setUp([GOOD]);
    const first = await bench.run('summarize', file, '--model', 'openai:m');
    expect(await bench.run('summarize', file, '--model', 'openai:m')).toBe(first);
    expect(bench.said.err).toContain('the stored summary still fits');
    expect(server.requests).toHaveLength(1);
    expect(await stored(bench)).toEqual({ turns: 16, summaries: 1 });
    await bench.run('summarize', file, '--model', 'openai:m', '--focus', 'the parser of dates');
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.text).toContain('the parser of dates');
  });

  test.each<[string, object, readonly string[], string, string]>([
    [
      '--model',
      { models: { 'claude-test': { small_model: 'small' } } },
      ['--model', 'openai:asked'],
      '/v1/chat/completions',
      'asked',
    ],
    [
      'the small_model of the model that led the conversation',
      { models: { 'claude-test': { small_model: 'openai:small' } } },
      [],
      '/v1/chat/completions',
      'small',
    ],
    ['that model itself', {}, [], '/v1/messages', 'claude-test'],
  ])('%s writes it', async (_who, config, flags, path, model) => {
    const { bench, server, file } = await setUp([GOOD], config);
    await bench.run('summarize', file, ...flags);
    expect(server.requests.map((request) => [request.path, request.body['model']])).toEqual([[path, model]]);
  });

  test.each<[string, object, number | null]>([
    [
      'its own window',
      { small: { context_window: 4_000 }, 'claude-test': { small_model: 'openai:small', context_window: 200_000 } },
      4_000,
    ],
    ["else the turn's model's", { 'claude-test': { small_model: 'openai:small', context_window: 3_000 } }, 3_000],
    ['else none, and in one piece', { 'claude-test': { small_model: 'openai:small' } }, null],
  ])('prompts are made for %s', async (_whose, models, window) => {
    const { bench, file } = await setUp([GOOD], { models }, transcript(12));
    const { report } = JSON.parse(await bench.run('summarize', file, '--json'));
    expect(report.window).toBe(window);
    expect(report.chunks > 1).toBe(window !== null);
  });

  test('takes messages of standard shapes, and the model beside them', async () => {
    const { bench, server } = await setUp([GOOD]);
    const turns = [1, 2, 3, 4].flatMap((turn) => [
      { role: 'user', content: `prompt ${turn} ${'word '.repeat(200)}` },
      { role: 'assistant', content: 'ok' },
    ]);
    const path = join(folder, 'messages.json');
    writeFileSync(path, JSON.stringify({ model: 'qwen3:8b', messages: turns }));
    expect(await bench.run('summarize', path)).toContain('4 messages compressed');
    expect(server.requests[0]?.body['model']).toBe('qwen3:8b');
  });

  test.each<[string, Answer, string]>([
    ['an empty answer', { text: '' }, 'E_SUMMARY'],
    ['a cut answer', { text: 'half', stop: 'length' }, 'E_SUMMARY'],
    ['a refusal', { status: 400, body: '{"error":{"message":"no such model"}}' }, 'E_PROVIDER'],
  ])('%s saves nothing and says why', async (_what, answer, code) => {
    const { bench, file } = await setUp([answer]);
    await expect(bench.run('summarize', file, '--model', 'openai:m')).rejects.toMatchObject({ code, exitCode: 1 });
    expect(bench.said.out).toBe('');
    expect(await stored(bench)).toEqual({ turns: 0, summaries: 0 });
  });

  test('private sessions leave nothing behind', async () => {
    const { bench, file } = await setUp([GOOD], { private: true });
    await bench.run('summarize', file, '--model', 'openai:m');
    expect(await stored(bench)).toEqual({ turns: 0, summaries: 0 });
  });

  describe('--auto', () => {
    const models = { 'claude-test': { context_window: 100_000, small_model: 'openai:small' } };

    test.each<[string, object, Record<string, number>, string]>([
      ['while it is off', { models }, { input_tokens: 90_000 }, 'auto_summarize is off'],
      [
        'without a window',
        { auto_summarize: true },
        { input_tokens: 90_000 },
        'no context window is declared for claude-test',
      ],
      [
        'below the limit, as the provider counted',
        { auto_summarize: true, models },
        { input_tokens: 86_000, output_tokens: 312 },
        'the context is not nearly full',
      ],
      ['below the limit, as it is estimated', { auto_summarize: true, models }, {}, 'the context is not nearly full'],
    ])('asks nobody %s', async (_when, config, usage, why) => {
      const { bench, server, file } = await setUp([GOOD], config, transcript(6, usage));
      expect(await bench.run('summarize', file, '--auto')).toBe('');
      expect(bench.said.err).toBe(`chitta: nothing is summarised: ${why}\n`);
      expect(JSON.parse(await bench.run('summarize', file, '--auto', '--json'))).toEqual({
        summary: null,
        reason: why,
      });
      expect(server.requests).toEqual([]);
    });

    test('summarises from nine tenths of the window without the response on', async () => {
      const usage = { input_tokens: 6_000, cache_read_input_tokens: 80_000, output_tokens: 313 };
      const { bench, server, file } = await setUp([GOOD], { auto_summarize: true, models }, transcript(6, usage));
      expect(await bench.run('summarize', file, '--auto')).toContain('messages compressed');
      expect(server.requests).toHaveLength(1);
    });
  });
});

describe('chitta compact --summarize', () => {
  test('summarises what is dropped and not covered, in front of what survives', async () => {
    const { bench, server, file } = await setUp([{ text: structured('go on') }], {}, transcript(30));
    const result = JSON.parse(await bench.run('compact', file, '--summarize', '--model', 'openai:m', '--json'));
    expect(server.requests).toHaveLength(1);
    expect(result.messages[0].content).toMatch(/^\[CONVERSATION SUMMARY — \d+ messages compressed\]/);
    expect(result.stats.summary).toMatchObject({ model: 'openai:m', requests: 1, checked: 0, unverified: [] });
    const price = result.stats.after_tokens / result.stats.before_tokens;
    expect(price).toBeLessThanOrEqual(0.4);
    // The model is not told what survives word for word.
    const kept = result.messages
      .slice(1)
      .map(({ content }: { content: unknown }) => content)
      .filter((content: unknown) => typeof content === 'string');
    for (const content of kept) expect(server.requests[0]?.text).not.toContain(JSON.stringify(content).slice(1, 40));
  });

  test('says in a line what the summary came to', async () => {
    const { bench, file } = await setUp([GOOD], {}, transcript(30));
    expect(await bench.run('compact', file, '--summarize', '--model', 'openai:m', '--stats')).toMatch(
      /of them in a summary of \d+ tokens · openai:m, 1 request/,
    );
  });
});

describe('chitta doctor', () => {
  test('says who would write a summary, and what is missing', async () => {
    const said = async (env: Record<string, string>, config: object = {}): Promise<unknown[]> => {
      const bench = benchFor(addDoctorCommand, { PATH: '', ...env });
      onTestFinished(bench.remove);
      mkdirSync(bench.home, { mode: 0o700 });
      writeFileSync(join(bench.home, 'config.json'), JSON.stringify(config));
      const { checks } = JSON.parse(await bench.run('doctor', '--json'));
      process.exitCode = undefined;
      return checks.filter(({ name }: { name: string }) => name === 'summaries');
    };
    expect(await said({})).toMatchObject([{ state: 'ok', detail: expect.stringContaining('the claude command') }]);
    expect(await said({ CHITTA_SUMMARIZER: 'anthropic:m' })).toMatchObject([
      { state: 'warn', fix: 'ANTHROPIC_API_KEY is not set' },
    ]);
    expect(await said({ CHITTA_SUMMARIZER: 'who' })).toMatchObject([
      { state: 'warn', detail: expect.stringContaining('who provides') },
    ]);
    const config = { auto_summarize: true, models: { m: { context_window: 9_000 } } };
    expect(await said({ CHITTA_SUMMARIZER: 'openai:m', OPENAI_API_KEY: 'key-of-nobody' }, config)).toEqual([
      {
        name: 'summaries',
        state: 'ok',
        detail:
          'asked for when a context is nearly full, by openai:m (CHITTA_SUMMARIZER), in pieces for its window of 9000 tokens',
      },
    ]);
  });
});

describe('as a process', () => {
  const rig = cliRig();

  test('Ctrl-C ends it with one line and exit code 1, and nothing is saved', async () => {
    const server = await modelServer([{ how: 'silent' }]);
    const child = rig.start(['summarize', transcript(), '--model', 'openai:m'], {
      env: { OPENAI_BASE_URL: `${server.url}/v1` },
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const ended = new Promise((resolve) => child.on('close', resolve));
    await server.heard;
    child.kill('SIGINT');
    expect(await ended).toBe(1);
    expect(said).toBe('chitta: the summary was cancelled; nothing was changed   [E_SUMMARY]\n');
  });
});
