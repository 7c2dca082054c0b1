// Writes what was measured into README.md and pages of docs, between marks. Numbers come from
// bench/results/latest.json and nowhere else. Usage: node scripts/docs-bench.mjs   (npm run check runs it)
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { results } = JSON.parse(readFileSync(join(root, 'bench', 'results', 'latest.json'), 'utf8'));
const benches = Object.values(results).toSorted((a, b) => a.name.localeCompare(b.name));

const cell = (value) => String(value).replaceAll('|', '\\|');

function table(columns, rows) {
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  const rule = `|${columns.map((_, index) => (index === 0 ? '---|' : '---:|')).join('')}`;
  return [line(columns), rule, ...rows.map(line)].join('\n');
}

/** Date, versions and machine of a result, as one line. */
function circumstances({ date, chitta, node, machine, system }) {
  return `${date}, chitta ${chitta}, Node ${node}, ${machine}, ${system}`;
}

function inReadme() {
  const rows = benches.flatMap(({ name, targets = [] }) =>
    targets.map(({ what, value, reach }) => [what, value, reach, `[${name}](docs/benchmarks.md#${name})`]),
  );
  const all = [...new Set(benches.filter(({ targets = [] }) => targets.length > 0).map(circumstances))];
  return `${table(['what', 'measured', 'meant to be', 'benchmark'], rows)}\n\n${all.join('; ')}. Repeat: \`npm run bench\`.`;
}

function inBenchmarks() {
  return benches
    .map((bench) => {
      const notes = bench.notes.map((note) => `- ${note}`).join('\n');
      const targets = (bench.targets ?? [])
        .map(
          ({ what, value, reach, met }) =>
            `- ${met ? 'Reached' : '**Missed**'}: ${what}, ${value} (meant to be ${reach}).`,
        )
        .join('\n');
      const parts = [`## ${bench.name}`, `${bench.title}.`, table(bench.columns, bench.rows), notes, targets];
      return [
        ...parts.filter((part) => part !== ''),
        `${circumstances(bench)}. Repeat: \`npm run bench -- ${bench.name}\`.`,
      ].join('\n\n');
    })
    .join('\n\n');
}

/** The opening table: what each way of compacting keeps of what was needed later, on recorded sessions if there were any. */
function retention() {
  const { rows } = results.retention;
  const sets = [...new Set(rows.map(([set]) => set))];
  const set = sets.includes('recorded') ? 'recorded' : sets[0];
  const mine = rows.filter(([name]) => name === set);
  const ratios = [...new Set(mine.map(([, ratio]) => ratio))];
  const methods = [...new Set(mine.map(([, , method]) => method))].filter((method) => method !== 'prompts');
  const cellOf = (method, ratio) => {
    const [, , , composite, difference] = mine.find((row) => row[1] === ratio && row[2] === method) ?? [];
    const kept = String(composite).replace(/ \(.*/, '');
    return difference ? `${kept} (${difference.replace(/ \(.*/, '')})` : kept;
  };
  const line = (method) => [method, ...ratios.map((ratio) => cellOf(method, ratio))];
  return table(
    ['kept of what was needed later, %', ...ratios.map((ratio) => `budget ${ratio * 100} %`)],
    methods.map(line),
  );
}

/** The benchmark of memories with a line for each budget and set of memories: one factor beside the other. */
function covering() {
  const { rows } = results.covering;
  const factors = [...new Set(rows.map(([, , factor]) => factor))].filter((factor) => factor !== '1');
  const groups = [...new Set(rows.map(([ratio, memories]) => `${ratio}\t${memories}`))];
  // Without the interval: what is freed hardly differs from session to session.
  const mean = (change) => change.replace(/ \(.*/, '');
  const line = (group) => {
    const [ratio, memories] = group.split('\t');
    const at = (wanted) => rows.find((row) => row[0] === ratio && row[1] === memories && row[2] === wanted);
    const others = factors.map(at);
    const full = at('1');
    return [
      ratio,
      memories,
      full[3],
      ...others.map((row) => row[4]),
      full[5],
      ...others.map((row) => row[6]),
      full[9],
      ...others.map((row) => mean(row[10])),
    ];
  };
  const columns = [
    'budget',
    'memories hold',
    'kept',
    ...factors.map((factor) => `at ${factor}`),
    'kept or in a memory',
    ...factors.map((factor) => `at ${factor}`),
    'budget for what memories hold',
    ...factors.map((factor) => `freed at ${factor}`),
  ];
  return table(columns, groups.map(line));
}

/** The loops that were played against the planner. */
function simulated() {
  const { columns, rows } = results.guard;
  return table(columns, rows);
}

/** What the plugin adds to a compaction in the newest Claude Code, in starts of bare node, by mode. */
function compactionTimes() {
  const { columns, rows } = results.host;
  const at = columns.indexOf('added, against bare node');
  return ['guide', 'replace'].map((mode) => [mode, rows.find((row) => row[1] === `/compact, mode ${mode}`)[at]]);
}

/** `around`: a line break where the text is lines of its own, nothing where it is part of one. */
function writeBetweenMarks(name, text, mark = 'measured', around = '\n') {
  const path = join(root, name);
  const page = readFileSync(path, 'utf8');
  const [open, close] = [`<!-- ${mark} -->${around}`, `${around}<!-- /${mark} -->`];
  const [from, to] = [page.indexOf(open) + open.length, page.indexOf(close)];
  if (from < open.length || to < 0)
    throw new Error(`${name} has no <!-- ${mark} --> … <!-- /${mark} --> to write between`);
  const fresh = page.slice(0, from) + text + page.slice(to);
  if (fresh !== page) writeFileSync(path, fresh);
}

writeBetweenMarks('README.md', inReadme());
writeBetweenMarks('README.md', retention(), 'retention');
writeBetweenMarks(join('docs', 'benchmarks.md'), inBenchmarks());
writeBetweenMarks(join('docs', 'retention.md'), covering(), 'covering');
writeBetweenMarks(join('docs', 'guard.md'), simulated(), 'simulated');
for (const [mode, time] of compactionTimes()) {
  writeBetweenMarks(join('docs', 'claude-code.md'), time, `time-${mode}`, '');
}
