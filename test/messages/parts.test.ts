import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Part } from '../../src/messages/parts.ts';
import { partsOf } from '../../src/messages/parts.ts';
import type { Block, Message } from '../../src/messages/types.ts';
import { viewOf } from '../../src/messages/view.ts';
import { anyMessage } from '../support/messages.ts';

function joined(part: Part): string {
  return part.fields.map(({ text }) => text).join('\n');
}

function only(parts: readonly Part[], kind: Part['kind']): Part[] {
  return parts.filter((part) => part.kind === kind);
}

describe('every message', () => {
  test('has the calls, results, texts, thinking and media that its view has', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const view = viewOf(message);
        const parts = partsOf(message);
        expect(only(parts, 'call').map(({ callId, name }) => ({ id: callId, name }))).toEqual(
          view.calls.map(({ id, name }) => ({ id, name })),
        );
        expect(
          only(parts, 'result').map((part) => ({ callId: part.callId, text: joined(part), isError: part.isError })),
        ).toEqual(view.results);
        expect(only(parts, 'text').map(joined).join('\n')).toBe(view.text);
        const reasoning = typeof message['reasoning_content'] === 'string' ? message['reasoning_content'] : '';
        expect(only(parts, 'thinking').map(joined).join('') + reasoning).toBe(view.thinking);
        expect(only(parts, 'other').map(joined).join('')).toBe(view.otherJson);
        expect(parts.reduce((sum, { mediaCount }) => sum + mediaCount, 0)).toBe(view.mediaCount);
      }),
      { numRuns: 500 },
    );
  });

  test('has one part for each block and each call, in order', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const { content, tool_calls: calls, function_call: legacy } = message;
        const parts = partsOf(message);
        const inCalls = (Array.isArray(calls) ? calls.length : 0) + (legacy ? 1 : 0);
        const blocks = Array.isArray(content) ? content.length : typeof content === 'string' ? 1 : 0;
        const isAnswer = parts[0]?.kind === 'result' && ['tool', 'function'].includes(message.role);
        expect([blocks, isAnswer ? 1 : blocks]).toContain(parts.length - inCalls);
      }),
    );
  });

  test('shows of a call the texts that its input holds, no more and no less', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        // The free text of a custom tool is one text even where the view reads it as JSON.
        fc.pre(!JSON.stringify(message['tool_calls'] ?? null).includes('"custom"'));
        const fields = only(partsOf(message), 'call').map((part) => part.fields.map(({ text }) => text));
        expect(fields).toEqual(viewOf(message).calls.map(({ input }) => stringsIn(input)));
      }),
    );
  });
});

/** Every string that JSON.stringify comes by, in its order. */
function stringsIn(value: unknown): string[] {
  const found: string[] = [];
  JSON.stringify(value, (_, node: unknown) => {
    if (typeof node === 'string') found.push(node);
    return node;
  });
  return found;
}

function toolUse(input: unknown, type = 'tool_use'): Message {
  return { role: 'assistant', content: [{ type, id: 'a', name: 'Edit', input }] };
}

function openAi(args: unknown): Message {
  return { role: 'assistant', content: null, tool_calls: [{ id: 'a', function: { name: 'Edit', arguments: args } }] };
}

const NESTED = {
  file_path: 'a.ts',
  edits: [{ old_string: 'x' }, { old_string: 'y', all: true }, 'z'],
  n: 4,
  none: null,
};
const NESTED_FIELDS = [
  { key: 'file_path', text: 'a.ts' },
  { key: 'old_string', text: 'x' },
  { key: 'old_string', text: 'y' },
  { key: 'edits', text: 'z' },
];

describe('a call', () => {
  test.each<[string, Message]>([
    ['Anthropic', toolUse(NESTED)],
    ['OpenAI', openAi(JSON.stringify(NESTED))],
    ['arguments that are parsed already', openAi(NESTED)],
    [
      'the older OpenAI shape',
      { role: 'assistant', function_call: { name: 'Edit', arguments: JSON.stringify(NESTED) } },
    ],
  ])('has every text of its input as a field, by the last key on the way: %s', (_, message) => {
    expect(partsOf(message)).toMatchObject([{ kind: 'call', name: 'Edit', fields: NESTED_FIELDS, fixed: false }]);
  });

  test.each<[string, Message, string[]]>([
    ['a server tool', toolUse({ query: 'q' }, 'server_tool_use'), ['q']],
    ['an MCP tool', toolUse({ query: 'q' }, 'mcp_tool_use'), ['q']],
    ['arguments that are no JSON', openAi('{"cut": "off'), ['{"cut": "off']],
    ['no arguments', openAi(''), ['']],
    ['arguments with a number that a double cannot hold', openAi('{"id":12345678901234567890,"a":"b"}'), ['b']],
    ['arguments with an endless number', openAi('{"id":1e999,"a":"b"}'), ['b']],
  ])('is fixed, yet readable: %s', (_, message, texts) => {
    const [part] = partsOf(message);
    expect(part?.fixed).toBe(true);
    expect(part?.fields.map(({ text }) => text)).toEqual(texts);
  });

  test.each<[string, unknown]>([
    ['a cycle', cycle()],
    ['a cycle that branches', branchingCycle()],
    ['5,000 levels', JSON.parse('['.repeat(5000) + ']'.repeat(5000))],
  ])('is fixed when its input has no bottom: %s', (_, input) => {
    expect(partsOf(toolUse(input))).toMatchObject([{ kind: 'call', callId: 'a', fields: [], fixed: true }]);
  });

  test('is fixed when its arguments are nested too deep to be written again', () => {
    expect(partsOf(openAi('['.repeat(100_000) + ']'.repeat(100_000)))[0]?.fixed).toBe(true);
  });

  test('of a custom tool is one free text, whatever it looks like', () => {
    const custom = { id: 'a', type: 'custom', custom: { name: 'patch', input: '{"a": "b"}' } };
    const [part] = partsOf({ role: 'assistant', content: null, tool_calls: [custom] });
    expect(part).toMatchObject({ name: 'patch', fields: [{ key: '', text: '{"a": "b"}' }], fixed: false });
  });
});

function cycle(): object {
  const node: Record<string, unknown> = { a: 'text' };
  node['self'] = node;
  return node;
}

function branchingCycle(): object {
  const node: Record<string, unknown> = {};
  for (const key of ['a', 'b', 'c']) node[key] = [node, node];
  return node;
}

function result(content: unknown, type = 'tool_result'): Message {
  return { role: 'user', content: [{ type, tool_use_id: 'a', content }] };
}

const IMAGE: Block = { type: 'image', source: {} };
const TEXT: Block = { type: 'text', text: 'x' };

describe('a result', () => {
  test.each<[string, Message, { texts: string[]; mediaCount: number; fixed: boolean }]>([
    ['a text', result('x\ny'), { texts: ['x\ny'], mediaCount: 0, fixed: false }],
    ['text blocks', result([TEXT, TEXT]), { texts: ['x', 'x'], mediaCount: 0, fixed: false }],
    ['text and an image', result([TEXT, IMAGE]), { texts: ['x'], mediaCount: 1, fixed: false }],
    ['an image alone', result([IMAGE]), { texts: [], mediaCount: 1, fixed: false }],
    ['nothing', result(undefined), { texts: [''], mediaCount: 0, fixed: false }],
    ['unknown blocks', result([TEXT, { type: 'new' }]), { texts: ['x', '{"type":"new"}'], mediaCount: 0, fixed: true }],
    ['an error object', result({ e: 1 }), { texts: ['{"e":1}'], mediaCount: 0, fixed: true }],
    ['an MCP server', result([TEXT], 'mcp_tool_result'), { texts: ['x'], mediaCount: 0, fixed: true }],
    ['role tool', { role: 'tool', tool_call_id: 'a', content: 'x' }, { texts: ['x'], mediaCount: 0, fixed: false }],
    [
      'role tool in parts',
      { role: 'tool', tool_call_id: 'a', content: [TEXT] },
      { texts: ['x'], mediaCount: 0, fixed: false },
    ],
    ['role function', { role: 'function', name: 'f', content: 'x' }, { texts: ['x'], mediaCount: 0, fixed: false }],
  ])('of %s', (_, message, { texts, ...rest }) => {
    const [part, ...others] = partsOf(message);
    expect(others).toEqual([]);
    expect(part).toMatchObject({ kind: 'result', ...rest });
    expect(part?.fields).toEqual(texts.map((text) => ({ key: '', text })));
  });
});
