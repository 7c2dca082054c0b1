// Which likeness says that a stored memory is about a prompt. Own texts of one made-up project: memories, each with a prompt that asks
// for it in its words and one in others; and prompts that no memory is about. Every other memory is a wrong answer to a prompt.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsdown';

const root = fileURLToPath(new URL('../../', import.meta.url));
const outDir = `${root}.cache/bench-relevance`;
const SOURCES = ['embedding/embedder', 'embedding/model', 'scoring/relevance', 'scoring/facts'];
/** As many as are embedded of a prompt while a person waits. */
const PROMPT_TOKENS = 48;
const SURE = [0.4, 0.45, 0.5, 0.55, 0.6];
const LIKELY = [0.25, 0.35, 0.45];
/** Of prompts that no memory is about, how many may get one. */
const TARGET_WRONG = 0.05;

const percent = (part, of) => `${((100 * part) / of).toFixed(0)} %`;
const dot = (a, b) => a.reduce((sum, value, index) => sum + value * b[index], 0);
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(2);

async function loaded() {
  await build({
    config: false,
    cwd: root,
    entry: Object.fromEntries(SOURCES.map((name) => [name.split('/')[1], `src/${name}.ts`])),
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    fixedExtension: true,
    dts: false,
    logLevel: 'silent',
    deps: { neverBundle: ['better-sqlite3', 'node-llama-cpp'], alwaysBundle: [/.*/] },
  });
  const modules = await Promise.all(
    SOURCES.map((name) => import(pathToFileURL(`${outDir}/${name.split('/')[1]}.mjs`).href)),
  );
  return Object.assign({}, ...modules);
}

/** What a prompt and a memory have in common besides their likeness. */
function commonOf({ tellingNames, factsOf }, prompt, memory) {
  const [stems, own] = [factsOf(prompt).stems, factsOf(memory).stems];
  const names = new Set(tellingNames(prompt, 200));
  return {
    words: [...own].filter((stem) => stems.has(stem)).length,
    name: tellingNames(memory, 200).some((name) => names.has(name)),
  };
}

const given = ({ cosine, words, name }, sure, likely) => cosine >= sure || (cosine >= likely && (name || words >= 2));

export async function run() {
  const code = await loaded();
  const { memories, unrelated } = JSON.parse(readFileSync(new URL('pairs.json', import.meta.url), 'utf8'));
  const prompts = [
    ...memories.map(([, near], right) => ({ kind: 'its words', text: near, right })),
    ...memories.map(([, , far], right) => ({ kind: 'other words', text: far, right })),
    ...unrelated.map((text) => ({ kind: 'none', text, right: -1 })),
  ];
  const embedder = await code.loadEmbedder(code.defaultModel(root), {});
  const passages = await embedder.embed(
    memories.map(([text]) => text),
    { kind: 'passage' },
  );
  const queries = await embedder.embed(
    prompts.map(({ text }) => text),
    { kind: 'query', maxTokens: PROMPT_TOKENS },
  );
  await embedder.dispose();
  const asked = prompts.map((prompt, index) => ({
    ...prompt,
    pairs: memories.map(([memory], which) => ({
      cosine: dot(queries[index], passages[which]),
      ...commonOf(code, prompt.text, memory),
      shipped: (cosine) => code.relevanceTo(prompt.text)(memory, cosine),
    })),
  }));

  const count = (kind, test) => {
    const of = asked.filter((prompt) => prompt.kind === kind);
    return percent(of.filter(test).length, of.length);
  };
  const outcome = (label, gives) => [
    label,
    count('its words', ({ pairs, right }) => gives(pairs[right])),
    count('other words', ({ pairs, right }) => gives(pairs[right])),
    percent(
      asked.filter(({ pairs, right }) => right >= 0 && pairs.some((pair, which) => which !== right && gives(pair)))
        .length,
      2 * memories.length,
    ),
    count('none', ({ pairs }) => pairs.some(gives)),
  ];
  const rows = [
    outcome('as shipped', (pair) => pair.shipped(pair.cosine)),
    outcome('as shipped, without vectors', (pair) => pair.shipped(undefined)),
    ...SURE.flatMap((sure) =>
      LIKELY.filter((likely) => likely < sure).map((likely) =>
        outcome(`${sure.toFixed(2)}, or ${likely.toFixed(2)} with something in common`, (pair) =>
          given(pair, sure, likely),
        ),
      ),
    ),
  ];
  const cosines = (pick) =>
    asked
      .flatMap(pick)
      .map(({ cosine }) => cosine)
      .toSorted((a, b) => a - b);
  const spread = (name, sorted) =>
    `${name}: ${at(sorted, 0.1)}, ${at(sorted, 0.5)}, ${at(sorted, 0.9)}, highest ${at(sorted, 1)}.`;
  const of = (kind) => cosines(({ pairs, right, ...prompt }) => (prompt.kind === kind ? [pairs[right]] : []));
  const wrong = asked.filter(
    ({ kind, pairs }) => kind === 'none' && pairs.some((pair) => pair.shipped(pair.cosine)),
  ).length;
  return {
    name: 'relevance',
    title: 'Which stored memories are given at a prompt',
    columns: ['likeness', 'asked in its words', 'in other words', 'with a wrong one', 'nothing to be said'],
    rows,
    notes: [
      `${memories.length} memories of one project, two prompts for each, and ${unrelated.length} prompts about something else in it.`,
      `Likeness, 10th, 50th and 90th percentile: ${spread('its words', of('its words'))} ${spread('Other words', of('other words'))}`,
      spread(
        'Each prompt with each memory that is not about it',
        cosines(({ pairs, right }) => pairs.filter((_, which) => which !== right)),
      ),
    ],
    targets: [
      {
        what: 'prompts that get a memory though none is about them',
        reach: `≤ ${100 * TARGET_WRONG} %`,
        value: percent(wrong, unrelated.length),
        met: wrong <= TARGET_WRONG * unrelated.length,
      },
    ],
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { columns, rows, notes } = await run();
  for (const row of [columns, ...rows])
    process.stdout.write(`${row.map((cell, index) => (index === 0 ? cell.padEnd(42) : cell.padStart(20))).join('')}\n`);
  for (const note of notes) process.stdout.write(`${note}\n`);
}
