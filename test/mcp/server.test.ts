import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { mcpRig, MS, type McpRig, serverOverPipes } from './rig.ts';

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const messages = [
  { role: 'user', content: 'Please fix the date parser.' },
  { role: 'assistant', content: 'It is fixed.' },
];

function turn(project: string, n: number, text: string, session = 's1') {
  const handle = `#aaaaaa${'abcdefghijklmnopqrstuvwxyz234567'[n % 32]}`;
  return { handle, session, project, uuid: `u${n}`, role: 'assistant', text, tokens: 10 };
}

async function withTurns(rig: McpRig, ...texts: string[]): Promise<void> {
  await rig.memory.archive(
    texts.map((text, n) => turn(rig.project, n, text)),
    MS,
  );
}

describe('what is offered', () => {
  test('ten tools, with a schema that knows every parameter and hints about what a call does', async () => {
    const { client } = await mcpRig();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'compact_context',
      'recall',
      'search',
      'show',
      'remember',
      'forget',
      'directives',
      'hot_context',
      'episodes',
      'why',
    ]);
    for (const { name, inputSchema, description, annotations } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      const untyped = Object.values(inputSchema.properties ?? {}).filter((schema) => !Object.hasOwn(schema, 'type'));
      expect(untyped).toEqual([]);
      expect(description?.length).toBeLessThan(260);
      expect(annotations).toMatchObject({ openWorldHint: name === 'show' });
    }
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint === true);
    expect(destructive.map(({ name }) => name)).toEqual(['forget']);
  });

  test('who it is, and in a few words what it is for', async () => {
    const { client } = await mcpRig();
    expect(client.getServerVersion()).toEqual({ name: 'chitta', version: '1.2.3' });
    expect(client.getInstructions()?.length).toBeLessThan(400);
  });

  test.each([
    ['CHITTA_DISABLE', { CHITTA_DISABLE: '1' }, ''],
    ['the project', {}, '{"disabled": true}'],
    ['the setting mcp', {}, '{"mcp": false}'],
    ['the option of the plugin', { CLAUDE_PLUGIN_DATA: '/x/chitta-y', CLAUDE_PLUGIN_OPTION_MCP: 'false' }, ''],
  ])('nothing where %s switches it off, and a call says so', async (_, env, config) => {
    const rig = await mcpRig({ env });
    if (config !== '') writeFileSync(join(rig.project, '.chitta.json'), config);
    expect((await rig.client.listTools()).tools).toEqual([]);
    expect((await rig.client.listResources()).resources).toEqual([]);
    expect((await rig.client.listResourceTemplates()).resourceTemplates).toEqual([]);
    const { isError, text } = await rig.call('recall', { query: 'x' });
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/^chitta: .*switched off.*\[E_SWITCHED_OFF\]\ntry: .+$/),
    ]);
    await expect(rig.client.readResource({ uri: 'chitta://episode/1' })).rejects.toThrow('switched off');
  });
});

describe('tools', () => {
  test('what is remembered is recalled, shown and forgotten; secrets are masked', async () => {
    const rig = await mcpRig({ session: 'the-session' });
    const kept = await rig.call('remember', { text: `the staging server listens on port 6543, token ${SECRET}` });
    expect(kept.data).toMatchObject({
      added: true,
      origin: 'model',
      session: 'the-session',
      kind: 'fact',
      project: rig.project,
    });
    expect(kept.text).toBe(JSON.stringify(kept.data));
    const id = kept.data['id'];
    const { data, text } = await rig.call('recall', { query: 'which port is staging on' });
    expect(data).toMatchObject({ found: [{ type: 'memory', id }], embedding: false });
    expect(text).not.toContain(SECRET);
    expect(await rig.memory.memoriesById([Number(id)], MS)).toMatchObject([{ uses: 1 }]);
    expect((await rig.call('show', { memory: id })).data).toMatchObject({ id, text: expect.stringContaining('6543') });
    expect((await rig.call('forget', { id })).data).toMatchObject({ id, forgotten: true });
    expect((await rig.call('recall', { query: 'which port is staging on' })).data).toMatchObject({ found: [] });
    expect(await rig.call('forget', { id })).toMatchObject({ isError: true, data: { error: { code: 'E_NOT_FOUND' } } });
  });

  test('past turns are found by their words, with the lines around them, and shown by handle', async () => {
    const rig = await mcpRig();
    const filler = Array.from({ length: 200 }, (_, n) => `line ${n}`).join('\n');
    await withTurns(rig, 'Nothing to see.', `${filler}\nthe flux capacitor is set to 88\n${filler}`);
    const { data } = await rig.call('search', { query: 'flux capacitor' });
    expect(data).toEqual({
      turns: [expect.objectContaining({ handle: '#aaaaaab', total_lines: 401, lines: ['198-204'], session: 's1' })],
    });
    expect((await rig.call('search', { query: 'flux', session: 'another' })).data).toEqual({ turns: [] });
    const shown = await rig.call('show', { handle: 'aaaaaab', lines: '201-201', context: 1 });
    expect(shown.data).toMatchObject({
      text: 'the flux capacitor is set to 88',
      source: 'archive',
      before: [{ text: 'Nothing to see.' }],
    });
  });

  test('a turn that is too long is cut where a line ends, and says how to go on', async () => {
    const rig = await mcpRig();
    const lines = Array.from({ length: 9_000 }, (_, n) => `this is line ${n + 1}`);
    await withTurns(rig, lines.join('\n'));
    const first = (await rig.call('show', { handle: '#aaaaaaa' })).data;
    expect(String(first['text']).length).toBeLessThanOrEqual(40_000);
    let [text, next] = [String(first['text']), first['next_lines']];
    for (let calls = 0; next !== undefined && calls < 20; calls += 1) {
      const { data } = await rig.call('show', { handle: '#aaaaaaa', lines: next });
      text += `\n${String(data['text'])}`;
      next = data['next_lines'];
    }
    expect(text).toBe(lines.join('\n'));
  });

  test('hits are cut, so that many long turns do not fill a context', async () => {
    const rig = await mcpRig();
    await withTurns(rig, ...Array.from({ length: 20 }, (_, n) => `needle ${n} ${'x'.repeat(50_000)}`));
    const { text, data } = await rig.call('recall', { query: 'needle', limit: 20 });
    expect(data).toMatchObject({
      found: expect.arrayContaining([expect.objectContaining({ cut_chars: expect.any(Number) })]),
    });
    expect(text.length).toBeLessThan(40_000);
  });

  test('what a transcript says is masked on its way out', async () => {
    const rig = await mcpRig({
      more: {
        findInTranscript: () => async (handle) => ({
          turn: { handle, session: undefined, role: 'user', text: `use ${SECRET} for now`, tokens: 9 },
          before: [],
          after: [],
        }),
      },
    });
    const { text } = await rig.call('show', { handle: '#aaaaaaa' });
    expect(text).toContain('[masked:github-token]');
    expect(text).not.toContain(SECRET);
    const { contents } = await rig.client.readResource({ uri: 'chitta://turn/aaaaaaa' });
    expect(JSON.stringify(contents)).not.toContain(SECRET);
  });

  test('directives are listed and revoked; what the model adds is proposed, and not in force', async () => {
    const rig = await mcpRig();
    const text = 'never change the public API';
    const directive = {
      text,
      status: 'accepted',
      replaces: undefined,
      project: rig.project,
      session: undefined,
    } as const;
    const { id } = await rig.memory.addDirective({ ...directive, who: 'person' }, MS);
    expect((await rig.call('hot_context', { focus: 'the parser' })).data['text']).toContain(text);
    const added = await rig.call('directives', { action: 'add', text: 'ask before you commit' });
    expect(added.data).toMatchObject({ added: true, active: false, status: 'proposed', who: 'model' });
    expect((await rig.call('directives')).data).toMatchObject({
      directives: [{ id, active: true }],
      proposed: [{ text: 'ask before you commit' }],
    });
    await rig.call('directives', { action: 'revoke', id });
    expect((await rig.call('directives')).data).toMatchObject({ directives: [] });
    expect((await rig.call('directives', { all: true })).data).toMatchObject({ directives: [{}, {}, {}] });
  });

  test('compactions are listed and explained; where there is none, that is said', async () => {
    const rig = await mcpRig();
    expect(await rig.call('why')).toMatchObject({ isError: true, data: { error: { code: 'E_NOT_FOUND' } } });
    expect((await rig.call('episodes')).data).toEqual({ episodes: [] });
    await rig.memory.recordEpisode(episode(rig.project, 1), MS);
    expect((await rig.call('episodes')).data).toMatchObject({ episodes: [{ before_tokens: 48_200, session: 's1' }] });
    expect((await rig.call('why')).data).toMatchObject({ decisions: null, after_tokens: 18_600 });
  });

  test('survivors of compact_context come back as they were, secrets too: they are the caller’s own', async () => {
    const rig = await mcpRig();
    const secret = { role: 'user', content: `the token is ${SECRET}`, more: 1 };
    const { data } = await rig.call('compact_context', { messages: [...messages, secret], target_ratio: 1 });
    expect(data).toMatchObject({ messages: [...messages, secret], stats: { dropped: 0 } });
  });

  test.each([
    ['recall', {}, 'query'],
    ['recall', { query: 'x', limit: 1_000 }, 'limit'],
    ['recall', { query: 'x'.repeat(3_000) }, 'query'],
    ['recall', { query: 'x', nope: 1 }, 'nope'],
    ['show', {}, 'handle'],
    ['show', { handle: '#aaaaaaa', memory: 1 }, 'handle'],
    ['show', { handle: 'no handle' }, 'handle'],
    ['show', { handle: '#aaaaaaa', lines: '9-1' }, 'lines'],
    ['remember', { text: ' ' }, 'text'],
    ['remember', { text: 'x'.repeat(9_000) }, 'text'],
    ['remember', { text: 'x', kind: 'episode' }, 'kind'],
    ['directives', { action: 'add' }, 'text'],
    ['directives', { action: 'revoke' }, 'id'],
    ['compact_context', {}, 'messages'],
    ['compact_context', { messages: [null] }, 'messages[0]'],
  ])(
    '%s with %o is an error of the tool: a line that says what, and one that says what to do',
    async (name, args, field) => {
      const rig = await mcpRig();
      const { isError, text, data } = await rig.call(name, args);
      expect(isError).toBe(true);
      expect(text).toMatch(/^chitta: .+ {3}\[E_(?:PARAM|MESSAGE)_INVALID\]\ntry: .+$/);
      expect(data).toMatchObject({ error: { field, message: expect.any(String), hint: expect.any(String) } });
    },
  );

  test('a tool that is not there is an error of the protocol', async () => {
    const rig = await mcpRig();
    await expect(rig.call('constructor')).rejects.toThrow('there is no tool constructor');
  });

  test('what is no call at all is answered in one line that names the field, by the code for it', async () => {
    const rig = await serverOverPipes();
    for (const [params, field] of [
      [undefined, 'params'],
      [{ name: 7 }, 'params.name'],
      [{ name: 'recall', arguments: [1] }, 'params.arguments'],
    ] as const) {
      const { error } = await rig.ask({ method: 'tools/call', params });
      expect(error).toEqual({ code: -32_602, message: expect.stringMatching(new RegExp(`^${field}: [^\\n]+$`)) });
    }
    expect(await rig.ask({ method: 'resources/read', params: {} })).toMatchObject({ error: { code: -32_602 } });
    rig.tell({ method: 'notifications/cancelled', params: { requestId: {} } });
    expect(await rig.ask({ method: 'ping' })).toMatchObject({ result: {} });
    expect(rig.notes).toEqual([expect.stringMatching(/^chitta: mcp: [^\n]{1,300}$/)]);
  });

  test('an error that nobody thought of is one of the tool, in one line and masked', async () => {
    const broken = new Error(`cannot\nopen it with ${SECRET}`);
    const rig = await mcpRig({ more: { withMemory: () => Promise.reject(broken) } });
    const { isError, text } = await rig.call('episodes');
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/^chitta: cannot open it with .+\[E_INTERNAL\]\ntry: .+$/),
    ]);
    expect(text).not.toContain(SECRET);
  });
});

describe('a private session', () => {
  const env = { CHITTA_PRIVATE: '1' };

  test('reads, and stores nothing, whatever is asked', async () => {
    const rig = await mcpRig({ env });
    await rig.memory.remember(
      {
        text: 'the port is 8080',
        kind: 'fact',
        project: rig.project,
        session: undefined,
        origin: 'person',
        sourceIds: [],
      },
      MS,
    );
    const calls: [string, Record<string, unknown>][] = [
      ['remember', { text: 'the port is 9090' }],
      ['directives', { action: 'add', text: 'never do that' }],
    ];
    for (const [name, args] of calls) {
      expect(await rig.call(name, args)).toMatchObject({ isError: true, data: { error: { code: 'E_SWITCHED_OFF' } } });
    }
    await rig.call('compact_context', { messages, budget_tokens: 1 });
    expect((await rig.call('recall', { query: 'port' })).data).toMatchObject({ found: [{ text: 'the port is 8080' }] });
    expect((await rig.memory.memoriesById([1], MS))[0]?.uses).toBeUndefined();
    expect(await rig.memory.stats(MS)).toMatchObject({ memories: { active: 1 }, turns: 0, episodes: 0 });
    expect(await rig.memory.directives(rig.project, MS)).toEqual([]);
  });

  test('a compaction of a session that is not archives what it drops', async () => {
    const rig = await mcpRig();
    await rig.call('compact_context', {
      messages: [...messages, { role: 'user', content: 'And now?' }],
      budget_tokens: 1,
    });
    expect(await rig.memory.stats(MS)).toMatchObject({ turns: 2 });
  });
});

function episode(project: string, n: number) {
  return {
    session: 's1',
    project,
    lastUuid: `u${n}`,
    state: 'done' as const,
    trigger: 'auto',
    strategy: 'need',
    beforeTokens: 48_200,
    afterTokens: 18_600,
    dropped: 41,
    embedding: false,
    tookMs: 84,
  };
}

describe('resources', () => {
  test('compactions, then turns, page by page, each once, and not more than a list is good for', async () => {
    const rig = await mcpRig();
    await rig.memory.recordEpisode(episode(rig.project, 1), MS);
    await rig.memory.archive(
      Array.from({ length: 260 }, (_, n) => ({ ...turn(rig.project, n, `turn ${n}\nmore`), handle: handleOf(n) })),
      MS,
    );
    await rig.memory.archive([turn('/another/project', 1, 'not ours')], MS);
    const uris: string[] = [];
    const pages: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await rig.client.listResources(cursor === undefined ? {} : { cursor });
      uris.push(...page.resources.map(({ uri }) => uri));
      pages.push(page.resources.length);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(pages).toEqual([1, 50, 50, 50, 50]);
    expect(new Set(uris).size).toBe(201);
    expect(uris.slice(0, 2)).toEqual(['chitta://episode/1', `chitta://turn/${handleOf(259).slice(1)}`]);
  });

  test('are read by their address, as the templates say', async () => {
    const rig = await mcpRig();
    await withTurns(rig, 'The whole\nof it.');
    await rig.memory.recordEpisode(episode(rig.project, 1), MS);
    const { resourceTemplates } = await rig.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'chitta://turn/{handle}',
      'chitta://episode/{id}',
    ]);
    const { resources } = await rig.client.listResources();
    const read = async (uri: string): Promise<unknown> => (await rig.client.readResource({ uri })).contents;
    expect(await read('chitta://turn/aaaaaaa')).toEqual([
      { uri: 'chitta://turn/aaaaaaa', mimeType: 'text/plain', text: 'The whole\nof it.' },
    ]);
    expect(JSON.stringify(await read(resources[0]?.uri ?? ''))).toContain('48200');
  });

  test.each([
    ['a turn that is nowhere', 'chitta://turn/bbbbbbb', -32_002],
    ['a compaction that is not', 'chitta://episode/99', -32_002],
    ['another address', 'file:///etc/passwd', -32_002],
    ['a way out', 'chitta://turn/../../etc', -32_002],
  ])('%s is an error that says so', async (_, uri, code) => {
    const rig = await mcpRig();
    await expect(rig.client.readResource({ uri })).rejects.toMatchObject({ code });
  });

  test('a cursor that is none of ours is an error', async () => {
    const rig = await mcpRig();
    await expect(rig.client.listResources({ cursor: 'turns:1' })).rejects.toMatchObject({ code: -32_602 });
  });
});

function handleOf(n: number): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  return `#bbbbb${letters[Math.floor(n / 26)]}${letters[n % 26]}`;
}

describe('the folder that is worked in', () => {
  test('is the first root of a client that has any', async () => {
    const rig = await mcpRig({
      folder: () => undefined,
      client: { capabilities: { roots: {} } },
      prepare: (client, project) => {
        client.setRequestHandler(ListRootsRequestSchema, () => ({
          roots: [{ uri: pathToFileURL(project).href }],
        }));
      },
    });
    expect((await rig.call('remember', { text: 'a fact' })).data).toMatchObject({ project: rig.project });
  });

  test.each(['file://another.host/share', 'file:///tmp/%00x', 'file:///tmp/%zz'])(
    'is no root such as %s',
    async (uri) => {
      const rig = await mcpRig({
        folder: () => undefined,
        client: { capabilities: { roots: {} } },
        prepare: (client, project) => {
          const roots = [{ uri }, { uri: pathToFileURL(project).href }];
          client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
        },
      });
      expect((await rig.call('remember', { text: 'a fact' })).data).toMatchObject({ project: rig.project });
    },
  );

  test('is where the server was started for a client that has none', async () => {
    const rig = await mcpRig({ folder: () => undefined });
    expect((await rig.call('remember', { text: 'a fact' })).data).toMatchObject({ project: rig.root });
  });
});

test('a call that is cancelled while it waits in line is never begun, and the others are answered', async () => {
  let begun = 0;
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const rig = await mcpRig({
    more: {
      withMemory: async () => {
        begun += 1;
        await gate;
        throw new Error('none here');
      },
    },
  });
  const working = [1, 2, 3, 4].map(() => rig.call('episodes'));
  const stop = new AbortController();
  const waiting = rig.client.callTool({ name: 'episodes', arguments: {} }, undefined, { signal: stop.signal });
  await expect.poll(() => begun).toBe(4);
  stop.abort('no longer wanted');
  await expect(waiting).rejects.toThrow('no longer wanted');
  open();
  expect(await Promise.all(working)).toHaveLength(4);
  expect(await rig.call('episodes')).toMatchObject({ isError: true });
  expect(begun).toBe(5);
});
