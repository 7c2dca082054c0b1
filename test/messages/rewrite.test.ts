import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMark } from '../../src/messages/marks.ts';
import type { Part } from '../../src/messages/parts.ts';
import { partsOf } from '../../src/messages/parts.ts';
import type { PartChange } from '../../src/messages/rewrite.ts';
import { rewriteMessage } from '../../src/messages/rewrite.ts';
import type { Block, Message } from '../../src/messages/types.ts';
import { anyMessage } from '../support/messages.ts';

const newText = fc.constantFrom('short', 'first\n[chitta:gap 3 lines]\nlast', '漢字 "quoted" \\ 🙂', '__proto__');
const change: fc.Arbitrary<PartChange> = fc.oneof(
  fc.constantFrom<PartChange[]>('keep', 'drop'),
  fc.array(fc.option(newText, { nil: undefined }), { maxLength: 5 }),
);
/** A message and as many changes as it has parts, sometimes fewer. */
const changed: fc.Arbitrary<[Message, PartChange[]]> = anyMessage.chain((message) => {
  const { length } = partsOf(message);
  return fc.tuple(fc.constant(message), fc.array(change, { minLength: Math.max(0, length - 1), maxLength: length }));
});

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) frozen(child);
  }
  return value;
}

/** What a part is after its change, without media marks. */
function expected(part: Part, change: PartChange): object {
  const { kind, callId, name, isError, fixed } = part;
  const texts = part.fields.map(({ key, text }, index) => ({
    key,
    text: typeof change === 'string' || fixed ? text : (change[index] ?? text),
  }));
  const losesMedia = typeof change !== 'string' && !fixed;
  const after = losesMedia && kind === 'media' ? 'text' : kind;
  return { kind: after, callId, name, isError, fields: texts, mediaCount: losesMedia ? 0 : part.mediaCount, fixed };
}

function readBack({ kind, callId, name, isError, fields, mediaCount, fixed }: Part): object {
  const own = fields.filter(({ text }) => !isMark(text));
  return { kind, callId, name, isError, fields: own, mediaCount, fixed };
}

function isEmptyPart({ kind, fields }: Part): boolean {
  return kind === 'thinking' || (kind === 'text' && fields.every(({ text }) => text.trim() === ''));
}

/** Whether the content of a message is the answer to one call, as a whole. */
function isAnswer({ role, content, tool_call_id: callId }: Message): boolean {
  if (role !== 'tool' || typeof callId === 'string') return role === 'tool' || role === 'function';
  return !(Array.isArray(content) && partsOf({ role: 'user', content }).some(({ kind }) => kind === 'result'));
}

/** The parts that survive, with their changes. */
function survivors(message: Message, changes: readonly PartChange[]): [Part, PartChange][] {
  const rows = partsOf(message).map((part, index): [Part, PartChange] => [part, changes[index] ?? 'keep']);
  if (isAnswer(message)) return changes[0] === 'drop' ? [] : rows.filter(([, change]) => change !== 'drop');
  const blocks = rows.slice(0, Array.isArray(message.content) ? message.content.length : 0);
  const rest = rows.slice(blocks.length).filter(([, change]) => change !== 'drop');
  const kept = blocks.filter(([, change]) => change !== 'drop');
  if (kept.length < blocks.length) while (kept.at(-1)?.[0].kind === 'thinking') kept.pop();
  // Result blocks in a message of role tool: it goes with the last of them.
  const needsResult = message.role === 'tool' && blocks.some(([{ kind }]) => kind === 'result');
  return needsResult && kept.every(([{ kind }]) => kind !== 'result') ? [] : [...kept, ...rest];
}

describe('every message', () => {
  test('is the same object when nothing changes', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const parts = partsOf(message);
        const same = parts.map(({ fields, mediaCount }): PartChange => {
          return mediaCount > 0 ? 'keep' : fields.map(({ text }, index) => (index % 2 === 0 ? text : undefined));
        });
        expect(rewriteMessage(message, [])).toBe(message);
        expect(
          rewriteMessage(
            message,
            parts.map(() => 'keep'),
          ),
        ).toBe(message);
        expect(rewriteMessage(message, same)).toBe(message);
      }),
    );
  });

  test('is gone when all of it is dropped', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const parts = partsOf(message);
        const all = parts.map((): PartChange => 'drop');
        expect(rewriteMessage(message, all)).toBe(parts.length === 0 ? message : undefined);
      }),
    );
  });

  test('reads back as it was, but for what was dropped and the texts that were changed', () => {
    fc.assert(
      fc.property(changed, ([message, changes]) => {
        const left = survivors(message, changes);
        const after = rewriteMessage(frozen(message), changes);
        if (after === undefined) return left.every(([part]) => isEmptyPart(part));
        const before = left.map(([part, change]) => expected(part, change));
        expect(partsOf(after).map(readBack)).toEqual(before);
        return true;
      }),
      { numRuns: 1000 },
    );
  });

  test('keeps every other key, and shares what it keeps', () => {
    fc.assert(
      fc.property(changed, ([message, changes]) => {
        const after = rewriteMessage(frozen(message), changes);
        const { content: _1, tool_calls: _2, function_call: _3, ...others } = message;
        const before = new Set<unknown>([message.content, message['tool_calls']].flat());
        const now = [after?.content, after?.['tool_calls']].flat();
        const copies = now.filter((value) => typeof value === 'object' && value !== null && !before.has(value)).length;
        const lists = changes.filter((item) => typeof item !== 'string').length;
        expect(copies).toBeLessThanOrEqual(isAnswer(message) ? lists + before.size : lists);
        expect(after ?? others).toMatchObject(others);
      }),
    );
  });

  test('is good JSON afterwards, and so are the arguments of its calls', () => {
    const argumentsOf = (message: Message | undefined): unknown[] => {
      const calls = message?.['tool_calls'];
      return Array.isArray(calls) ? calls.map((call) => call?.function?.arguments) : [];
    };
    fc.assert(
      fc.property(changed, ([message, changes]) => {
        const after = rewriteMessage(message, changes);
        // What JSON cannot say (an undefined key) would be lost on the way to an API.
        const written: unknown = JSON.parse(JSON.stringify(after ?? null));
        expect(JSON.stringify(written)).toBe(JSON.stringify(after ?? null));
        expect(written === null).toBe(after === undefined);
        const kept = new Set(argumentsOf(message));
        for (const text of argumentsOf(after)) {
          expect(() => kept.has(text) || JSON.parse(typeof text === 'string' ? text : '0')).not.toThrow();
        }
      }),
    );
  });
});

const THINKING: Block = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
const TEXT: Block = { type: 'text', text: 'old' };
const CALL: Block = {
  type: 'tool_use',
  id: 'a',
  name: 'Edit',
  input: { file_path: 'a.ts', edits: [{ old: 'x' }], n: 1 },
};
const IMAGE: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };

describe('Anthropic', () => {
  test('exactly the changed leaf of an input is another', () => {
    const message: Message = { role: 'assistant', content: [THINKING, CALL] };
    expect(rewriteMessage(message, ['keep', [undefined, 'y']])).toEqual({
      role: 'assistant',
      content: [THINKING, { ...CALL, input: { file_path: 'a.ts', edits: [{ old: 'y' }], n: 1 } }],
    });
  });

  test('a key named __proto__ stays a key', () => {
    const input: unknown = JSON.parse('{"__proto__": {"a": "old"}, "b": "c"}');
    const after = rewriteMessage({ role: 'assistant', content: [{ ...CALL, input }] }, [['new']]);
    expect(JSON.stringify(after)).toContain('"input":{"__proto__":{"a":"new"},"b":"c"}');
  });

  test('citations of a changed text go, others stay', () => {
    const cited: Block = { ...TEXT, citations: [{ cited_text: 'old' }] };
    const after = rewriteMessage({ role: 'assistant', content: [cited, cited] }, [['new']]);
    expect(after?.content).toEqual([{ type: 'text', text: 'new' }, cited]);
  });

  test.each<[string, Block[], PartChange[], Block[] | undefined]>([
    ['goes with what it led to', [THINKING, CALL], ['keep', 'drop'], undefined],
    ['stays before what is left', [THINKING, TEXT, CALL], ['keep', 'keep', 'drop'], [THINKING, TEXT]],
    ['goes from the end only', [THINKING, TEXT, THINKING, CALL], ['keep', 'keep', 'keep', 'drop'], [THINKING, TEXT]],
    ['is never changed', [THINKING, TEXT], [['other'], ['new']], [THINKING, { type: 'text', text: 'new' }]],
    ['may be dropped', [THINKING, TEXT], ['drop', 'keep'], [TEXT]],
  ])('thinking %s', (_, content, changes, after) => {
    expect(rewriteMessage({ role: 'assistant', content }, changes)?.content).toEqual(after);
  });

  test.each<[string, Block, PartChange, RegExp]>([
    ['in a result', { type: 'tool_result', tool_use_id: 'a', content: [TEXT, IMAGE] }, ['new'], /new.*image left out/],
    [
      'in a result whose texts stay',
      { type: 'tool_result', tool_use_id: 'a', content: [TEXT, IMAGE] },
      [],
      /old.*left out/,
    ],
    ['alone in a result', { type: 'tool_result', tool_use_id: 'a', content: [IMAGE] }, [], /image left out/],
    ['in a prompt', IMAGE, [], /image left out/],
    ['in a prompt, a document', { type: 'document', source: {} }, [], /document left out/],
  ])('media give way to a mark that names the message: %s', (_, block, partChange, mark) => {
    const message: Message = { role: 'user', content: [block], uuid: 'u' };
    const json = JSON.stringify(rewriteMessage(message, [partChange]));
    expect(json).toMatch(mark);
    expect(json).toMatch(/\[chitta:gap #[a-z2-7]{7} /);
    expect(json).not.toContain('AAAA');
  });

  test.each<[string, Block, PartChange, unknown]>([
    ['a text block', TEXT, [' \n'], undefined],
    [
      'a text in a result',
      { type: 'tool_result', content: [TEXT, { ...TEXT, text: 'b' }] },
      [''],
      [{ ...TEXT, text: 'b' }],
    ],
    ['the only text in a result', { type: 'tool_result', content: [TEXT] }, [''], ''],
    ['a result', { type: 'tool_result', content: 'old' }, [''], ''],
  ])('no empty text block is written: %s', (_, block, partChange, content) => {
    const message: Message = { role: 'user', content: [{ tool_use_id: 'a', ...block }] };
    const [after] = [rewriteMessage(message, [partChange])?.content ?? []].flat();
    expect(typeof after === 'object' ? after['content'] : after).toEqual(content);
  });

  test.each<[string, Block]>([
    ['a server tool', { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'old' } }],
    ['its result', { type: 'web_search_tool_result', tool_use_id: 's', content: [{ type: 'text', text: 'old' }] }],
    ['unknown blocks in a result', { type: 'tool_result', tool_use_id: 'a', content: [TEXT, { type: 'new' }] }],
    ['an unknown block', { type: 'new', text: 'old' }],
    ['an input without a bottom', { ...CALL, input: JSON.parse('['.repeat(5000) + ']'.repeat(5000)) }],
  ])('what must survive as it is does so: %s', (_, block) => {
    const message: Message = { role: 'assistant', content: [block] };
    expect(rewriteMessage(message, [['new']])).toBe(message);
    expect(rewriteMessage(message, ['drop'])).toBeUndefined();
  });
});

function openAi(...args: string[]): Message {
  const calls = args.map((text, i) => ({ id: `${i}`, type: 'function', function: { name: 'f', arguments: text } }));
  return { role: 'assistant', content: null, refusal: null, tool_calls: calls };
}

describe('OpenAI', () => {
  test('arguments that do not change stay as they were spelled, others are JSON again', () => {
    const message = openAi('{ "a" : "x" }', '{ "a" : "x", "n": 1.0 }');
    const after = rewriteMessage(message, [['x'], ['y']]);
    expect(after).toEqual(openAi('{ "a" : "x" }', '{"a":"y","n":1}'));
  });

  test('a dropped call leaves the others, the last one takes the list with it', () => {
    const message = { ...openAi('{}', '{"a":"b"}'), content: 'so' };
    expect(rewriteMessage(message, ['keep', 'keep', 'drop'])).toEqual({ ...openAi('{}'), content: 'so' });
    expect(rewriteMessage(message, ['keep', 'drop', 'drop'])).toEqual({
      role: 'assistant',
      content: 'so',
      refusal: null,
    });
    expect(rewriteMessage(message, ['drop'])).toEqual({ ...message, content: null });
    expect(rewriteMessage({ ...message, content: '' }, ['keep', 'drop', 'drop'])).toBeUndefined();
  });

  test('the free text of a custom tool is rewritten as text', () => {
    const custom = (input: string): Message => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'patch', input } }],
    });
    expect(rewriteMessage(custom('{"a": 1}'), [['*** cut']])).toEqual(custom('*** cut'));
  });

  test('the older shape is rewritten too', () => {
    const message = (words: string): Message => ({
      role: 'assistant',
      content: null,
      function_call: { name: 'f', arguments: JSON.stringify({ a: words }) },
    });
    expect(rewriteMessage(message('x'), [['y']])).toEqual(message('y'));
    expect(rewriteMessage({ ...message('x'), content: 'so' }, ['keep', 'drop'])).toEqual({
      role: 'assistant',
      content: 'so',
    });
    expect(rewriteMessage({ role: 'function', name: 'f', content: 'x' }, [['y']])).toEqual({
      role: 'function',
      name: 'f',
      content: 'y',
    });
  });

  test.each<[string, unknown, PartChange, unknown]>([
    ['a text', 'x\ny', ['x'], 'x'],
    ['an empty text', 'x\ny', [''], ''],
    ['parts', [TEXT, TEXT], [undefined, 'new'], [TEXT, { ...TEXT, text: 'new' }]],
  ])('an answer keeps its id and its kind of content: %s', (_, content, partChange, after) => {
    const message = { role: 'tool', tool_call_id: 'a', content } as Message; // the rows hold texts and blocks
    expect(rewriteMessage(message, [partChange])).toEqual({ role: 'tool', tool_call_id: 'a', content: after });
    expect(rewriteMessage(message, ['drop'])).toBeUndefined();
  });
});
