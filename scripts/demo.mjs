// The main job on an invented session, with the built command as a user has it. Usage: npm run demo
// Works in a folder of its own that is removed at the end; leaves nothing running and nothing in your home.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const session = join('demo', 'session.jsonl');
const home = mkdtempSync(join(tmpdir(), 'chitta-demo-'));
// Nothing of the user's settings, and nowhere of theirs to write.
const env = { PATH: process.env.PATH, HOME: home, CHITTA_HOME: join(home, 'chitta') };
for (const name of ['NO_COLOR', 'FORCE_COLOR', 'COLORTERM', 'TERM', 'LANG', 'COLUMNS']) {
  if (process.env[name] !== undefined) env[name] = process.env[name];
}

const colour = process.stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
const bold = (text) => (colour ? `\u001b[1m${text}\u001b[22m` : text);
const dim = (text) => (colour ? `\u001b[2m${text}\u001b[22m` : text);
const say = (text = '') => process.stdout.write(`${text}\n`);

function chitta(argv, stdio = ['ignore', 'pipe', 'inherit']) {
  const cli = join(root, 'dist', 'cli.mjs');
  const { status, stdout } = spawnSync(process.execPath, [cli, ...argv], { cwd: root, env, encoding: 'utf8', stdio });
  if (status !== 0) throw new Error(`chitta ${argv.join(' ')} ended with ${status}`);
  return stdout;
}

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
  for (const { index, tokens, action, reason, handle } of decisions) {
    if (action !== 'drop') continue;
    const isAnswer = callsAndAnswers([before[index]])[1].length > 0;
    if (isAnswer && lines.length > 0) {
      lines.at(-1).tokens += tokens;
      lines.at(-1).handles.push(handle);
    } else lines.push({ handles: [handle], tokens, reason, gist: gist(before[index]) });
  }
  return lines.map(({ handles, tokens, reason, gist }) =>
    `  ${handles.join(' ').padEnd(18)}${String(tokens).padStart(6)} tokens  ${reason}  ${gist}`.slice(0, 100),
  );
}

try {
  const lines = readFileSync(join(root, session), 'utf8').trim().split('\n').length;
  say(bold('An agent fixes mails that go out twice: half an hour, files read, tests run, two wishes of its user.'));
  say(dim(`${session}, ${lines} lines as Claude Code writes them. Kept whole, or let go whole:`));
  say(`\n${bold(`$ chitta compact ${session}`)}\n`);
  chitta(['compact', session], ['ignore', 'inherit', 'inherit']);

  const before = JSON.parse(chitta(['transcript', session, '--json']));
  const { messages, decisions } = JSON.parse(chitta(['compact', session, '--json', '--explain']));
  say(`\n${bold('Where the dropped ones went')}: they stand in the transcript, under these handles (call, result).\n`);
  for (const line of whereDroppedWent(before, decisions)) say(line);

  const [calls, answers] = callsAndAnswers(messages);
  const byUuid = new Map(before.map((message) => [message.uuid, message]));
  const same = messages.filter((message) => isDeepStrictEqual(message, byUuid.get(message.uuid))).length;
  const paired = isDeepStrictEqual(calls, answers);
  say(`\n${bold('Checked here, not taken from its word')}`);
  say(
    `  ${same} of ${messages.length} survivors equal their original; ${calls.length} calls, each ${paired ? 'with' : 'WITHOUT'} its result`,
  );
  say(`\n${bold('Next')}  node dist/cli.mjs compact ${session} --ratio 0.15 --explain`);
  say('      node dist/cli.mjs compact ~/.claude/projects/<directory>/<session>.jsonl    (reads, never writes)');
  say('      docs/how-compaction-works.md');
  if (same !== messages.length || !paired) throw new Error('the result breaks a promise, see the line above');
} catch (error) {
  process.stderr.write(`demo failed: ${error.message}\ntry: npm run build, then npm test\n`);
  process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
