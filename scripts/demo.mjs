// The main job on an invented session, with the built command as a user has it: the real model, a daemon and a database of
// its own. Usage: npm run demo
// Works in a folder of its own that is removed at the end; leaves nothing running and nothing in your home.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const session = join('demo', 'session.jsonl');
const QUERY = 'a lease for claimed jobs, so that a crash loses none';
/** What is remembered of this project; its user says both again early in the session, in other words. */
const FACTS = [
  'The public API of Queue (push, handle, start, stop) must not change: people depend on it. No new dependencies. ESM only; Node 20 is the oldest.',
  'Tests run on ManualClock, never on real timers. Each test opens its own database in memory; the whole suite stays below 5 seconds.',
];
/** As the command has it: from here on a memory holds what a turn says; just below a half, it is only similar. */
const COVERED_FROM = 0.75;
const SIMILAR_ONLY = 0.49;
/** A memory gets its vector a moment after it was stored. */
const PATIENCE_MS = 20_000;

// A short name: a socket's path has little room.
const folder = mkdtempSync(join(tmpdir(), 'ch-'));
// Nothing of the user's settings, and nowhere of theirs to write.
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  TMPDIR: folder,
  CHITTA_HOME: join(folder, 'home'),
  CHITTA_RUNTIME_DIR: join(folder, 'run'),
};
for (const name of ['NO_COLOR', 'TERM', 'LANG', 'COLUMNS']) {
  if (process.env[name] !== undefined) env[name] = process.env[name];
}

const isTerminal = process.stdout.isTTY === true;
const colour = isTerminal && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
const bold = (text) => (colour ? `\u001b[1m${text}\u001b[22m` : text);
const dim = (text) => (colour ? `\u001b[2m${text}\u001b[22m` : text);
const say = (text = '') => process.stdout.write(`${text}\n`);
const cut = (text, width = 100) => (text.length > width ? `${text.slice(0, width - 1)}…` : text);

/** Set when the demo should end early; what is running is told. */
let stopped;
let current;
function stop(why) {
  // Once: what runs after that tidies up.
  if (stopped) return;
  stopped = why;
  // A daemon that is being started has to be there before it can be stopped.
  if (current?.argv[1] !== 'start') current?.child.kill();
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal));
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => stop('nobody reads this any more'));

/** Runs the command line to its end. In a group of its own, so that Ctrl-C reaches it only by way of `stop`. */
function run(argv, { input, show = false, mayFail = false } = {}) {
  if (stopped && !mayFail) throw new Error(stopped);
  return new Promise((resolve, reject) => {
    const stdio = [input === undefined ? 'ignore' : 'pipe', show ? 'inherit' : 'pipe', mayFail ? 'ignore' : 'inherit'];
    const cli = join(root, 'dist', 'cli.mjs');
    const child = spawn(process.execPath, [cli, ...argv], { cwd: root, env, stdio, detached: true });
    current = { argv, child };
    let stdout = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stdin?.on('error', () => undefined).end(input);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      current = undefined;
      if (stopped && !mayFail) reject(new Error(stopped));
      else if (code === 0 || mayFail) resolve(stdout);
      else reject(new Error(`chitta ${argv.join(' ')} ended with ${code ?? signal}`));
    });
  });
}

const quoted = (word) => (/^[\w./-]+$/.test(word) ? word : `'${word}'`);
const prompt = (argv, rest = '') => say(bold(`$ chitta ${argv.map(quoted).join(' ')}${rest}`));

/** A step: the command, and what it prints. What has a deadline may be late on a busy machine: then it is tried again. */
async function step(argv, wanted = /./) {
  prompt(argv);
  // On a terminal the command itself sees to colour and width.
  if (isTerminal) return void (await run(argv, { show: true }));
  let text = '';
  for (let tries = 0; tries < 4 && !wanted.test(text); tries += 1) text = await run(argv);
  for (const line of text.trimEnd().split('\n')) say(cut(line));
}

const json = async (argv) => JSON.parse(await run([...argv, '--json']));

/** Ids of tool calls and of their answers, sorted: equal lists mean that no half is alone. */
function callsAndAnswers(messages) {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const ids = (type, key) =>
    blocks
      .filter((block) => block.type === type)
      .map((block) => block[key])
      .toSorted();
  return [ids('tool_use', 'id'), ids('tool_result', 'tool_use_id')];
}

/** What a message is, in a few words. */
function gist({ content }) {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const call = blocks.find(({ type }) => type === 'tool_use');
  if (call)
    return `${call.name} ${(call.input.file_path ?? call.input.command ?? '').replace(/^\/home\/\w+\/src\/\w+\//, '')}`;
  const text = blocks.find(({ type }) => type === 'text');
  return text ? text.text.split('\n', 1)[0] : 'result';
}

/** Dropped messages by what went together: a call with its answer is one line. */
function whereDroppedWent(before, decisions) {
  const lines = [];
  for (const { index, tokens, action, reason, coverage, handle } of decisions) {
    if (action !== 'drop') continue;
    const isAnswer = callsAndAnswers([before[index]])[1].length > 0;
    if (isAnswer && lines.length > 0) {
      lines.at(-1).tokens += tokens;
      lines.at(-1).handles.push(handle);
    } else {
      const why = coverage >= COVERED_FROM ? `${reason} ${coverage.toFixed(2)}` : reason;
      lines.push({ handles: [handle], tokens, why, gist: gist(before[index]) });
    }
  }
  return lines.map(({ handles, tokens, why, gist }) =>
    cut(`  ${handles.join(' ').padEnd(18)}${String(tokens).padStart(6)} tokens  ${why.padEnd(12)}  ${gist}`),
  );
}

/** Why there is no model or no database here; empty if there are. */
async function absence() {
  const { checks } = JSON.parse(await run(['doctor', '--json'], { mayFail: true }));
  const parts = ['better-sqlite3', 'node-llama-cpp'];
  const absent = checks.filter(({ name, state }) => parts.includes(name) && state !== 'ok');
  return absent.map(({ detail }) => detail).join('; ');
}

/** The same compaction until both facts are known to the daemon, or patience is over. */
async function compactionWithMemory(argv) {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const result = await json([...argv, '--explain']);
    const { vectors, covered } = result.stats;
    if ((covered >= FACTS.length && vectors.used === vectors.total) || performance.now() > until) return result;
  }
}

/** Every promise that was shown, looked at again; throws if one is broken. */
function check(promises) {
  say(`\n${bold('Checked here, not taken from its word')}`);
  for (const [holds, text] of promises) say(`  ${holds ? 'yes' : 'NO '}  ${text}`);
  if (promises.some(([holds]) => !holds)) throw new Error('a promise does not hold, see the lines above');
}

function promisesOf(before, messages) {
  const [calls, answers] = callsAndAnswers(messages);
  const byUuid = new Map(before.map((message) => [message.uuid, message]));
  const same = messages.filter((message) => isDeepStrictEqual(message, byUuid.get(message.uuid))).length;
  return [
    [same === messages.length, `${same} of ${messages.length} survivors equal their original`],
    [isDeepStrictEqual(calls, answers), `${calls.length} calls survived, each with its result`],
  ];
}

async function withoutMemory(before) {
  const argv = ['compact', session];
  await step(argv);
  const { messages, decisions } = await json([...argv, '--explain']);
  say(`\n${bold('Where the dropped ones went')}: they stand in the transcript, under these handles (call, result).\n`);
  for (const line of whereDroppedWent(before, decisions)) say(line);
  check(promisesOf(before, messages));
}

async function withMemory(before) {
  const argv = ['compact', session, '--query', QUERY];
  await step(['daemon', 'start']);
  await step(['daemon', 'warm', session]);

  say(`\n${bold('1. Nothing is remembered yet')}: age, role and likeness to the query decide.\n`);
  await step([...argv, '--stats']);
  const plain = await json([...argv, '--explain']);

  say(`\n${bold('2. Two facts are stored')}, as you or the agent would have done some day before.\n`);
  for (const fact of FACTS) await step(['memory', 'add', fact]);

  const { messages, decisions, stats } = await compactionWithMemory(argv);
  say(`\n${bold('3. The same again')}: what the memory covers is cheap to drop, and makes room for other turns.\n`);
  await step(argv, / covered /);
  const covered = decisions.filter(({ action, coverage }) => action === 'drop' && coverage >= COVERED_FROM);
  const stayedBefore = covered.filter(({ index }) => plain.decisions[index].action === 'keep').length;
  const similar = decisions.filter(({ coverage }) => coverage === SIMILAR_ONLY).length;
  say(`\n${bold('Where the dropped ones went')}: into the archive, under these handles (call, result).\n`);
  for (const line of whereDroppedWent(before, decisions)) say(line);
  say(`\n  Dropped because the memory covers them: ${covered.length}; without it ${stayedBefore} of these stayed.`);
  if (similar > 0)
    say(`  Similar is not the same: ${similar} turns are near a memory but say other things or more; at most 0.49.`);

  say(`\n${bold('4. Nothing is lost')}: a turn by its handle, word for word; or by what it was about.\n`);
  const [gone] = covered;
  const shown = gone === undefined ? '' : (await json(['show', gone.handle])).text;
  if (gone !== undefined) await step(['show', gone.handle]);
  say();
  await step(['recall', '--limit', '2', 'which clock in tests'], /^memory /m);

  say(`\n${bold('5. In Claude Code')}: before a compaction its hook tells the summariser what to carry over.\n`);
  const event = { hook_event_name: 'PreCompact', trigger: 'manual', session_id: 'sample', custom_instructions: QUERY };
  prompt(['hook', 'pre-compact'], ' < event.json');
  const guide = await run(['hook', 'pre-compact'], {
    input: JSON.stringify({ ...event, transcript_path: join(root, session) }),
  });
  for (const line of guide.split('\n').slice(0, 5)) say(dim(cut(line)));
  say(dim(`… ${guide.length} characters in all`));
  say();
  await step(['episodes']);
  const { episodes } = await json(['episodes']);
  const { turns } = await json(['memory', 'stats']);

  check([
    ...promisesOf(before, messages),
    [stats.embedding, `vectors decided (${stats.vectors.used} of ${stats.vectors.total} turns have one)`],
    [covered.length > 0 && stayedBefore > 0, `${stats.covered} turns were dropped because the memory covers them`],
    [turns >= stats.dropped, `${stats.dropped} turns were dropped, ${turns} are in the archive`],
    [shown === before[gone?.index]?.content, 'the one that was shown is what was said'],
    [episodes.length === 1 && episodes[0].covered > 0, 'the compaction is in the history'],
  ]);
}

async function endDaemon() {
  try {
    await run(['daemon', 'stop'], { mayFail: true });
    const status = JSON.parse(await run(['daemon', 'status', '--json'], { mayFail: true }));
    if (status.running) process.kill(status.pid);
  } catch (error) {
    process.stderr.write(`demo: the daemon may still run (${error.message}); it ends by itself after half an hour\n`);
  }
}

let hasDaemon = false;
try {
  const lines = readFileSync(join(root, session), 'utf8').trim().split('\n').length;
  say(bold('An agent fixes mails that go out twice: half an hour, files read, tests run, wishes of its user.'));
  say(
    dim(
      `${session}, ${lines} lines as Claude Code writes them. A database and a daemon only for this; both go at the end.`,
    ),
  );
  say();
  const before = await json(['transcript', session]);
  const missing = await absence();
  if (missing === '') {
    hasDaemon = true;
    await withMemory(before);
  } else {
    env.CHITTA_RUNTIME_DIR = '/dev/null';
    say(`Shown without memory and vectors (${missing}); chitta doctor says more.\n`);
    await withoutMemory(before);
  }
  say(`\n${bold('Next')}  node dist/cli.mjs compact ${session} --ratio 0.15 --explain`);
  say('      node dist/cli.mjs compact ~/.claude/projects/<directory>/<session>.jsonl    (reads, never writes to it)');
  say('      docs/how-compaction-works.md');
} catch (error) {
  const isSignal = stopped?.startsWith('SIG');
  process.stderr.write(
    stopped ? `demo: stopped (${stopped})\n` : `demo failed: ${error.message}\ntry: npm run build, then npm test\n`,
  );
  process.exitCode = isSignal ? 130 : stopped ? 0 : 1;
} finally {
  if (hasDaemon) await endDaemon();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
