// Where the milliseconds of `hook pre-compact` go: samples of V8's profiler over some runs, by what was under way.
// Usage: node bench/startup/profile.mjs [RUNS]; without a daemon.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { conversation, transcript } from '../data.mjs';

const hook = fileURLToPath(new URL('../../dist/hook.cjs', import.meta.url));
const runs = Number(process.argv[2] ?? 5);

/** The first that fits a frame of the stack counts, from the innermost outwards. */
const KINDS = [
  ['collecting garbage', /^\(garbage collector\)/],
  ['waiting', /^\(idle\)/],
  ['masking', /^mask/],
  [
    'SQLite: loading and calls',
    /^(?:loadSqlite|sqliteIn|tryBindings|use|open|write|recordEpisode|archiveTurns) hook-script/,
  ],
  ['tokens', /^(?:estimateViewTokens|estimateMessageTokens|weigh) hook-script/],
  ['reading the transcript', /^(?:readBackward|foldRows|rowsOfLine|readTranscript) hook-script/],
  ['choosing what stays', /^compactMessages hook-script/],
  ['names for memories', /^coveringTexts hook-script/],
  ['the guide', /^guideSummary hook-script/],
  ['compiling and reading the script', /^runKept hook\.cjs/],
  ['Node: its own modules', /^(?:compileForInternalLoader|requireBuiltin|compileForPublicLoader) /],
  ['Node: its start', /^(?:prepare|patchProcessObject|executeUserEntryPoint|\(anon\) run_main)/],
];

function kindOf(frames) {
  for (const frame of frames) for (const [kind, pattern] of KINDS) if (pattern.test(frame)) return kind;
  return 'other';
}

const home = mkdtempSync(join(tmpdir(), 'chitta-profile-'));
try {
  const large = join(home, 'large.jsonl');
  writeFileSync(large, transcript(conversation({ count: 3_300, tokens: 740_000 })));
  const event = { session_id: 's', transcript_path: large, cwd: home, hook_event_name: 'PreCompact', trigger: 'auto' };
  const env = { ...process.env, CHITTA_HOME: join(home, 'chitta'), CHITTA_RUNTIME_DIR: '/dev/null' };
  const run = (flags) =>
    spawnSync(process.execPath, [...flags, hook, 'hook', 'pre-compact'], { env, input: JSON.stringify(event) });
  // The database, and what is compiled.
  for (let warmup = 0; warmup < 3; warmup++) run([]);
  const profiles = join(home, 'profiles');
  for (let round = 0; round < runs; round++)
    run(['--cpu-prof', '--cpu-prof-interval', '200', `--cpu-prof-dir=${profiles}`]);
  const spent = new Map();
  let all = 0;
  for (const name of readdirSync(profiles)) {
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(profiles, name), 'utf8'));
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
    samples.forEach((sample, index) => {
      const frames = [];
      for (let id = sample; id !== undefined; id = parents.get(id)) {
        const { functionName, url } = byId.get(id).callFrame;
        frames.push(`${functionName || '(anon)'} ${url.split('/').at(-1)}`);
      }
      const took = timeDeltas[index + 1] ?? 0;
      const kind = kindOf(frames);
      spent.set(kind, (spent.get(kind) ?? 0) + took);
      all += took;
    });
  }
  process.stdout.write('| what | share |\n|---|---:|\n');
  for (const [kind, took] of [...spent].toSorted((a, b) => b[1] - a[1])) {
    process.stdout.write(`| ${kind} | ${((100 * took) / all).toFixed(0)} % |\n`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
