/** The plugin's MCP server, as the host starts it; and as the inspector of the protocol sees it. */
import { symlinkSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, inject, test } from 'vitest';
import { type Host, withEachHost } from './support/hosts.ts';
import type { ModelRequest } from './support/requests.ts';
import { type Rig, setUp } from './support/rig.ts';
import type { Session } from './support/session.ts';

const TOOL = 'mcp__plugin_chitta_chitta__';
const ALLOWED = ['--allowedTools', 'mcp__plugin_chitta_chitta'];
const FACT = 'The staging database listens on port 6543 behind the bastion.';

/** Result blocks of the newest request, by the host's own words. */
function resultsIn(rig: Rig): string {
  const request: ModelRequest | undefined = rig.api.of('main').at(-1);
  const content = request?.messages.flatMap((message) => (Array.isArray(message.content) ? message.content : [])) ?? [];
  return JSON.stringify(content.filter(({ type }) => type === 'tool_result'));
}

function begun(session: Session): { servers: unknown; tools: string[]; errors: unknown } {
  const init = session.events.findLast(({ subtype }) => subtype === 'init') ?? {};
  // Fields of the host's first event.
  const tools = (init['tools'] as string[]).filter((name) => name.startsWith(TOOL));
  return { servers: init['mcp_servers'], tools, errors: init['plugin_errors'] ?? [] };
}

/** The host does not wait for servers: it says at each turn how far they are. */
async function connected(session: Session): Promise<ReturnType<typeof begun>> {
  for (let turns = 0; turns < 20; turns += 1) {
    await session.say('Hello.');
    if (!JSON.stringify(begun(session).servers).includes('pending')) break;
  }
  return begun(session);
}

const CONNECTED = [expect.objectContaining({ name: 'plugin:chitta:chitta', status: 'connected' })];

async function sessionOf(
  host: Host,
  env: Readonly<Record<string, string>> = {},
  plugin: 'full' | 'bare' = 'full',
): Promise<{ rig: Rig; session: Session }> {
  const rig = await setUp(host, { plugin, env });
  const session = rig.open({ args: ALLOWED });
  return { rig, session };
}

withEachHost((host) => {
  test('the model calls a tool, and reads what another session remembered', async () => {
    const { rig, session } = await sessionOf(host);
    await rig.chitta('memory', 'add', FACT);
    expect(await connected(session)).toMatchObject({
      servers: CONNECTED,
      tools: expect.arrayContaining([`${TOOL}recall`]),
      errors: [],
    });
    rig.api.reply('main', { calls: [{ name: `${TOOL}recall`, input: { query: 'staging port' } }] });
    await session.say('Go on.');
    expect(resultsIn(rig)).toContain(FACT);
    rig.api.reply('main', { calls: [{ name: `${TOOL}remember`, input: { text: 'The bastion is called Horatius.' } }] });
    await session.say('Keep that.');
    expect((await rig.chitta('recall', 'bastion', 'called')).stdout).toContain('Horatius');
    expect((await rig.chitta('memory', 'list', '--json')).stdout).toContain(`"session":"${session.id}"`);
    rig.api.reply('main', { calls: [{ name: `${TOOL}show`, input: {} }] });
    await session.say('And that?');
    expect(resultsIn(rig)).toMatch(/E_PARAM_INVALID/);
    expect(await session.end()).toBe(0);
    // The server ends with the session.
    await expect.poll(() => rig.servers(), { timeout: 10_000 }).toEqual([]);
    expect(rig.complaints()).toEqual([]);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['switched off', { CHITTA_DISABLE: '1' }],
    ['within a session that chitta started', { CHITTA_CHILD: '1' }],
  ])('%s, the host has no tool of it, and no error', async (_, env) => {
    const { session } = await sessionOf(host, env);
    expect(await connected(session)).toEqual({ servers: CONNECTED, tools: [], errors: [] });
  });

  test('without native packages the tools say what is missing, and the session goes on', async () => {
    const { rig, session } = await sessionOf(host, {}, 'bare');
    expect(await connected(session)).toMatchObject({ servers: CONNECTED, errors: [] });
    rig.api.reply('main', { calls: [{ name: `${TOOL}recall`, input: { query: 'port' } }] });
    expect(await session.say('Go on.')).toMatchObject({ isError: false });
    expect(resultsIn(rig)).toContain('E_STORE_UNAVAILABLE');
  });

  test('without node on the PATH there is no tool, and no error', async () => {
    const rig = await setUp(host, { plugin: 'bare' });
    const tools = join(rig.folder, 'tools');
    mkdirSync(tools);
    for (const name of ['sh', 'bash', 'cat', 'uname', 'env']) symlinkSync(join('/bin', name), join(tools, name));
    const session = rig.open({ args: ALLOWED, env: { PATH: tools } });
    expect(await connected(session)).toEqual({ servers: CONNECTED, tools: [], errors: [] });
  });
});

const inspector = process.env['CHITTA_E2E_INSPECTOR'] ?? '';
const why =
  inspector === '' ? ` (skipped: ${process.env['CHITTA_E2E_INSPECTOR_MISSING'] ?? 'start with npm run test:e2e'})` : '';

describe.skipIf(inspector === '')(`the inspector of the protocol${why}`, () => {
  test('lists the tools, calls one, lists and reads resources', async () => {
    const rig = await setUp({ version: '', path: '', isNewest: true }, { plugin: 'full' });
    const env = { ...rig.env, PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter) };
    const ask = async (...argv: string[]): Promise<Record<string, unknown>> => {
      const server = [process.execPath, join(inject('plugin'), 'dist', 'cli.mjs'), 'mcp'];
      const all = [inspector, '--cli', ...server, '--method', ...argv];
      const { stdout } = await execa(process.execPath, all, { cwd: rig.project, env, extendEnv: false });
      // What it prints is the result of the method.
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    expect(await ask('tools/list')).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: 'show' })]),
    });
    await ask('tools/call', '--tool-name', 'remember', '--tool-arg', `text=${FACT}`);
    const recalled = await ask('tools/call', '--tool-name', 'recall', '--tool-arg', 'query=staging');
    expect(recalled).toMatchObject({ structuredContent: { found: [{ text: FACT }] } });
    expect(await ask('resources/list')).toEqual({ resources: [] });
    expect(await ask('resources/templates/list')).toMatchObject({ resourceTemplates: [{}, {}] });
  });
});
