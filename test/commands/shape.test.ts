import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { addShapeCommand } from '../../src/commands/shape.ts';
import { cliRig } from '../support/cli.ts';
import { benchFor } from './context.ts';

const bench = benchFor(addShapeCommand);
afterAll(() => bench.remove());

const text = Array.from({ length: 200 }, (_, at) => `line ${at} of what was read, about jobs and leases`).join('\n');
const messages = [
  { role: 'user', content: 'Why?' },
  ...Array.from({ length: 12 }, (_, at) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `c${at}`, type: 'function', function: { name: 'Read', arguments: `{"path":"${at}.ts"}` } }],
    },
    { role: 'tool', tool_call_id: `c${at}`, content: text },
  ]).flat(),
];
const small = '{"messages": [{"role": "user", "content": "Why?"}], "n": 1.0}\n';
const file = (name: string, content: string | Buffer): string => {
  writeFileSync(join(bench.project, name), content);
  return name;
};
const large = file('large.json', JSON.stringify({ model: 'm', messages }));

test('what fits comes out as it went in, without a word', async () => {
  expect(await bench.run('shape', file('small.json', small))).toBe(small);
  expect(bench.said.err).toBe('');
});

test('what does not fit comes out smaller', async () => {
  const out = JSON.parse(await bench.run('shape', large, '--window', '24000'));
  expect(out.model).toBe('m');
  expect(out.messages).toHaveLength(25);
  expect(out.messages[2].content).toContain('result of Read 0.ts (200 lines');
  expect(bench.said.err).toBe('');
});

test('--report says how the window is divided, and what each stage took', async () => {
  await bench.run('shape', large, '--window', '24000', '--response', '2000', '--report');
  const [window, history, stage, fits] = bench.said.err.split('\n');
  expect(window).toMatch(
    /^chitta: window 24,000 = headroom 2,400 \+ answer 2,000 \+ base 0 \+ prompt [\d,]+ \+ history [\d,]+$/,
  );
  expect(history).toMatch(/^chitta: history: [\d,]+ → [\d,]+ tokens, 25 → 25 messages in all$/);
  expect(stage).toMatch(/^chitta: {3}stub-results {2}[\d,]+ tokens of \d messages$/);
  expect(fits).toBe('chitta: it fits');
});

test('--json says the same for programs', async () => {
  await bench.run('shape', large, '--window', '24000', '--json');
  const report = JSON.parse(bench.said.err);
  expect(report).toMatchObject({
    window: 24_000,
    over: false,
    stages: [{ name: 'stub-results' }],
    round_trips: { intact: true },
  });
  expect(report.window).toBe(report.headroom + report.response + report.base + report.prompt + report.budget);
});

test('a request that cannot fit comes out as it went in, with a warning', async () => {
  const whole = readFileSync(join(bench.project, large), 'utf8');
  expect(await bench.run('shape', large, '--window', '4000')).toBe(whole);
  expect(bench.said.err).toMatch(/^chitta: warning: over the window of 4000 tokens: .* it is sent as it is\n$/);
});

test('round trips that had to be mended are told', async () => {
  const broken = file('broken.json', JSON.stringify({ messages: [messages[0], messages[1], messages[0]] }));
  await bench.run('shape', broken);
  expect(bench.said.err).toBe('chitta: 1 call without a result was answered\n');
});

describe('--state', () => {
  const state = join(bench.project, 'state.json');
  test('keeps decisions, privately, and the same request comes out the same', async () => {
    const first = await bench.run('shape', large, '--window', '24000', '--state', 'state.json');
    expect(JSON.parse(readFileSync(state, 'utf8')).version).toBe(1);
    expect(statSync(state).mode & 0o777).toBe(0o600);
    const again = await bench.run('shape', large, '--window', '24000', '--state', 'state.json', '--json');
    expect(again).toBe(first);
    expect(JSON.parse(bench.said.err).decided).toBe(false);
  });

  test('that is damaged is said, and written anew', async () => {
    writeFileSync(state, '{"vers');
    await bench.run('shape', large, '--window', '24000', '--state', 'state.json');
    expect(bench.said.err).toContain('warning: the state in ');
    expect(JSON.parse(readFileSync(state, 'utf8')).version).toBe(1);
  });

  test('that cannot be written is said, and the request is there all the same', async () => {
    expect(await bench.run('shape', file('small.json', small), '--state', 'no/such/folder.json')).toBe(small);
    expect(bench.said.err).toContain('warning: the state was not written');
    mkdirSync(join(bench.project, 'folder'));
    expect(await bench.run('shape', 'small.json', '--state', 'folder')).toBe(small);
    expect(readdirSync(bench.project).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('that is another file is quoted on one line, without what a terminal would obey', async () => {
    writeFileSync(state, '\u001b[31mnot\nJSON');
    await bench.run('shape', large, '--window', '24000', '--state', 'state.json');
    expect(bench.said.err).toMatch(/^chitta: warning: the state in \P{Cc}*\n$/u);
  });
});

test.each([['0'], ['-5'], ['many'], ['1.5'], ['']])('--window %j is refused', async (window) => {
  await expect(bench.run('shape', large, '--window', window)).rejects.toThrow('whole number');
});

describe('as a process', () => {
  const rig = cliRig();
  test('bytes that are no UTF-8, a byte order mark and CRLF go through as they are', async () => {
    const bytes = Buffer.concat([
      Buffer.from('\uFEFF{"messages":[{"role":"user","content":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}]}\r\n'),
    ]);
    writeFileSync(join(rig.folder, 'in.json'), bytes);
    const { stdout, exitCode } = await rig.shell(
      'chitta shape < in.json > out.json; chitta shape - < in.json | cmp - in.json',
    );
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 0 });
    expect(readFileSync(join(rig.folder, 'out.json')).equals(bytes)).toBe(true);
  });

  test.each([
    ['[1]', 2, 'the input is a list, not a request'],
    ['{"messages":[7]}', 1, 'messages[0] is a number'],
  ])('%s ends with %i', async (input, code, message) => {
    const { stdout, stderr, exitCode } = await rig.run(['shape'], { input });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: code });
    expect(stderr).toContain(message);
  });
});
