// What our embedder makes of llama.cpp's speed: the same token numbers through bare contexts of node-llama-cpp, with as
// many threads, in turns. Ours also tokenises, cuts and pools. And how long a fresh process takes to its first vector.
import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { conversation } from '../data.mjs';
import { formatMs, median } from '../measure.mjs';
import { built, buildModules } from './built.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cold = fileURLToPath(new URL('cold.mjs', import.meta.url));
const ROUNDS = 5;
const COLD_ROUNDS = 3;
const CONTEXTS = [1, 2];
const TARGET_SHARE = 0.9;
const TARGET_COLD_MS = 3000;
const SIZE = 512;

const percent = (share) => `${(share * 100).toFixed(1)} %`;
const round = (value) => Math.round(value).toLocaleString('en');

function textsOf(messages) {
  return messages.map(({ content }) =>
    typeof content === 'string'
      ? content
      : content.map((block) => block.text ?? block.content ?? JSON.stringify(block.input)).join('\n'),
  );
}

/** llama.cpp alone: the runs go to whichever context is free. */
async function bareEngine(modelPath, contexts) {
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    progressLogs: false,
    logLevel: LlamaLogLevel.error,
    maxThreads: contexts,
  });
  const model = await llama.loadModel({ modelPath });
  const pool = [];
  for (let index = 0; index < contexts; index++)
    pool.push(await model.createEmbeddingContext({ contextSize: SIZE, batchSize: SIZE, threads: 1 }));
  return {
    embed: async (runs) => {
      let next = 0;
      const work = async (context) => {
        for (let index = next++; index < runs.length; index = next++) await context.getEmbeddingFor(runs[index]);
      };
      await Promise.all(pool.map(work));
    },
    dispose: () => llama.dispose(),
  };
}

/** Wall time, and time on the processors: on a machine with other work only the latter can be relied on. */
async function timeOf(work) {
  const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallMs: performance.now() - startedAt, cpuMs: (user + system) / 1000 };
}

async function compare({ loadEmbedder, runsOf }, { loadTokenizer }, model, texts, contexts) {
  const tokenizer = loadTokenizer(model);
  const runs = texts.flatMap((text) => runsOf(model, tokenizer, text, { kind: 'passage' }).map(({ ids }) => [...ids]));
  const tokens = runs.reduce((sum, ids) => sum + ids.length, 0);
  const embedder = await loadEmbedder(model, { contexts });
  const bare = await bareEngine(model.path, contexts);
  const [ours, alone] = [[], []];
  for (let index = -1; index < ROUNDS; index++) {
    const our = await timeOf(() => embedder.embed(texts, { kind: 'passage' }));
    const its = await timeOf(() => bare.embed(runs));
    // The first turn warms both up.
    if (index < 0) continue;
    ours.push(our);
    alone.push(its);
  }
  await embedder.dispose();
  await bare.dispose();
  // Of pairs measured next to each other, as the machine may be slower at one time than at another.
  const shareOf = (what) => median(alone.map((its, index) => its[what] / ours[index][what]));
  const medianOf = (times) => median(times.map(({ wallMs }) => wallMs));
  return {
    contexts,
    tokens,
    runs: runs.length,
    ourMs: medianOf(ours),
    bareMs: medianOf(alone),
    share: shareOf('wallMs'),
    cpuShare: shareOf('cpuMs'),
  };
}

function coldStarts() {
  const starts = Array.from({ length: COLD_ROUNDS }, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cold], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`cold start: exit ${status}\n${stderr.slice(0, 2000)}`);
    return JSON.parse(stdout);
  });
  return { tookMs: median(starts.map(({ tookMs }) => tookMs)), rssMb: median(starts.map(({ rssMb }) => rssMb)) };
}

export async function run() {
  await buildModules();
  const [embedding, tokenizing, { defaultModel }] = await Promise.all(['embedder', 'tokenizer', 'model'].map(built));
  const model = defaultModel(root);
  const texts = textsOf(conversation({ count: 20, tokens: 4_000 }));
  const first = coldStarts();
  const results = [];
  for (const contexts of CONTEXTS) results.push(await compare(embedding, tokenizing, model, texts, contexts));
  const worst = Math.min(...results.flatMap(({ share, cpuShare }) => [share, cpuShare]));
  const per = (count, ms) => round((count / ms) * 1000);
  return {
    name: 'embedding',
    title: `${texts.length} messages of a session, ${model.name}`,
    columns: [
      'contexts, one thread each',
      'texts/s',
      'tokens/s',
      'llama.cpp alone, tokens/s',
      'share',
      'share by processor time',
    ],
    rows: results.map(({ contexts, tokens, ourMs, bareMs, share, cpuShare }) => [
      contexts,
      per(texts.length, ourMs),
      per(tokens, ourMs),
      per(tokens, bareMs),
      percent(share),
      percent(cpuShare),
    ]),
    notes: [
      `${round(results[0].tokens)} tokens in ${results[0].runs} runs; ours includes tokenising, cutting and pooling`,
      `a fresh process has its first vector after ${formatMs(first.tookMs)}, with ${Math.round(first.rssMb)} MB`,
      `after the measurement this process, with both engines, held ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`,
    ],
    targets: [
      {
        what: "throughput against llama.cpp's own",
        reach: `≥ ${TARGET_SHARE * 100} %`,
        value: percent(worst),
        met: worst >= TARGET_SHARE,
      },
      {
        what: 'cold start to first vector',
        reach: `≤ ${TARGET_COLD_MS / 1000} s`,
        value: formatMs(first.tookMs),
        met: first.tookMs <= TARGET_COLD_MS,
      },
    ],
  };
}
