/** The examples of docs/library.md: the code shown is the code run here, over the SDKs themselves, against an API on loopback. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { generateText, stepCountIs, tool } from 'ai';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fitWindow } from '../examples/ai-sdk.ts';
import { ask as askAnthropic } from '../examples/anthropic.ts';
import { shapingFetch } from '../examples/fetch.ts';
import { ask as askOpenAi, type Conversation } from '../examples/openai.ts';
import type { Message } from '../src/messages/types.ts';
import { anthropicProblems } from './support/api-rules.ts';
import { type Asked, modelServer, type ModelServer } from './support/model-server.ts';
import { openAiProblems } from './support/openai-rules.ts';

const root = join(import.meta.dirname, '..');
const WINDOW = 8_000;
const STEPS = 12;
/** About 1,500 tokens: twelve of them are more than twice the window. */
const page = (step: number): string =>
  Array.from({ length: 150 }, (_, line) => `page ${step} line ${line}: nothing new`).join('\n');

/** Calls a tool twelve times, then answers. Summaries are answered as such. */
async function server(reply: (asked: Asked, step: number) => unknown): Promise<ModelServer> {
  let step = 0;
  return modelServer((asked) => ({ status: 200, body: JSON.stringify(reply(asked, step++)) }));
}

/** The messages of each request that was made with tools. */
function conversations({ requests }: ModelServer): Message[][] {
  // Our own SDK calls: requests with messages.
  return requests.filter(({ body }) => 'tools' in body).map(({ body }) => body['messages'] as Message[]);
}

const size = (messages: readonly Message[]): number => JSON.stringify(messages).length / 4;

function openAiReply(step: number, last = STEPS): unknown {
  const message =
    step < last
      ? {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: `call_${step}`, type: 'function', function: { name: 'read', arguments: `{"page":${step}}` } },
          ],
        }
      : { role: 'assistant', content: 'Nothing new.' };
  return {
    id: `r${step}`,
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: step < last ? 'tool_calls' : 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

test('the Anthropic SDK: a loop of tools never sends more than the window, and nothing malformed', async () => {
  const api = await server((_, step) => ({
    id: `m${step}`,
    type: 'message',
    role: 'assistant',
    model: 'm',
    content:
      step < STEPS
        ? [{ type: 'tool_use', id: `call_${step}`, name: 'read', input: { page: step } }]
        : [{ type: 'text', text: 'Nothing new.' }],
    stop_reason: step < STEPS ? 'tool_use' : 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  }));
  const client = new Anthropic({ apiKey: 'none', baseURL: api.url, maxRetries: 0 });
  let read = 0;
  const answer = await askAnthropic(
    {
      client,
      model: 'm',
      window: WINDOW,
      tools: [{ name: 'read', input_schema: { type: 'object' } }],
      callTool: async () => page(read++),
    },
    'Read all pages.',
  );
  expect(answer).toBe('Nothing new.');
  const sent = conversations(api);
  expect(sent).toHaveLength(STEPS + 1);
  for (const messages of sent) {
    expect(anthropicProblems(messages)).toEqual([]);
    expect(size(messages)).toBeLessThan(WINDOW);
  }
  expect(JSON.stringify(sent.at(-1))).toContain('page 11 line 149');
});

test('the OpenAI SDK: results are capped, a full context is pruned and summarised, and the conversation goes on', async () => {
  const api = await modelServer((asked, count) => {
    const isSummary = !('tools' in asked.body);
    const body = isSummary
      ? {
          ...Object(openAiReply(1, 0)),
          choices: [
            { index: 0, message: { role: 'assistant', content: '## Goal\nRead pages.' }, finish_reason: 'stop' },
          ],
        }
      : openAiReply(count);
    return { status: 200, body: JSON.stringify(body) };
  });
  const client = new OpenAI({ apiKey: 'none', baseURL: `${api.url}/v1`, maxRetries: 0 });
  const before: Conversation = { messages: [{ role: 'system', content: 'Be brief.' }] };
  let read = 0;
  const after = await askOpenAi(
    {
      client,
      model: 'm',
      window: WINDOW,
      tools: [{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }],
      callTool: async () => page(read++),
    },
    before,
    'Read all pages.',
  );
  expect(after.messages.at(-1)).toMatchObject({ content: 'Nothing new.' });
  for (const messages of conversations(api)) {
    expect(openAiProblems(messages)).toEqual([]);
    expect(size(messages)).toBeLessThan(WINDOW);
  }
});

test.each([
  [
    'prepareStep',
    (): { readonly prepareStep: ReturnType<typeof fitWindow> } => ({ prepareStep: fitWindow(WINDOW) }),
    undefined,
  ],
  ['a fetch of one’s own', () => ({}), (): typeof fetch => shapingFetch(WINDOW)],
] as const)(
  'the Vercel AI SDK with %s: what is sent fits, and the whole conversation stays',
  async (_, options, own) => {
    const api = await server((__, step) => openAiReply(step));
    const provider = createOpenAICompatible({
      name: 'loopback',
      baseURL: `${api.url}/v1`,
      ...(own !== undefined && { fetch: own() }),
    });
    let read = 0;
    const { text, response } = await generateText({
      model: provider('m'),
      prompt: 'Read all pages.',
      tools: { read: tool({ inputSchema: z.object({ page: z.number() }), execute: async () => page(read++) }) },
      stopWhen: stepCountIs(STEPS + 1),
      ...options(),
    });
    expect(text).toBe('Nothing new.');
    const sent = conversations(api);
    expect(sent).toHaveLength(STEPS + 1);
    for (const messages of sent) {
      expect(openAiProblems(messages)).toEqual([]);
      expect(size(messages)).toBeLessThan(WINDOW);
    }
    expect(JSON.stringify(response.messages)).toContain('page 0 line 149');
  },
);

test('docs/library.md shows each example as it stands', () => {
  const page = readFileSync(join(root, 'docs', 'library.md'), 'utf8');
  for (const name of readdirSync(join(root, 'examples'))) {
    expect(page).toContain(`\`\`\`ts\n${readFileSync(join(root, 'examples', name), 'utf8')}\`\`\``);
  }
});
