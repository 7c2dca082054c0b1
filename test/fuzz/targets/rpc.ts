/** JSON-RPC: whatever comes in, what goes out are replies, one a line, and a good request behind it is answered. */
import fc from 'fast-check';
import { compactContext } from '../../../src/actions/compact.ts';
import { methodsFor } from '../../../src/rpc/methods.ts';
import { toolApp } from '../../support/tool-app.ts';
import { serve } from '../../../src/rpc/serve.ts';
import { brokenConversation, conversation } from '../../support/conversation.ts';
import { anyMessage } from '../../support/messages.ts';
import { chunksOf, holds, type Target } from '../target.ts';
import { anyText, damaged } from '../transcripts.ts';

const methods = methodsFor('0', async () => ({
  ...toolApp(),
  compactContext: async (params) => compactContext(params),
}));

const odd = fc.jsonValue({ maxDepth: 3 });
const messages = fc.oneof(conversation(4), brokenConversation(4), fc.array(anyMessage, { maxLength: 4 }), odd);
const args = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      {
        messages,
        query: fc.oneof(anyText, odd),
        target_ratio: fc.oneof(fc.double({ min: 0.05, max: 1, noNaN: true }), odd),
        budget_tokens: fc.oneof(fc.integer({ min: 1, max: 2_000 }), odd),
        strategy: fc.oneof(fc.constantFrom('need', 'formula', '__proto__'), odd),
        detail: fc.oneof(fc.constantFrom('whole', 'excerpt'), odd),
        explain: fc.boolean(),
        __proto__: odd,
      },
      { requiredKeys: ['messages'] },
    ),
  },
  { weight: 1, arbitrary: odd },
);
const call = args.map((given) => ({ name: 'compact_context', arguments: given }));
const request = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: odd }),
    id: fc.oneof(fc.nat(), fc.string({ unit: 'binary' }), fc.double(), odd),
    method: fc.oneof(
      { weight: 4, arbitrary: fc.constant('tools/call') },
      { weight: 2, arbitrary: fc.constantFrom('initialize', 'ping', 'tools/list', 'constructor', '__proto__', 'nope') },
      { weight: 1, arbitrary: odd },
    ),
    params: fc.oneof({ weight: 4, arbitrary: call }, { weight: 1, arbitrary: odd }),
  },
  { requiredKeys: ['jsonrpc', 'method'] },
);
const spelled = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: request }, { weight: 1, arbitrary: fc.array(request, { maxLength: 3 }) }, odd),
    fc.constantFrom(0, 0, 1),
  )
  .map(([value, indent]) => JSON.stringify(value, undefined, indent) ?? 'null');
const between = fc.constantFrom('\n', '\n', '\r\n', '', ' ', '\n\n', '\nwords\n');

/** Requests as bytes, damaged or not. */
export const requestBytes: fc.Arbitrary<Buffer> = damaged(
  fc.array(fc.tuple(spelled, between), { maxLength: 4 }).map((list) => Buffer.from(list.flat().join(''))),
);

/** A request that nothing before it may swallow. */
export const LAST_ID = 'the last one, surely';
export const LAST: Buffer = Buffer.from(`\n${JSON.stringify({ jsonrpc: '2.0', id: LAST_ID, method: 'ping' })}\n`);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function replyProblem(reply: unknown): string | undefined {
  if (!isObject(reply) || reply['jsonrpc'] !== '2.0') return 'not a reply';
  const { id, error } = reply;
  if (id !== null && typeof id !== 'string' && typeof id !== 'number') return 'an id of no kind';
  if ('result' in reply === 'error' in reply) return 'not one of result and error';
  if ('result' in reply) return undefined;
  if (!isObject(error) || typeof error['code'] !== 'number' || typeof error['message'] !== 'string') return 'no error';
  return error['code'] === -32603 ? `internal: ${error['message']}` : undefined;
}

/** What is wrong with the output of a whole run whose input ended with `LAST`. */
export function outputProblems(out: string): string[] {
  const found: string[] = [];
  if (!out.isWellFormed() || out.includes('\uFFFD')) found.push('not well-formed Unicode');
  if (!out.endsWith('\n')) found.push('no line end');
  const lines = out.split('\n').slice(0, -1);
  const replies = lines.flatMap((line): unknown[] => {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? value : [value];
  });
  for (const reply of replies) {
    const problem = replyProblem(reply);
    if (problem !== undefined) found.push(problem);
  }
  const last = replies.at(-1);
  if (!isObject(last) || last['id'] !== LAST_ID || !('result' in last)) found.push('the last request was not answered');
  return found;
}

const withoutTime = (out: string): string => out.replaceAll(/"took_ms":[\d.e+-]+|took_ms\\":[\d.e+-]+/g, '');

async function run(chunks: readonly Buffer[]): Promise<string> {
  async function* input(): AsyncGenerator<Buffer> {
    yield* chunks;
  }
  let out = '';
  await serve(input(), async (text) => void (out += text), methods);
  return out;
}

/** The line handler in this process. */
export function rpcTargets(): Target[] {
  return [
    {
      name: 'json-rpc',
      share: 1,
      property: fc.asyncProperty(
        requestBytes,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }),
        async (bytes, cuts) => {
          const whole = Buffer.concat([bytes, LAST]);
          const out = await run([whole]);
          const found = outputProblems(out.replaceAll('\uFFFD', ''));
          if (!out.isWellFormed()) found.push('not well-formed Unicode');
          if (withoutTime(await run(chunksOf(whole, cuts))) !== withoutTime(out))
            found.push('answered otherwise in pieces');
          holds(found);
          return true;
        },
      ),
    },
  ];
}
