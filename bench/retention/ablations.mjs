// What each part of the need strategy is worth: the same evaluation with one part changed at a time. Prints a Markdown table
// and, with --write, puts it into docs/retention.md. Takes half a minute a row.
// Usage: node bench/retention/ablations.mjs [FOLDER OF TRANSCRIPTS] [--write]
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'tsdown';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values: flags, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });
const folder = positionals[0] ?? join(root, '..', 'shared', 'corpus');
const RATIOS = [0.1, 0.2, 0.4];
const METHOD = 'need excerpt';

/** What is changed: a file of src/need, a piece of its text, and what stands there instead. */
const VARIANTS = [
  ['as it is', []],
  [
    'no focus on files',
    [['rates.ts', /const FOCUS: readonly number\[\] = \[[^\]]*\]/, 'const FOCUS: readonly number[] = [1]']],
  ],
  [
    'what the agent talks of counts like the rest',
    [
      ['rates.ts', /TALK_FACTOR = [\d.]+/, 'TALK_FACTOR = 1'],
      ['rates.ts', /TALK_CODE_FACTOR = [\d.]+/, 'TALK_CODE_FACTOR = 1'],
    ],
  ],
  ['the query counts like the rest', [['rates.ts', /QUERY_FACTOR = [\d.]+/, 'QUERY_FACTOR = 1']]],
  ['parts of longer names count in full', [['rates.ts', /PART_FACTOR = [\d.]+/, 'PART_FACTOR = 1']]],
  [
    'the same rate for every place',
    [
      [
        'rates.ts',
        /PLACE_RATES: readonly number\[\] = \[[^\]]*\]/,
        'PLACE_RATES: readonly number[] = Array(7).fill(0.04)',
      ],
    ],
  ],
  ['no age', [['rates.ts', /HALF_AGE_TOKENS = [\d_]+/, 'HALF_AGE_TOKENS = 1e12']]],
  ['lines of code count for nothing', [['rates.ts', /\{ written: [^}]*\}/, '{ written: 0, edited: 0, read: 0 }']]],
  ['a second copy is worth as much', [['selection.ts', /if \(this\.#kept\[feature\] === 0\) sum/, 'sum']]],
  [
    'hunks of whole texts',
    [
      [
        'material.ts',
        /\{ written: \d+, read: \d+, output: \d+, prose: \d+ \}/,
        '{ written: 1e9, read: 1e9, output: 1e9, prose: 1e9 }',
      ],
    ],
  ],
  ['no bonus beside what is taken', [['selection.ts', /JOIN_FACTOR = [\d.]+/, 'JOIN_FACTOR = 1']]],
  [
    'nothing taken for being newest',
    [
      ['first.ts', /excerpt: 0\.15/, 'excerpt: 0'],
      ['first.ts', /excerpt: 0\.1,/, 'excerpt: 0,'],
    ],
  ],
  ['no list of what was dropped', [['need.ts', /POINTERS_SHARE = [\d.]+/, 'POINTERS_SHARE = 0']]],
];

/** A copy of the sources with the changes made; a change that finds nothing is an error. */
function variantOf(changes) {
  const copy = mkdtempSync(join(tmpdir(), 'chitta-ablation-'));
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true });
  cpSync(join(root, 'package.json'), join(copy, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [file, from, to] of changes) {
    const path = join(copy, 'src', 'need', file);
    const text = readFileSync(path, 'utf8');
    if (!from.test(text)) throw new Error(`${file} holds nothing like ${from}`);
    writeFileSync(path, text.replace(from, to));
  }
  return copy;
}

async function measure(changes) {
  const copy = variantOf(changes);
  try {
    const entry = join(copy, 'entry.ts');
    writeFileSync(
      entry,
      `import { evaluate } from './src/actions/evaluate.ts';
import { openEvaluation } from './src/wiring/evaluation.ts';
const port = await openEvaluation(process.env, process.cwd());
const options = { paths: [process.argv[2]], ratios: ${JSON.stringify(RATIOS)}, limit: 1e6, methods: [${JSON.stringify(METHOD)}] };
console.log(JSON.stringify((await evaluate(options, port)).summaries));`,
    );
    await build({
      config: false,
      cwd: copy,
      entry: [entry],
      outDir: 'out',
      platform: 'node',
      format: 'esm',
      dts: false,
      logLevel: 'silent',
      deps: { onlyBundle: false },
    });
    const out = execFileSync(process.execPath, [join(copy, 'out', 'entry.mjs'), folder], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    return JSON.parse(out).filter(({ method }) => method === METHOD);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const percent = (share) => (share === undefined ? '' : (share.mean * 100).toFixed(1));
const rows = [];
for (const [name, changes] of VARIANTS) {
  const summaries = await measure(changes);
  const at = (ratio) => summaries.find((summary) => summary.ratio === ratio);
  const cells = RATIOS.map((ratio) => {
    const { measures } = at(ratio);
    return `${percent(measures.composite)} (${percent(measures.ids)} / ${percent(measures.editsWhole)})`;
  });
  rows.push(`| ${[name, ...cells].join(' | ')} |`);
  process.stderr.write(`${rows.at(-1)}\n`);
}
const table = [
  `| change | ${RATIOS.map((ratio) => `budget ${ratio}`).join(' | ')} |`,
  `|---|${RATIOS.map(() => '---:|').join('')}`,
  ...rows,
].join('\n');
process.stdout.write(`${table}\n`);
if (flags.write) {
  const page = join(root, 'docs', 'retention.md');
  const marks = /(<!-- ablations -->\n)[\s\S]*?(\n<!-- \/ablations -->)/;
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(marks, (_, open, close) => `${open}\n${table}\n${close}`),
  );
}
