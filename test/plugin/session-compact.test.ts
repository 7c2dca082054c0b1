import { describe, expect, test } from 'vitest';
// The module has no types: it is loaded by the host.
// @ts-expect-error see above
import { register, survivorsOf } from '../../hooks/session-compact.mjs';

const entries = [
  { role: 'user', text: 'Begin.', toolUses: [], handle: 'a' },
  {
    role: 'assistant',
    text: '',
    toolUses: [{ tool_use_id: 't', tool: 'Bash', input: { command: 'ls' } }],
    handle: 'b',
  },
  { role: 'user', text: '', toolResults: [{ tool_use_id: 't', text: 'one\ntwo', isError: false }], handle: 'c' },
];

describe('survivorsOf', () => {
  test('puts the front message first, changes only what it is told to, and takes every handle away', () => {
    const survivors = [{ index: 1 }, { index: 2, results: { t: 'one' } }];
    expect(survivorsOf(entries, { front: 'what was dropped', survivors })).toEqual([
      { role: 'user', text: 'what was dropped', toolUses: [], toolResults: [] },
      { role: 'assistant', text: '', toolUses: entries[1]?.toolUses, toolResults: [] },
      { role: 'user', text: '', toolUses: [], toolResults: [{ tool_use_id: 't', text: 'one', isError: false }] },
    ]);
  });

  test('an id may be any text, also the name of what every object has', () => {
    const odd = ['constructor', '__proto__', 'toString'].flatMap((id) => [
      { role: 'assistant', text: '', toolUses: [{ tool_use_id: id, tool: 'Bash', input: { id } }] },
      { role: 'user', text: '', toolUses: [], toolResults: [{ tool_use_id: id, text: id }] },
    ]);
    const survivors = odd.map((_, index) => ({ index }));
    survivors[3] = JSON.parse('{"index":3,"results":{"__proto__":"in part"}}');
    const texts = survivorsOf(odd, { front: 'x', survivors }).flatMap(
      ({ toolUses, toolResults }: { toolUses: object[]; toolResults: object[] }) => [...toolUses, ...toolResults],
    );
    expect(texts).toEqual([
      { tool_use_id: 'constructor', tool: 'Bash', input: { id: 'constructor' } },
      { tool_use_id: 'constructor', text: 'constructor' },
      { tool_use_id: '__proto__', tool: 'Bash', input: { id: '__proto__' } },
      { tool_use_id: '__proto__', text: 'in part' },
      { tool_use_id: 'toString', tool: 'Bash', input: { id: 'toString' } },
      { tool_use_id: 'toString', text: 'toString' },
    ]);
  });

  test.each([
    ['nothing', undefined],
    ['a refusal', { refused: 'mode is guide' }],
    ['no survivor', { front: 'x', survivors: [] }],
    ['an unknown index', { front: 'x', survivors: [{ index: 3 }] }],
    ['an index that is no number', { front: 'x', survivors: [{ index: '1' }] }],
    ['an index twice', { front: 'x', survivors: [{ index: 1 }, { index: 1 }] }],
    ['no front message', { survivors: [{ index: 0 }] }],
  ])('takes %s for no answer', (_, answer) => {
    expect(survivorsOf(entries, answer)).toBeUndefined();
  });
});

describe('the handler', () => {
  const handlers: ((...args: unknown[]) => Promise<unknown>)[] = [];
  register((_: string, handler: (...args: unknown[]) => Promise<unknown>) => void handlers.push(handler));
  const event = { trigger: 'manual', messages: entries };
  const host = (run: () => Promise<unknown>): unknown => ({
    session: { id: () => 's', cwd: () => '/' },
    process: { run },
  });
  const ask = (run: () => Promise<unknown>): Promise<unknown> | undefined =>
    handlers[0]?.(host(run), event, async () => 'the ordinary compaction');

  test.each([
    ['another exit code', async () => ({ stdout: '{"front":"x","survivors":[{"index":0}]}', exitCode: 3 })],
    ['half an answer', async () => ({ stdout: '{"front":"x","survi', exitCode: 0 })],
    ['a refusal', async () => ({ stdout: '{"refused":"no"}', exitCode: 0 })],
    ['a late answer', () => Promise.reject(new Error('timed out'))],
  ])('leaves it to the host on %s', async (_, run) => {
    expect(await ask(run)).toBe('the ordinary compaction');
  });

  test('asks for the project where there is one, not for where the shell is', async () => {
    const asked: unknown[] = [];
    const run = async (_argv: string[], { cwd }: { cwd: string }): Promise<object> => {
      asked.push(cwd);
      return { stdout: '{"refused":"no"}', exitCode: 0 };
    };
    for (const more of [{ root: () => '/project' }, {}]) {
      const session = { id: () => 's', cwd: () => '/project/src', ...more };
      await handlers[0]?.({ session, process: { run } }, event, async () => undefined);
    }
    expect(asked).toEqual(['/project', '/project/src']);
  });

  test('is asked with each result once, and how many images it stands for', async () => {
    const image = { type: 'image', file: { base64: '' } };
    const use = { tool_use_id: 't', tool: 'Read', input: { file_path: 'a.png' }, result: image, text: '' };
    const messages = [
      { role: 'assistant', text: '', toolUses: [use], handle: 'b', more: 1 },
      {
        role: 'user',
        text: '',
        toolUses: [],
        toolResults: [{ tool_use_id: 't', text: '', result: image }],
        handle: 'c',
      },
      {
        role: 'user',
        text: '',
        toolResults: [{ tool_use_id: 'u', text: 'x', result: [image, { type: 'text' }, image] }],
      },
      { role: 'user', text: 'odd', toolUses: 3 },
    ];
    const sent: { stdin: string }[] = [];
    const run = async (_argv: string[], options: { stdin: string }): Promise<object> => {
      sent.push(options);
      return { stdout: '{"refused":"no"}', exitCode: 0 };
    };
    // The handler only reads what it is given.
    await handlers[0]?.(host(run as () => Promise<unknown>), { ...event, messages }, async () => undefined);
    expect(JSON.parse(sent[0]?.stdin ?? '').messages).toEqual([
      {
        role: 'assistant',
        text: '',
        toolUses: [{ tool_use_id: 't', tool: 'Read', input: { file_path: 'a.png' } }],
        handle: 'b',
        more: 1,
      },
      { role: 'user', text: '', toolUses: [], toolResults: [{ tool_use_id: 't', text: '', media: 1 }], handle: 'c' },
      { role: 'user', text: '', toolResults: [{ tool_use_id: 'u', text: 'x', media: 2 }] },
      { role: 'user', text: 'odd', toolUses: 3 },
    ]);
  });

  test('returns what survives otherwise', async () => {
    const answer = await ask(async () => ({ stdout: '{"front":"x","survivors":[{"index":0}]}', exitCode: 0 }));
    expect(answer).toMatchObject({ messages: [{ text: 'x' }, { text: 'Begin.' }] });
  });
});
