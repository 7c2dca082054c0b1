import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTranscript } from '../../src/transcript/index.ts';
import { linesOf, longConversation, shown, TranscriptBuilder } from '../support/transcript.ts';

const row = (text: string, extra: object = {}): string =>
  JSON.stringify({ type: 'user', message: { role: 'user', content: text }, ...extra });
const A = row('A');
const B = row('B');

type Damage = [what: string, input: string | Buffer, seen: string[], stats?: object];

const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

const damage: Damage[] = [
  ['nothing', '', []],
  ['blank lines', '\n \r\n\n', []],
  ['Windows line ends', `${A}\r\n${B}\r\n`, ['user: A', 'user: B']],
  ['a byte order mark', `\uFEFF${A}\n${B}\n`, ['user: A', 'user: B']],
  ['no line end at the end', `${A}\n${B}`, ['user: A', 'user: B'], { damagedLines: 0 }],
  ['a last line cut off', `${A}\n${B.slice(0, -5)}`, ['user: A'], { damagedLines: 1 }],
  ['a last line cut inside a character', bytes(A, '\n', row('é').slice(0, 50), [0xe6, 0x97]), ['user: A']],
  ['two rows on a line', `${A}${B}\n`, ['user: A', 'user: B'], { repaired: { glued: 1 } }],
  ['two rows with a comma between', `${A}, ${B}\n`, ['user: A', 'user: B'], { repaired: { glued: 1 } }],
  ['a row behind a torn one', `${A.slice(0, 30)}${B}\n`, ['user: B'], { damagedLines: 1, repaired: { torn: 1 } }],
  [
    'a row behind a torn one that holds rows itself',
    `{"type":"progress","data":{"message":${A},"x":"${B}\n`,
    ['user: B'],
    { damagedLines: 1 },
  ],
  ['a torn row that holds a whole one', `{"type":"progress","data":{"message":${A},"more":\n${B}\n`, ['user: B']],
  ['a stray brace behind a row', `${A}}\n${B}`, ['user: A', 'user: B'], { damagedLines: 1 }],
  ['a note behind a row', `${A} # seen\n${B};\n`, ['user: A', 'user: B'], { damagedLines: 2 }],
  [
    'a torn row of no interest whose braces balance inside the row behind it',
    `{"type":"progress","data":"abc${row('x}')}\n`,
    ['user: x}'],
    { damagedLines: 1 },
  ],
  [
    'the end of a row that lost its beginning, with a row inside',
    `"data":{"message":${A},"more":1}}\n${B}`,
    ['user: B'],
    { damagedLines: 1 },
  ],
  [
    'a row torn in its second copy of a result, with a row behind it that balances its braces',
    `{"type":"user","message":{"content":"torn"},"toolUseResult":{"stdout":"${'x'.repeat(300)}${row('x')}\n${B}`,
    ['user: x', 'user: B'],
    { damagedLines: 1 },
  ],
  [
    'a hole in the second copy of a result, which no message has',
    bytes(`${row('A').slice(0, -1)},"toolUseResult":{"stdout":"${'x'.repeat(300)}`, [0, 0], `"},"isMeta":false}\n${B}`),
    ['user: A', 'user: B'],
    { damagedLines: 0 },
  ],
  ['comments', `// from somewhere\n# a note\n${A}\n`, ['user: A'], { skipped: { comment: 2 }, damagedLines: 0 }],
  ['a hole of NUL bytes', bytes(`${A}\n`, [0, 0, 0], B, '\n'), ['user: A', 'user: B'], { repaired: { nul: 1 } }],
  ['invalid UTF-8', bytes('{"type":"user","message":{"content":"x', [0xff], 'y"}}'), ['user: x\uFFFDy']],
  ['words that are no JSON', `hello\n${A}\n`, ['user: A'], { damagedLines: 1 }],
  ['JSON that is no row', `null\n42\n"str"\n[]\n{}\n${A}\n`, ['user: A'], { damagedLines: 0 }],
  ['unknown types', `{"type":"brand-new"}\n{"type":null}\n${A}\n`, ['user: A'], { skipped: { unknown: 2 } }],
  ['a message that is null', `{"type":"user","message":null}\n${A}\n`, ['user: A'], { skipped: { empty: 1 } }],
  ['content that is a number', `{"type":"user","message":{"content":7}}\n${A}`, ['user: A'], { skipped: { empty: 1 } }],
  ['empty text', `${row('')}\n${A}\n`, ['user: A'], { skipped: { empty: 1 } }],
  [
    'blocks of odd kinds',
    '{"type":"user","message":{"content":[null,"s",7,{"type":"text"},{"text":"t"},{"type":"tool_result"},{"type":"new"}]}}',
    ['user: s + t + new'],
    { repaired: { block: 1 } },
  ],
  [
    'bare messages',
    '{"role":"user","content":"hi"}\n{"role":"assistant","content":"yes"}',
    ['user: hi', 'assistant: yes'],
  ],
  ['a whole array of rows', `[\n${A},\n${B}\n]`, ['user: A', 'user: B']],
  ['a printed array of rows', JSON.stringify([JSON.parse(A), JSON.parse(B)], null, 2), ['user: A', 'user: B']],
  ['an array of messages', '[{"role":"user","content":"hi"}]', ['user: hi']],
  ['an object with messages', '{\n "messages": [{"role":"user","content":"hi"}]\n}', ['user: hi']],
  ['a whole array cut off', `[${A},${B.slice(0, -9)}`, ['user: A'], { damagedLines: 1 }],
  [
    'a prototype in disguise',
    row('proto', { __proto__: null }).replace('{', '{"__proto__":{"role":"x"},'),
    ['user: proto'],
  ],
];

describe('a damaged file', () => {
  test.each(damage)('with %s is read as far as it can be', async (_what, input, seen, stats = {}) => {
    const source = typeof input === 'string' ? Buffer.from(input) : input;
    const result = await parseTranscript(source);
    expect(shown(result.messages)).toEqual(seen);
    expect(result.stats).toMatchObject(stats);
  });

  test('never makes the reader throw: cut at any byte', async () => {
    const whole = longConversation([0, 2, 1, 7, 3, 4, 6, 8, 9, 0]).bytes;
    for (let length = 0; length < whole.length; length += 7) {
      const { stats } = await parseTranscript(whole.subarray(0, length));
      expect(stats.damagedLines).toBeLessThanOrEqual(1);
    }
  });

  test('never makes the reader throw: bytes changed at random', async () => {
    const whole = longConversation([0, 2, 1, 7, 3, 4, 6, 8, 9, 0]).bytes;
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 30 }), fc.boolean(), async (changes, all) => {
        const broken = Buffer.from(whole);
        for (const [at, byte] of changes) broken[at] = byte;
        const { messages, stats } = await parseTranscript(broken, { all });
        expect(stats.messages).toBe(messages.length);
        expect(new Set(messages.map(({ uuid }) => uuid)).size).toBe(messages.length);
      }),
      { numRuns: 200 },
    );
  });

  test('of any bytes at all is read without an error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (noise) => {
        // Only bytes that look like another format may be refused, and noise of this kind is none.
        const source = Buffer.concat([Buffer.from(`${A}\n`), noise]);
        expect(shown((await parseTranscript(source)).messages)[0]).toBe('user: A');
      }),
    );
  });
});

describe('what is left out', () => {
  const rows = (made: TranscriptBuilder, add: () => void): TranscriptBuilder => {
    add();
    made.prompt('stays');
    return made;
  };
  const left: [what: string, reason: string, add: (made: TranscriptBuilder) => void][] = [
    ['rows of a sub-agent', 'sidechain', (made) => void made.prompt('inner', { isSidechain: true })],
    ['meta rows', 'meta', (made) => void made.prompt('caveat', { isMeta: true })],
    ['errors of the API', 'api-error', (made) => void made.text('m', 'overloaded', { isApiErrorMessage: true })],
    [
      'messages made up by the client',
      'synthetic',
      (made) =>
        void made.add({
          type: 'assistant',
          message: { model: '<synthetic>', role: 'assistant', content: 'No response' },
        }),
    ],
    ['progress', 'progress', (made) => void made.progress()],
    [
      'attachments',
      'attachment',
      (made) => void made.add({ type: 'attachment', attachment: { type: 'file', content: 'x' } }),
    ],
    [
      'copies of requests',
      'api-request',
      (made) => void made.add({ type: 'api-request', messages: [{ role: 'user', content: 'x' }] }),
    ],
    ['snapshots of prompts', 'prompt_snapshot', (made) => void made.add({ type: 'prompt_snapshot', prompt: 'x' })],
    [
      'types that are not known',
      'unknown',
      (made) => void made.add({ type: 'tomorrow', message: { role: 'user', content: 'x' } }),
    ],
  ];
  test.each(left)('%s', async (_what, reason, add) => {
    const made = new TranscriptBuilder();
    made.prompt('first');
    const { messages, stats } = await parseTranscript(rows(made, () => add(made)).bytes);
    expect(shown(messages)).toEqual(['user: first', 'user: stays']);
    expect(stats.skipped).toEqual({ [reason]: 1 });
  });

  test('is never told by a text that looks like a key, nor by the order of the keys', async () => {
    const text = 'look: {"type":"progress","isSidechain":true,"isMeta":true} \\" }{';
    const message = { role: 'user', content: [{ type: 'text', text, isMeta: true }] };
    const orders = [
      { type: 'user', message, isMeta: false },
      { message, isMeta: false, type: 'user' },
      { toolUseResult: { type: 'progress', isSidechain: true }, message, type: 'user', nested: [{ type: 'x' }] },
    ];
    const { messages } = await parseTranscript(linesOf(orders));
    expect(shown(messages)).toEqual(orders.map(() => `user: ${text}`));
  });

  test('is nothing in the own transcript of a sub-agent', async () => {
    const made = new TranscriptBuilder();
    made.prompt('find it', { isSidechain: true, agentId: 'a1' });
    made.text('m1', 'found', { isSidechain: true, agentId: 'a1' });
    expect(shown((await parseTranscript(made.bytes)).messages)).toEqual(['user: find it', 'assistant: found']);
  });
});

describe('odd contents', () => {
  test('lone surrogates stay in the text and are counted', async () => {
    const { messages, stats } = await parseTranscript(
      Buffer.from('{"role":"user","content":"a \\ud83d b \\ude00\\ud83d \\ud83d\\ude00"}'),
    );
    expect(messages[0]?.content).toBe('a \ud83d b \ude00\ud83d \ud83d\ude00');
    expect(stats.loneSurrogates).toBe(3);
  });

  test('values nested too deeply for JSON.stringify are cut, and the message stays', async () => {
    const deep = `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"x","input":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}]}`;
    const { messages, stats } = await parseTranscript(Buffer.from(deep));
    expect(stats.repaired).toEqual({ 'too-deep': 1 });
    expect(JSON.stringify(messages)).toContain('nested too deeply');
  });
});

describe('the work grows with the input, not faster', () => {
  const many = 30_000;
  const inputs: [what: string, make: () => Buffer][] = [
    [
      'rows of one message',
      () =>
        linesOf(
          Array.from({ length: many }, (_, n) => ({
            type: 'assistant',
            uuid: `u${n}`,
            message: { id: 'm', role: 'assistant', content: [{ type: 'text', text: `${n}` }] },
          })),
        ),
    ],
    ['objects on one line', () => Buffer.from(Array.from({ length: many }, (_, n) => row(`${n}`)).join(''))],
    [
      'results in one row',
      () =>
        Buffer.concat([
          linesOf([
            {
              type: 'user',
              message: {
                content: Array.from({ length: many }, (_, n) => ({
                  type: 'tool_result',
                  tool_use_id: `t${n}`,
                  content: 'x',
                })),
              },
            },
          ]),
          linesOf([
            {
              type: 'assistant',
              message: {
                id: 'm',
                content: Array.from({ length: many }, (_, n) => ({
                  type: 'tool_use',
                  id: `t${n}`,
                  name: 'x',
                  input: {},
                })),
              },
            },
          ]),
        ]),
    ],
    ['openings that never close', () => Buffer.from('{"a":'.repeat(many))],
    [
      'prompts with one parent',
      () =>
        linesOf(
          Array.from({ length: many }, (_, n) => ({
            type: 'user',
            uuid: `u${n}`,
            parentUuid: 'p',
            message: { content: `prompt ${n}` },
          })),
        ),
    ],
    [
      'boundaries',
      () =>
        linesOf(
          Array.from({ length: many }, (_, n) => ({ type: 'system', subtype: 'compact_boundary', uuid: `b${n}` })),
        ),
    ],
  ];
  test.each(inputs)(
    '30,000 %s',
    async (_what, make) => {
      const source = make();
      for (const all of [false, true]) {
        const { stats } = await parseTranscript(source, { all });
        expect(stats.bytesRead).toBe(source.length);
      }
    },
    20_000,
  );
});
