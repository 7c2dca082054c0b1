/** Results and their schemas: the SDK's client checks them, and here every field of a result must be named in the schema. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { expect, test } from 'vitest';
import type { Ticket } from '../../src/ports/tickets.ts';
import { fact } from '../memory/home.ts';
import { type McpRig, mcpRig, MS } from './rig.ts';

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const ticket: Ticket = {
  number: 12,
  title: 'The parser is slow',
  state: 'open',
  body: `It takes minutes.\nuse ${SECRET}`,
  author: undefined,
  labels: ['bug'],
  comments: 3,
  url: 'https://git.example.com/o/r/issues/12',
};

/** A ticket that can be shown, unless it is asked for by another number. */
async function rigWithTicket(more: Partial<Ticket> = {}): Promise<McpRig> {
  const found = { ticket: { ...ticket, ...more }, fetchedMs: 1_760_000_000_000, stale: undefined };
  const source = { name: 'git.example.com/o/r', ticket: async () => found };
  return mcpRig({ session: 's1', more: { openTickets: async () => ({ state: 'on', source }) } });
}

/** A schema that allows nothing that it does not name, where it names anything. */
function strict(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(strict);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, child]) => [key, strict(child)]);
  const names = 'properties' in node ? Object.keys(Object(node.properties)) : [];
  return { ...Object.fromEntries(entries), ...(names.length > 0 ? { additionalProperties: false } : {}) };
}

async function fill({ memory, project }: McpRig): Promise<void> {
  const known = { quote: 'no, it is 9090', topic: 'port', confidence: 0.8, imported: 'notes.md line 3' };
  await memory.remember(fact('the port is 9090', { project, ...known }), MS);
  const turn = { session: 's1', project, uuid: 'u1', tokens: 10 };
  await memory.archive(
    [
      { ...turn, handle: '#aaaaaaa', role: 'user', text: 'Which port is it?' },
      { ...turn, handle: '#aaaaaab', role: 'assistant', text: `The port is 9090. ${'And so on. '.repeat(6_000)}` },
      { ...turn, handle: '#aaaaaac', role: 'user', text: 'Good.', session: undefined },
    ],
    MS,
  );
  const judged = { handle: '#aaaaaaa', role: 'user', tokens: 10, score: 0.5, reason: 'budget', line: 'Which port' };
  const place = { session: 's1', project, lastUuid: 'u9' };
  const sizes = { beforeTokens: 900, afterTokens: 100, dropped: 2, embedding: false, tookMs: 3 };
  const decisions = { kept: [], dropped: [judged] };
  await memory.recordEpisode({ ...place, ...sizes, state: 'done', trigger: 'auto', strategy: 'need', decisions }, MS);
}

const messages = [
  { role: 'user', content: 'Please fix the date parser.' },
  { role: 'assistant', content: 'It is fixed.' },
  { role: 'user', content: 'And now?' },
];

const CALLS: readonly (readonly [name: string, args: Record<string, unknown>])[] = [
  ['compact_context', { messages, budget_tokens: 10, explain: true, distill_novel: true }],
  ['recall', { query: 'port' }],
  ['search', { query: 'port' }],
  ['search', { query: 'nowhere' }],
  ['show', { handle: '#aaaaaab', context: 1 }],
  ['show', { handle: '#aaaaaab', about: 'port' }],
  ['show', { handle: '#aaaaaab', about: 'nowhere' }],
  ['show', { memory: 1 }],
  ['show', { handle: 'ticket:12' }],
  ['show', { handle: 'ticket:12', about: 'minutes' }],
  ['remember', { text: 'the dev server listens on port 5173' }],
  ['remember', { text: 'the port is 9090' }],
  ['directives', {}],
  ['directives', { action: 'add', text: 'never push to main' }],
  ['directives', { all: true }],
  ['directives', { action: 'amend', id: 1, text: 'never push to master' }],
  ['directives', { action: 'revoke', id: 1 }],
  ['hot_context', { focus: 'the parser' }],
  ['episodes', {}],
  ['why', {}],
  ['forget', { id: 1 }],
];

test('every tool tells in its schema what it answers, and answers nothing else', async () => {
  const rig = await rigWithTicket();
  await fill(rig);
  const { tools } = await rig.client.listTools();
  const ajv = new AjvJsonSchemaValidator();
  const validators = new Map(
    // A schema stays one when it is made stricter.
    tools.map(({ name, outputSchema }) => [name, ajv.getValidator(strict(outputSchema) as Record<string, never>)]),
  );
  expect(new Set(CALLS.map(([name]) => name))).toEqual(new Set(tools.map(({ name }) => name)));
  for (const [name, args] of CALLS) {
    const { isError, data, text } = await rig.call(name, args);
    const { valid, errorMessage } = validators.get(name)!(data);
    expect({ name, args, isError, valid, errorMessage }).toMatchObject({ isError: false, valid: true });
    expect(text).toBe(JSON.stringify(data));
  }
  const wrong = await rig.call('recall', { query: 1 });
  expect(validators.get('recall')!(wrong.data)).toMatchObject({ valid: true });
});

test('a ticket is shown by its number: bounded, and masked', async () => {
  const lines = Array.from({ length: 9_000 }, (_, n) => `this is line ${n + 1}`).join('\n');
  const rig = await rigWithTicket({ body: `${ticket.body}\n${lines}` });
  const { data, text } = await rig.call('show', { handle: 'ticket:12' });
  expect(data).toMatchObject({
    ticket: 12,
    title: 'The parser is slow',
    state: 'open',
    source: 'git.example.com/o/r',
    next_lines: expect.stringMatching(/^\d+-9002$/),
  });
  expect(text).not.toContain(SECRET);
  expect(String(data['text']).length).toBeLessThanOrEqual(40_000);
  expect((await rig.call('show', { handle: 'ticket:12', lines: '1-1' })).data).toMatchObject({
    text: 'It takes minutes.',
  });
});

test('where tickets are off, that is said with where to read on', async () => {
  const rig = await mcpRig();
  expect(await rig.call('show', { handle: 'ticket:12' })).toMatchObject({
    isError: true,
    data: { error: { code: 'E_TICKETS', hint: expect.stringContaining('docs/ledger.md') } },
  });
  for (const handle of ['ticket:0', 'ticket:../1', 'ticket:1e3', 'ticket:']) {
    expect(await rig.call('show', { handle })).toMatchObject({
      isError: true,
      data: { error: { code: 'E_PARAM_INVALID', field: 'handle' } },
    });
  }
});
