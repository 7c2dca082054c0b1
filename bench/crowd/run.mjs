// A hundred hooks at once, with the daemon up: whether all answer, and what that takes against one after the other. And what each
// kind of process holds at most.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { conversation, transcript } from '../data.mjs';
import { formatMs, formatRatio, median } from '../measure.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cli = join(root, 'dist/cli.mjs');
const BARE = [process.execPath, '-e', '0'];
const CROWD = 100;
const ALONE = 7;
/** Says at the very end how much memory the process held at most. */
const PEAK = `data:text/javascript,${encodeURIComponent(
  "import { readFileSync, writeSync } from 'node:fs'; process.on('exit', () => writeSync(2, '\\nPEAK ' + /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1] + '\\n'));",
)}`;

/** What the host starts for an event: the plugin's own file says it. */
function commandOf(event) {
  const { hooks } = JSON.parse(readFileSync(join(root, 'hooks/hooks.json'), 'utf8'));
  const [{ command, args }] = hooks[event][0].hooks;
  return [command, ...args.map((argument) => argument.replace('${CLAUDE_PLUGIN_ROOT}', root))];
}

/** One process from start to end. */
function timed([program, ...args], { input = '', env }) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ms: performance.now() - startedAt, ...output }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

async function alone(argv, options) {
  const times = [];
  for (let round = 0; round < ALONE; round++) times.push((await timed(argv, options)).ms);
  return median(times);
}

async function crowd(argv, optionsOf) {
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: CROWD }, (_, at) => timed(argv, optionsOf(at))));
  const failed = answers.filter(({ code, stderr }) => code !== 0 || stderr !== '').length;
  return { ms: performance.now() - startedAt, failed, spoke: answers.filter(({ stdout }) => stdout !== '').length };
}

function megabytes(kilobytes) {
  return `${Math.round(kilobytes / 1024)} MB`;
}

/** What the operating system says a process held at most; Linux only. */
async function peaks(commands, env) {
  if (process.platform !== 'linux') return [];
  const rows = [];
  for (const { name, argv, input } of commands) {
    const { stderr } = await timed(argv, { input, env: { ...env, NODE_OPTIONS: `--import=${PEAK}` } });
    rows.push([`peak memory: ${name}`, '', megabytes(Number(/PEAK (\d+)/.exec(stderr)?.[1])), '', '']);
  }
  return rows;
}

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'chitta-bench-crowd-'));
  const env = {
    ...process.env,
    CHITTA_HOME: join(folder, 'home'),
    CHITTA_RUNTIME_DIR: join(folder, 'run'),
    NO_COLOR: '1',
    // The launcher takes the first node that it finds.
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  };
  try {
    const path = join(folder, 'session.jsonl');
    writeFileSync(path, transcript(conversation({ count: 500, tokens: 100_000 })));
    const inputOf = (event, session, more) =>
      JSON.stringify({
        session_id: `00000000-0000-4000-9000-${String(session).padStart(12, '0')}`,
        transcript_path: path,
        cwd: folder,
        hook_event_name: event,
        ...more,
      });
    const compact = (at) => ({ env, input: inputOf('PreCompact', at, { trigger: 'auto', custom_instructions: '' }) });
    const prompt = (at) => ({ env, input: inputOf('UserPromptSubmit', at, { prompt: 'and now the header, please' }) });
    execFileSync(process.execPath, [cli, 'daemon', 'warm', path], { env, stdio: 'ignore' });
    const bare = await alone(BARE, { env });
    const bareCrowd = await crowd(BARE, () => ({ env }));
    const cases = [];
    for (const [name, argv, optionsOf, speaks] of [
      ['chitta hook pre-compact', commandOf('PreCompact'), compact, true],
      ['chitta hook user-prompt-submit', commandOf('UserPromptSubmit'), prompt, false],
    ]) {
      const one = await alone(argv, optionsOf(0));
      cases.push({ name, speaks, one, many: await crowd(argv, optionsOf) });
    }
    const { pid } = JSON.parse(
      execFileSync(process.execPath, [cli, 'daemon', 'status', '--json'], { env, encoding: 'utf8' }),
    );
    const daemonKb =
      process.platform === 'linux'
        ? Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
        : 0;
    const memory = await peaks(
      [
        { name: 'node -e 0', argv: BARE },
        { name: 'chitta hook user-prompt-submit', argv: commandOf('UserPromptSubmit'), input: prompt(0).input },
        { name: 'chitta hook pre-compact, 100k tokens', argv: commandOf('PreCompact'), input: compact(0).input },
        { name: 'chitta compact, 100k tokens', argv: [process.execPath, cli, 'compact', path, '--json'] },
      ],
      env,
    );
    const failed = cases.reduce((sum, { many }) => sum + many.failed, 0);
    const answered = cases.filter(({ speaks }) => speaks).map(({ name, many }) => `${name}: ${many.spoke}`);
    const row = (name, one, many) => [
      name,
      formatMs(one),
      formatMs(many),
      formatRatio(many / one),
      formatRatio(many / bareCrowd.ms),
    ];
    return {
      name: 'crowd',
      title: `${CROWD} hooks at once, and the memory of each process`,
      columns: [
        'what',
        'one',
        `${CROWD} at once`,
        `${CROWD} at once against one`,
        `against ${CROWD} × node -e 0 at once`,
      ],
      rows: [
        row('node -e 0', bare, bareCrowd.ms),
        ...cases.map(({ name, one, many }) => row(name, one, many.ms)),
        ...memory,
        ...(daemonKb > 0 ? [['peak memory: the daemon, after all that', '', megabytes(daemonKb), '', '']] : []),
      ],
      notes: [
        `Hooks as hooks/hooks.json has the host start them, by sh and bin/chitta. ${availableParallelism()} processors; every session has an id of its own, the transcript is the same.`,
        `Of ${CROWD} at once so many had an answer within their own deadline (${answered.join(', ')}); the others ended with none, as they are to.`,
      ],
      targets: [
        { what: `hooks of ${2 * CROWD} at once that failed`, reach: '0', value: String(failed), met: failed === 0 },
      ],
    };
  } finally {
    spawnSync(process.execPath, [cli, 'daemon', 'stop'], { env, stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  }
}
