// What each way of compacting keeps of what was needed later: `chitta evaluate`, as a user runs it, on generated sessions
// and, where there are any beside the repository, on recorded ones.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { transcript } from '../data.mjs';
import { session } from './sessions.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.mjs', import.meta.url));
const recorded = fileURLToPath(new URL('../../../shared/corpus', import.meta.url));
const SESSIONS = 12;
const RATIOS = '0.1,0.2,0.4';

function evaluate(folder) {
  const argv = [cli, 'evaluate', folder, '--ratios', RATIOS, '--json'];
  const env = { ...process.env, CHITTA_RUNTIME_DIR: '/dev/null' };
  return JSON.parse(execFileSync(process.execPath, argv, { encoding: 'utf8', env, maxBuffer: 1 << 26 }));
}

function evaluateGenerated() {
  const folder = mkdtempSync(join(tmpdir(), 'chitta-retention-'));
  try {
    for (let seed = 1; seed <= SESSIONS; seed++) {
      writeFileSync(join(folder, `session-${seed}.jsonl`), transcript(session({ seed })));
    }
    return evaluate(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const points = (estimate) => (estimate === null ? '' : estimate.mean.toFixed(1));
const signed = (value) => `${value > 0 ? '+' : ''}${value.toFixed(1)}`;
const interval = ({ low, high }) => `${low.toFixed(0)}–${high.toFixed(0)}`;

function rowsOf(name, { results }) {
  return results.map((one) => [
    name,
    `${one.ratio}`,
    one.method,
    one.composite === null ? '' : `${points(one.composite)} (${interval(one.composite)})`,
    one.difference === null
      ? ''
      : `${signed(one.difference.mean)} (${signed(one.difference.low)} to ${signed(one.difference.high)})`,
    points(one.ids),
    points(one.edit_lines),
    points(one.edits_whole),
    points(one.constraints),
    `${points(one.ids_in_reach)} / ${points(one.edit_lines_in_reach)}`,
    `${one.ms_per_100k} ms`,
  ]);
}

export async function run() {
  const sets = [['generated', evaluateGenerated()]];
  if (existsSync(recorded)) sets.push(['recorded', evaluate(recorded)]);
  const broken = sets
    .flatMap(([, { results }]) => results)
    .reduce((sum, { invalid, over_budget }) => sum + invalid + over_budget, 0);
  return {
    name: 'retention',
    title: 'What is kept of what the agent needed later, in percent',
    columns: [
      'sessions',
      'budget',
      'method',
      'composite',
      'against keep-last',
      'identifiers',
      'edit lines',
      'whole edits',
      'constraints',
      'in reach: identifiers / edit lines',
      'time per 100k tokens',
    ],
    rows: sets.flatMap(([name, evaluation]) => rowsOf(name, evaluation)),
    notes: [
      ...sets.map(
        ([name, { transcripts, projects, episodes, mean_context_tokens: mean }]) =>
          `${name}: ${transcripts} sessions of ${projects} project${projects === 1 ? '' : 's'}, ${episodes} episodes, ${mean.toLocaleString('en')} tokens each on average.`,
      ),
      'In brackets 95 % intervals, bootstrap over sessions; differences are paired. See [retention](retention.md).',
      ...(sets.length > 1 ? [] : ['No recorded sessions beside the repository: those rows are missing.']),
    ],
    targets: [
      { what: 'outputs that are invalid or over their budget', reach: '0', value: `${broken}`, met: broken === 0 },
    ],
  };
}
