import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import * as fc from 'fast-check';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { generated } from '../../bench/tokens/texts.mjs';
import { parseMessages } from '../../src/messages/parse.ts';
import type { Message } from '../../src/messages/types.ts';
import { estimateMessageTokens } from '../../src/tokens/message.ts';

const code = generated(3).flatMap((group) => (group.family === 'code' ? group.texts : []));
const [sample = ''] = code;
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo'.repeat(5000) } };

describe('against a real tokenizer', () => {
  test('is within 10 % over text, code, logs and JSON together', () => {
    const estimated = code.reduce((total, content) => total + estimateMessageTokens({ role: 'user', content }), 0);
    const counted = code.reduce((total, content) => total + countTokens(content) + 5, 0);
    expect(Math.abs(estimated / counted - 1)).toBeLessThan(0.1);
  });

  test('weighs a tool input as the JSON it is sent as', () => {
    const input = { file_path: '/src/index.ts', content: sample };
    const content = [{ type: 'tool_use', id: 'toolu_1', name: 'Write', input }];
    const counted = 4 + 10 + countTokens('Write') + countTokens(JSON.stringify(input));
    expect(Math.abs(estimateMessageTokens({ role: 'assistant', content }) / counted - 1)).toBeLessThan(0.1);
  });

  test('a word without an end costs half of what it does at least, whatever letters it is made of', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    for (const first of letters) {
      for (const second of letters) {
        const content = `${first}${second}`.repeat(500);
        expect(estimateMessageTokens({ role: 'user', content })).toBeGreaterThan(0.5 * countTokens(content));
      }
    }
  });

  const corpus = fileURLToPath(new URL('../../../shared/corpus/', import.meta.url));
  const files = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.endsWith('.jsonl')) : [];
  describe.skipIf(files.length === 0)('on recorded transcripts (skipped where there are none)', () => {
    test.each(files.length > 0 ? files : ['none'])('is within a tenth of the truth on %s', (file) => {
      let estimated = 0;
      let counted = 0;
      for (const content of everyTenthText(readFileSync(`${corpus}${file}`, 'utf8'))) {
        estimated += estimateMessageTokens({ role: 'user', content });
        counted += countTokens(content) + 5;
      }
      expect(Math.abs(estimated / counted - 1)).toBeLessThan(0.1);
    });
  });
});

/** Texts, tool inputs and results of a transcript, one in ten, without the order a reader would bring into them. */
function everyTenthText(transcript: string): string[] {
  const texts: string[] = [];
  for (const line of transcript.split('\n')) {
    try {
      const [message] = parseMessages([JSON.parse(line).message]);
      const content = message?.content ?? '';
      for (const block of typeof content === 'string' ? [{ type: 'text', text: content }] : content) {
        const { text, input, content: result } = block as Record<string, unknown>; // any block has keys
        const value = text ?? input ?? result;
        if (value !== undefined) texts.push(typeof value === 'string' ? value : JSON.stringify(value));
      }
    } catch {
      // A damaged or foreign line says nothing about the estimate.
    }
  }
  return texts.filter((text, index) => index % 10 === 0 && text.length < 100_000);
}

describe('framing', () => {
  test.each<[string, Message, number, number]>([
    ['no content', { role: 'user' }, 4, 4],
    ['null content', { role: 'assistant', content: null }, 4, 4],
    ['an empty text', { role: 'user', content: '' }, 4, 4],
    ['one word', { role: 'user', content: 'hello' }, 6, 7],
    ['a call without input', { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read' }] }, 15, 17],
    ['a result', { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'done' }] }, 12, 15],
    ['thinking', { role: 'assistant', content: [{ type: 'thinking', thinking: 'hello there', signature: 'x' }] }, 6, 9],
  ])('%s costs little', (_name, message, least, most) => {
    expect(estimateMessageTokens(message)).toBeGreaterThanOrEqual(least);
    expect(estimateMessageTokens(message)).toBeLessThanOrEqual(most);
  });

  test('an image costs the same flat number wherever it stands, whatever its bytes', () => {
    const plain = estimateMessageTokens({ role: 'user', content: [image] });
    const small = { ...image, source: { ...image.source, data: 'AA==' } };
    const url = { type: 'image_url', image_url: { url: `data:image/png;base64,${image.source.data}` } };
    expect(plain).toBe(1604);
    expect(estimateMessageTokens({ role: 'user', content: [small] })).toBe(plain);
    expect(estimateMessageTokens({ role: 'user', content: [url] })).toBe(plain);
    expect(estimateMessageTokens({ role: 'user', content: [image, { ...image, type: 'document' }] })).toBe(3204);
    const result = { type: 'tool_result', tool_use_id: 'a', content: [image] };
    expect(estimateMessageTokens({ role: 'user', content: [result] })).toBe(plain + 8);
  });

  test('a block of unknown type costs its JSON', () => {
    const block = { type: 'novelty', body: sample };
    const counted = countTokens(JSON.stringify(block));
    const estimated = estimateMessageTokens({ role: 'assistant', content: [block] });
    expect(Math.abs(estimated / counted - 1)).toBeLessThan(0.15);
  });
});

test('both wire shapes of a conversation cost the same within a few tokens', () => {
  const input = { command: 'npm test', description: 'Run the tests' };
  const anthropic: Message[] = [
    { role: 'user', content: [{ type: 'text', text: sample }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Running them.' },
        { type: 'tool_use', id: 'toolu_1', name: 'Bash', input },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: sample }] },
  ];
  const openai: Message[] = [
    { role: 'user', content: sample },
    {
      role: 'assistant',
      content: 'Running them.',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'Bash', arguments: JSON.stringify(input) } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: sample },
  ];
  for (const [index, message] of anthropic.entries()) {
    const other = openai[index];
    expect(other && Math.abs(estimateMessageTokens(message) - estimateMessageTokens(other))).toBeLessThanOrEqual(2);
  }
});

describe('never throws', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  let deep: unknown = 0;
  for (let level = 0; level < 100_000; level++) deep = [deep];

  test.each([
    ['a cycle', cycle],
    ['a BigInt', { count: 1n }],
    ['bottomless nesting', deep],
    ['undefined', undefined],
    ['a function', () => 1],
    ['text that is not JSON', '{"broken'],
  ])('on a tool input that is %s', (_name, input) => {
    const content = [{ type: 'tool_use', id: 'a', name: 'Tool', input }];
    expect(estimateMessageTokens({ role: 'assistant', content })).toBeGreaterThanOrEqual(14);
  });

  test('on any JSON as content', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (role, value) => {
        // The type is a promise of the reader; this is what happens without it.
        const content = value as Message['content'] & {};
        const tokens = estimateMessageTokens({ role, content });
        expect(Number.isSafeInteger(tokens)).toBe(true);
        expect(tokens).toBeGreaterThanOrEqual(4);
      }),
    );
  });
});
