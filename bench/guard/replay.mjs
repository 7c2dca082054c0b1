// Whole sessions through the guard, request by request, at three windows and in both formats: none malformed, none over the
// window unless what is sent cannot fit by itself. Recorded sessions where there are some beside the project, else invented ones.
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsdown';
import { readTranscript } from '../../dist/index.mjs';
import { builtGuard } from './built.mjs';
import { agentLoop } from './loop.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const recorded = join(root, '..', 'shared', 'corpus');
const WINDOWS = [8_192, 32_768, 200_000];
/** Requests of one session, spread over it: each is the whole session up to there. */
const REQUESTS = 50;

async function builtRules() {
  const outDir = join(root, '.cache', 'bench-guard', 'rules');
  await build({
    config: false,
    cwd: root,
    entry: { rules: 'test/support/api-rules.ts' },
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    fixedExtension: true,
    clean: false,
    dts: false,
    logLevel: 'silent',
  });
  return import(pathToFileURL(join(outDir, 'rules.mjs')).href);
}

const textOf = (content) =>
  typeof content === 'string'
    ? content
    : (content ?? [])
        .map((block) => block.text ?? (block.type === 'image' ? '[image]' : JSON.stringify(block)))
        .join('\n');

/** The same session as OpenAI's chat has it; thinking has no place there. */
function asOpenAi(messages) {
  return messages.flatMap(({ role, content }) => {
    if (typeof content === 'string') return [{ role, content }];
    const rest = content.filter(({ type }) => !/thinking$|tool_use$|tool_result$/.test(type));
    const text = rest.length === 0 ? null : textOf(rest);
    const calls = content
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(input ?? {}) },
      }));
    const results = content
      .filter(({ type }) => type === 'tool_result')
      .map(({ tool_use_id: id, content: inner }) => ({ role: 'tool', tool_call_id: id, content: textOf(inner) }));
    if (calls.length > 0) return [{ role, content: text, tool_calls: calls }];
    return text === null ? results : [...results, { role, content: text }];
  });
}

async function sessions() {
  if (!existsSync(recorded)) {
    return [3, 5, 9].map((seed) => ({ name: `invented ${seed}`, messages: agentLoop({ steps: 120, seed }) }));
  }
  const files = readdirSync(recorded).filter((name) => name.endsWith('.jsonl'));
  return Promise.all(
    files.map(async (name) => {
      const { messages } = await readTranscript(join(recorded, name), { all: true, maxBytes: 1 << 30 });
      return { name: basename(name, '.jsonl'), messages: messages.map(({ role, content }) => ({ role, content })) };
    }),
  );
}

/** Ends of requests: behind what a user or a tool said, where the model would be asked. */
function endsOf(messages) {
  const all = messages.flatMap(({ role }, at) =>
    role !== 'assistant' && (messages[at + 1]?.role ?? 'assistant') === 'assistant' ? [at + 1] : [],
  );
  const step = Math.max(1, all.length / REQUESTS);
  return Array.from(
    { length: Math.min(REQUESTS, all.length) },
    (_, at) => all[all.length - 1 - Math.floor(at * step)],
  ).reverse();
}

export async function run() {
  const [{ shapeRequest, estimateMessageTokens }, { anthropicProblems, openAiProblems }, all] = await Promise.all([
    builtGuard(),
    builtRules(),
    sessions(),
  ]);
  const formats = [
    ['Anthropic', (messages) => messages, anthropicProblems],
    ['OpenAI', asOpenAi, openAiProblems],
  ];
  const rows = [];
  const faults = [];
  const sums = { malformed: 0, over: 0 };
  for (const [format, convert, problemsOf] of formats) {
    for (const window of WINDOWS) {
      const count = { requests: 0, shaped: 0, malformed: 0, over: 0, stuck: 0, lost: {} };
      for (const { name, messages: session } of all) {
        const messages = convert(session);
        let state = { version: 1, messages: {} };
        for (const end of endsOf(messages)) {
          const given = messages.slice(0, end);
          const {
            request,
            report,
            state: next,
          } = shapeRequest({ messages: given }, { window, state, orphans: 'drop' });
          state = next;
          count.requests += 1;
          if (report.stages.length > 0) count.shaped += 1;
          for (const { name: stage, tokens } of report.stages) count.lost[stage] = (count.lost[stage] ?? 0) + tokens;
          // What a transcript says otherwise than a request would is not the guard's to mend.
          const known = new Set(problemsOf(given).map((problem) => problem.replace(/^\S+ /, '')));
          const added = problemsOf(request.messages).filter((problem) => !known.has(problem.replace(/^\S+ /, '')));
          if (added.length > 0) {
            count.malformed += 1;
            faults.push(`${name} at ${end}, ${window}, ${format}: ${added[0]}`);
          }
          const tokens = request.messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
          if (tokens + report.base + report.response <= window) continue;
          if (report.prompt > window - report.headroom - report.response - report.base) count.stuck += 1;
          else {
            count.over += 1;
            faults.push(`${name} at ${end}, ${window}, ${format}: ${report.warning ?? 'over, and nothing said'}`);
          }
        }
      }
      sums.malformed += count.malformed;
      sums.over += count.over;
      const lost = Object.values(count.lost).reduce((sum, tokens) => sum + tokens, 0);
      const part = (stage) => (lost === 0 ? '–' : `${((100 * (count.lost[stage] ?? 0)) / lost).toFixed(0)} %`);
      rows.push([
        `${format}, ${window.toLocaleString('en')}`,
        count.requests.toLocaleString('en'),
        count.shaped.toLocaleString('en'),
        count.malformed,
        count.over,
        count.stuck,
        ...['stub-results', 'shorten-calls', 'snip', 'shorten-tail', 'cap-prompt'].map(part),
      ]);
    }
  }
  for (const fault of faults.slice(0, 20)) process.stderr.write(`${fault}\n`);
  const kind = existsSync(recorded) ? 'recorded' : 'invented';
  return {
    name: 'replay',
    title: `${all.length} ${kind} sessions through the guard`,
    columns: [
      'format, window',
      'requests',
      'shaped',
      'malformed',
      'over',
      'one prompt too large',
      'stub-results',
      'shorten-calls',
      'snip',
      'shorten-tail',
      'cap-prompt',
    ],
    rows,
    notes: [
      `Up to ${REQUESTS} requests of each session, the whole session up to there, with the state carried along. Malformed: refused by the rules of the APIs (test/support/api-rules.ts), and not so before. The last five columns say which stage took what share of the tokens left out.`,
    ],
    targets: [
      { what: 'malformed requests', reach: '0', value: String(sums.malformed), met: sums.malformed === 0 },
      {
        what: 'requests over the window where what is sent could fit',
        reach: '0',
        value: String(sums.over),
        met: sums.over === 0,
      },
    ],
  };
}
