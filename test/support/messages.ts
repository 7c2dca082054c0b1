/** Arbitrary single messages of both wire shapes with everything that may stand in one, the odd and the broken too. */
import fc from 'fast-check';
import type { Block, Message } from '../../src/messages/types.ts';

const text = fc.oneof(
  fc.constantFrom('', ' \n', 'one line', 'first\nsecond\n\nthird', '{"a": 1}', '"quoted"', '漢字\n🙂'),
  fc.string({ unit: 'binary', maxLength: 30 }),
);

/** JSON inputs: nested, with awkward keys, and numbers a double cannot hold. */
const input = fc.oneof(
  fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }),
  fc.dictionary(
    fc.constantFrom('file_path', 'edits', '__proto__', 'constructor', '1', ''),
    fc.oneof(text, fc.array(text)),
  ),
);

const textBlock = fc.oneof(
  text.map((words): Block => ({ type: 'text', text: words })),
  text.map((words): Block => ({ type: 'text', text: words, citations: [{ cited_text: words }] })),
  text.map((words): Block => ({ type: 'output_text', text: words, cache_control: { type: 'ephemeral' } })),
);
const media = fc.constantFrom<Block[]>(
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
  { type: 'document', source: { type: 'text', data: 'words' }, title: 'a' },
  { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
  { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
);
const strange = fc.constantFrom<Block[]>(
  { type: 'search_result', source: 'a', title: 'b', content: [{ type: 'text', text: 'c' }] },
  { type: 'tool_reference', tool_name: 'Read' },
  { type: 'reasoning', text: 'hm' },
  { type: 'refusal', refusal: 'no' },
  { type: 'tool_use', name: 'has no id' },
  { type: 'tool_result', content: 'has no id' },
);
const resultContent = fc.oneof(
  text,
  fc.array(fc.oneof({ weight: 4, arbitrary: textBlock }, { weight: 1, arbitrary: media }), { maxLength: 3 }),
  fc.array(fc.oneof(textBlock, strange, fc.constantFrom('bare', null, 7)), { maxLength: 3 }),
  fc.constantFrom(undefined, null, 7, { error_code: 'unavailable' }),
);
const id = fc.constantFrom('a', 'b', '');
const thinking = text.map((words): Block => ({ type: 'thinking', thinking: words, signature: 'c2ln' }));
const block: fc.Arbitrary<Block> = fc.oneof(
  textBlock,
  media,
  strange,
  thinking,
  fc.constant({ type: 'redacted_thinking', data: 'AAAA' }),
  fc.record({
    type: fc.constantFrom('tool_use', 'tool_use', 'server_tool_use', 'mcp_tool_use'),
    id,
    name: text,
    input,
  }),
  fc.record({
    type: fc.constantFrom('tool_result', 'tool_result', 'mcp_tool_result', 'web_search_tool_result'),
    tool_use_id: id,
    content: resultContent,
    is_error: fc.boolean(),
  }),
);

/** Arguments as models send them: JSON in several spellings, and what is no JSON. */
const args = fc.oneof(
  { weight: 4, arbitrary: input.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: input.map((value) => JSON.stringify(value, undefined, 2)) },
  fc.constantFrom(
    '',
    '{"cut": "off',
    '{"id": 12345678901234567890, "text": "x"}',
    '{"x": 1e999}',
    '{"a": 1, "a": "b"}',
  ),
);
const call = fc.oneof(
  fc.record({ id, type: fc.constant('function'), function: fc.record({ name: text, arguments: args }) }),
  fc.record({ id, type: fc.constant('custom'), custom: fc.record({ name: text, input: text }) }),
  fc.record({ id, type: fc.constant('function'), function: fc.record({ name: text, arguments: input }) }),
  fc.constantFrom({}, { id: 'a', function: null }),
);

/** Content that parseMessages refuses, but that must not make anything throw. */
const oddList = fc.array(fc.oneof(block, fc.constantFrom(null, 'bare', 7, {})), { maxLength: 3 });

/** One message of either shape, or of a mix that some framework made. */
export const anyMessage: fc.Arbitrary<Message> = fc
  .record(
    {
      role: fc.constantFrom('user', 'assistant', 'assistant', 'tool', 'tool', 'function', 'system', 'critic'),
      content: fc.oneof(text, fc.array(block, { maxLength: 5 }), fc.constant(null), oddList),
      tool_calls: fc.oneof(fc.array(call, { maxLength: 3 }), fc.constant(null)),
      tool_call_id: id,
      function_call: fc.oneof(fc.record({ name: text, arguments: args }), fc.constant(null)),
      name: text,
      reasoning_content: text,
      uuid: text,
      mine: fc.constant({ kept: true }),
    },
    { requiredKeys: ['role'] },
  )
  // Odd lists do not fit the type: that is what they are for.
  .map((message) => message as Message);
