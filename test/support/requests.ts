/** Arbitrary conversations that the APIs would take as they are, by the rules in `api-rules.ts`. */
import fc from 'fast-check';
import type { Block, Message } from '../../src/messages/types.ts';

const IMAGE: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const DOCUMENT: Block = {
  type: 'document',
  title: 'lease.txt',
  source: { type: 'text', media_type: 'text/plain', data: 'A lease ends when its holder does. '.repeat(20) },
};

/** Call and result of tools that the provider runs itself; both stand in the answer of the model. */
const SERVER_TOOLS = {
  search: (id: string): Block[] => [
    { type: 'server_tool_use', id, name: 'web_search', input: { query: id } },
    { type: 'web_search_tool_result', tool_use_id: id, content: [{ type: 'web_search_result', title: id }] },
  ],
  mcp: (id: string): Block[] => [
    { type: 'mcp_tool_use', id, name: 'find', server_name: 'notes', input: {} },
    {
      type: 'mcp_tool_result',
      tool_use_id: id,
      is_error: false,
      content: [{ type: 'text', text: 'a note. '.repeat(9) }],
    },
  ],
  code: (id: string): Block[] => [
    { type: 'server_tool_use', id, name: 'code_execution', input: { code: 'print(1)' } },
    {
      type: 'code_execution_tool_result',
      tool_use_id: id,
      content: { type: 'code_execution_result', stdout: '1', stderr: '', return_code: 0, content: [] },
    },
  ],
} as const;

interface Step {
  readonly text: string | undefined;
  readonly calls: readonly {
    readonly input: Record<string, unknown>;
    readonly answer: string;
    readonly failed: boolean;
  }[];
  /** What the results show beside their text. */
  readonly media: Block | undefined;
  /** A tool of the provider's that is called before the others. */
  readonly server: keyof typeof SERVER_TOOLS | undefined;
}

interface Exchange {
  readonly prompt: string;
  readonly steps: readonly Step[];
  readonly last: string;
}

/** Texts that no API refuses: something to read in them, no space at the end. */
const text = fc
  .array(fc.constantFrom('port', 'src/app.ts', '42', '漢字', '🙂', 'fails\n', '\n  return 1;\n'), { maxLength: 12 })
  .map((words) => `${words.join(' ')}.`);

const step: fc.Arbitrary<Step> = fc.record({
  text: fc.option(text, { nil: undefined }),
  calls: fc.array(
    fc.record({
      input: fc.oneof(
        fc.record({
          file_path: text,
          edits: fc.array(fc.record({ old_string: text, new_string: text }), { maxLength: 2 }),
        }),
        fc.record({ command: text, timeout: fc.nat() }),
        fc.constant({}),
      ),
      answer: fc.oneof(text, fc.constant('')),
      failed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  media: fc.constantFrom(undefined, IMAGE, DOCUMENT),
  server: fc.constantFrom(undefined, 'search', 'mcp', 'code'),
});

const exchanges: fc.Arbitrary<Exchange[]> = fc.array(
  fc.record({ prompt: text, steps: fc.array(step, { maxLength: 4 }), last: text }),
  { minLength: 1, maxLength: 5 },
);

function anthropicStep({ text: words, calls, media, server }: Step, name: string, thinks: boolean): Message[] {
  const thinking =
    calls.length === 2
      ? { type: 'redacted_thinking', data: 'c2VhbGVk' }
      : { type: 'thinking', thinking: `about ${name}`, signature: 'c2ln' };
  const uses = calls.map(({ input }, i) => ({ type: 'tool_use', id: `${name}.${i}`, name: 'Tool', input }));
  const results = calls.map(({ answer, failed }, i): Block => {
    const blocks = answer === '' ? [] : [{ type: 'text', text: answer }];
    const content = media !== undefined && !failed ? [...blocks, media] : answer;
    return { type: 'tool_result', tool_use_id: `${name}.${i}`, content, is_error: failed };
  });
  const prose = words === undefined ? [] : [{ type: 'text', text: words }];
  const before = [
    ...(thinks ? [thinking] : []),
    ...prose,
    ...(server === undefined ? [] : SERVER_TOOLS[server](`s${name}`)),
  ];
  return [
    { role: 'assistant', content: [...before, ...uses] },
    { role: 'user', content: results },
  ];
}

function openAiStep({ text: words, calls, media }: Step, name: string): Message[] {
  const asked = calls.map(({ input }, i) => ({
    id: `${name}.${i}`,
    type: 'function',
    function: { name: 'tool', arguments: JSON.stringify(input) },
  }));
  const answers = calls.map(({ answer }, i): Message => {
    const content = media !== undefined && answer !== '' ? [{ type: 'text', text: answer }] : answer;
    return { role: 'tool', tool_call_id: `${name}.${i}`, content };
  });
  return [{ role: 'assistant', content: words ?? null, tool_calls: asked }, ...answers];
}

function anthropicMessages(list: readonly Exchange[], thinks: 'never' | 'each' | 'first'): Message[] {
  return list.flatMap(({ prompt, steps, last }, at): Message[] => [
    { role: 'user', content: prompt },
    ...steps.flatMap((one, i) =>
      anthropicStep(one, `${at}.${i}`, thinks === 'each' || (thinks === 'first' && i === 0)),
    ),
    {
      role: 'assistant',
      content: [
        ...(thinks === 'each' || (thinks === 'first' && steps.length === 0)
          ? [{ type: 'thinking', thinking: `end of ${at}`, signature: 'c2ln' }]
          : []),
        { type: 'text', text: last },
      ],
    },
  ]);
}

/** What an agent would send to Anthropic: thinking first in every answer or in none, ids unique, ends with an answer. */
export const anthropicRequest: fc.Arbitrary<Message[]> = fc
  .tuple(exchanges, fc.constantFrom('never' as const, 'each' as const))
  .map(([list, thinks]) => anthropicMessages(list, thinks));

/** The same, where the agent may also think once in each turn, before anything else. */
export const thinkingRequest: fc.Arbitrary<Message[]> = fc
  .tuple(exchanges, fc.constantFrom('never' as const, 'each' as const, 'first' as const))
  .map(([list, thinks]) => anthropicMessages(list, thinks));

/** What an agent would send to OpenAI's chat completions. */
export const openAiRequest: fc.Arbitrary<Message[]> = exchanges.map((list) =>
  list.flatMap(({ prompt, steps, last }, at): Message[] => [
    { role: 'user', content: prompt },
    ...steps.flatMap((one, i) => openAiStep(one, `${at}.${i}`)),
    { role: 'assistant', content: last },
  ]),
);
