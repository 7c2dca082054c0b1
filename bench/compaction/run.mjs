// Compaction in process, as the library runs it, and on the command line: how long, how it grows, and how much memory it takes.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { transcript } from '../data.mjs';
import { formatMs, formatRatio, median, timeProcesses } from '../measure.mjs';
import { sessionText } from './sessions.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.mjs', import.meta.url));
const peak = fileURLToPath(new URL('peak.mjs', import.meta.url));

/** Tokens, and how many rounds: the large ones need fewer to be steady. The first rounds of all are not counted: the compiler is at work. */
const SIZES = [
  [100_000, 25],
  [1_000_000, 7],
  [2_000_000, 5],
];
const WARMUPS = 8;
const RULES = [
  { strategy: 'need', detail: 'excerpt' },
  { strategy: 'need', detail: 'whole' },
  { strategy: 'formula', detail: 'whole' },
];
const REACH_MS = { need: 60, formula: 30 };
const REACH_RATIO = 2.5;
const REACH_MEGABYTES = 200;
/** Twenty times the tokens may take so many times as long. */
const REACH_GROWTH = 25;

const nameOf = ({ strategy, detail }) => (strategy === 'formula' ? strategy : `${strategy}, ${detail}`);

/** The strategies in turns on one conversation: medians, and the first call of each. */
async function timeRules(compactContext, tokens, rounds, warmups) {
  const source = sessionText(tokens);
  const took = RULES.map(() => []);
  let stats = [];
  for (let round = -warmups; round < rounds; round++) {
    stats = [];
    for (const [at, rule] of RULES.entries()) {
      // New objects each time: what chitta has read of a message it may remember by the object.
      const messages = JSON.parse(source);
      const startedAt = performance.now();
      stats.push((await compactContext({ messages, ...rule })).stats);
      took[at].push(performance.now() - startedAt);
    }
  }
  return RULES.map((rule, at) => ({
    rule,
    tokens,
    firstMs: took[at][0],
    ms: median(took[at].slice(warmups)),
    stats: stats[at],
  }));
}

/** Megabytes at most, in a process of its own; `none` only holds the conversation. */
function peakOf(tokens, { strategy, detail = '' }) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [peak, String(tokens), strategy, detail], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}

/** The command line against a Node that does nothing. */
function timeCommands() {
  const folder = mkdtempSync(join(tmpdir(), 'chitta-bench-'));
  try {
    const file = join(folder, 'session.jsonl');
    writeFileSync(file, transcript(JSON.parse(sessionText(SIZES[0][0]))));
    const env = { ...process.env, CHITTA_HOME: join(folder, 'chitta'), CHITTA_RUNTIME_DIR: '/dev/null', NO_COLOR: '1' };
    const rules = RULES.map((rule) => ({
      name: nameOf(rule),
      argv: [cli, 'compact', file, '--json', '--strategy', rule.strategy, '--detail', rule.detail],
      expect: (out) => out.includes('after_tokens'),
    }));
    return timeProcesses([{ name: 'bare', argv: ['-e', '0'] }, ...rules], { env });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function run() {
  // Before anything else fills this process, and the processor.
  const commands = timeCommands();
  const bare = commands.get('bare');
  const { compactContext } = await import('../../dist/index.mjs');
  const measured = [];
  for (const [tokens, rounds] of SIZES) {
    measured.push(await timeRules(compactContext, tokens, rounds, measured.length === 0 ? WARMUPS : 1));
  }
  const [small, , large] = measured;
  const largest = SIZES.at(-1)[0];
  const holding = peakOf(largest, { strategy: 'none' });
  const rows = RULES.flatMap((rule, at) =>
    measured.map((sizes) => {
      const { tokens, ms, stats } = sizes[at];
      return [
        nameOf(rule),
        stats.before_tokens.toLocaleString('en'),
        stats.after_tokens.toLocaleString('en'),
        formatMs(ms),
        formatRatio(ms / small[at].ms),
        `${Math.round(peakOf(tokens, rule))} MB`,
        tokens === SIZES[0][0] ? formatRatio(commands.get(nameOf(rule)) / bare) : '',
      ];
    }),
  );
  const [excerpt, whole, formula] = RULES.map((rule, at) => ({
    name: nameOf(rule),
    ms: small[at].ms,
    growth: large[at].ms / small[at].ms,
    cold: commands.get(nameOf(rule)) / bare,
  }));
  const peakMegabytes = peakOf(largest, RULES[0]);
  const inTime = ({ name, ms }, reachMs) => ({
    what: `compaction of 100k tokens, ${name}`,
    reach: `≤ ${reachMs} ms`,
    value: formatMs(ms),
    met: ms <= reachMs,
  });
  const targets = [
    inTime(excerpt, REACH_MS.need),
    inTime(whole, REACH_MS.need),
    inTime(formula, REACH_MS.formula),
    {
      what: `compaction of 2M tokens against 100k, ${excerpt.name}`,
      reach: `≤ ${REACH_GROWTH} × the time`,
      value: formatRatio(excerpt.growth),
      met: excerpt.growth <= REACH_GROWTH,
    },
    {
      what: `peak memory of a process that compacts 2M tokens, ${excerpt.name}`,
      reach: `< ${REACH_MEGABYTES} MB`,
      value: `${Math.round(peakMegabytes)} MB`,
      met: peakMegabytes < REACH_MEGABYTES,
    },
    {
      what: `chitta compact, 100k tokens, ${whole.name}`,
      reach: `≤ ${REACH_RATIO} × bare node`,
      value: formatRatio(whole.cold),
      met: whole.cold <= REACH_RATIO,
    },
  ];
  return {
    name: 'compaction',
    title: 'Compaction of a coding session in process, no vectors, and by a fresh `chitta compact`',
    columns: [
      'strategy',
      'tokens before',
      'tokens after',
      'time',
      'against 100k',
      'peak memory',
      'command against bare node',
    ],
    rows,
    notes: [
      `Medians in one process, the strategies in turns, new message objects each round; the very first call of the process, with ${nameOf(RULES[0])}, took ${formatMs(small[0].firstMs)}.`,
      `Peak memory is that of a process of its own; one that only holds the conversation of 2M tokens takes ${Math.round(holding)} MB.`,
      `The command reads a transcript of 100k tokens and archives what it drops; bare node took ${formatMs(bare)}.`,
      'Tokens as estimated by chitta.',
    ],
    targets,
  };
}
