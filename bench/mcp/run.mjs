// What the MCP server costs: the words it puts into each request of a host that gives the model every description, the time until it
// has answered, and the memory of a process that stays for the length of a session.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { estimateTokens } from '../../dist/index.mjs';
import { formatMs, formatRatio, median } from '../measure.mjs';

const launcher = fileURLToPath(new URL('../../bin/chitta', import.meta.url));
const ROUNDS = 9;
/** How Claude Code calls the tools of a plugin's server. */
const PREFIX = 'mcp__plugin_chitta_chitta__';

/** Memory in MB that no other process shares, and all of it; nothing where the system does not tell. */
function memoryOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const of = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024;
    return { own: of('Private_Clean') + of('Private_Dirty'), all: of('Rss') };
  } catch {
    return undefined;
  }
}

/** A server as the plugin starts it, and what to ask it. */
function start(home) {
  const env = { ...process.env, CHITTA_HOME: join(home, 'chitta'), CHITTA_RUNTIME_DIR: '/dev/null' };
  const child = spawn('sh', [launcher, 'mcp'], { cwd: home, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line);
    waiting.get(id)?.(result);
  });
  const ask = (method, params = {}) =>
    new Promise((resolve) => {
      const id = waiting.size + 1;
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  return { child, ask, ended: new Promise((resolve) => child.on('exit', resolve)) };
}

async function serve(home) {
  const startedAt = performance.now();
  const { child, ask, ended } = start(home);
  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '0' },
  });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const { tools } = await ask('tools/list');
  const tookMs = performance.now() - startedAt;
  const idle = memoryOf(child.pid);
  await ask('tools/call', { name: 'remember', arguments: { text: 'the dev server listens on port 5173' } });
  await ask('tools/call', { name: 'recall', arguments: { query: 'which port' } });
  const used = memoryOf(child.pid);
  child.stdin.end();
  await ended;
  return { tools, tookMs, idle, used };
}

/** Node with nothing to do, for as long as its input stays open. */
async function bare() {
  const startedAt = performance.now();
  const script = 'process.stdin.resume(); process.stdout.write("x")';
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const tookMs = performance.now() - startedAt;
  const idle = memoryOf(child.pid);
  child.stdin.end();
  await ended;
  return { tookMs, idle };
}

const megabytes = (values) => (values.includes(undefined) ? '–' : `${median(values).toFixed(1)} MB`);

export async function run() {
  const home = mkdtempSync(join(tmpdir(), 'chitta-bench-'));
  const servers = [];
  const nodes = [];
  try {
    for (let round = -1; round < ROUNDS; round++) {
      const [server, node] = [await serve(home), await bare()];
      if (round < 0) continue;
      servers.push(server);
      nodes.push(node);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  const requested = servers[0].tools.map(({ name, description, inputSchema }) =>
    JSON.stringify({ name: `${PREFIX}${name}`, description, input_schema: inputSchema }),
  );
  const characters = requested.reduce((sum, text) => sum + text.length, 0);
  const tokens = requested.reduce((sum, text) => sum + estimateTokens(text), 0);
  const row = (name, runs, part) => [
    name,
    megabytes(runs.map((one) => one[part]?.own)),
    megabytes(runs.map((one) => one[part]?.all)),
  ];
  const [ours, theirs] = [servers, nodes].map((runs) => median(runs.map(({ tookMs }) => tookMs)));
  return {
    name: 'mcp',
    title: 'what the MCP server costs',
    columns: ['process', 'memory of its own', 'resident, shared pages too'],
    rows: [
      row('node that does nothing', nodes, 'idle'),
      row('chitta mcp, tools listed', servers, 'idle'),
      row('chitta mcp, after two calls', servers, 'used'),
    ],
    notes: [
      `Names, descriptions and parameters of ${requested.length} tools: ${characters.toLocaleString('en')} characters, about ${tokens.toLocaleString('en')} tokens, in each request where the host gives all of them to the model.`,
      `From start to the list of tools: ${formatMs(ours)}, ${formatRatio(ours / theirs)} a Node process that says one letter (${formatMs(theirs)}).`,
    ],
    targets: [
      {
        what: 'characters of tools in a request',
        reach: '≤ 5,200',
        value: String(characters),
        met: characters <= 5_200,
      },
    ],
  };
}
