// The formula strategy in process, as the library runs it: how long, and how it grows.
import { performance } from 'node:perf_hooks';
import { conversation } from '../data.mjs';
import { formatMs, formatRatio, median } from '../measure.mjs';

const COUNT = 1_000;
const TOKENS = 200_000;
const REACH_MS = 30;
/** How many times the base size, and how many rounds: the large ones need fewer to be steady. */
const SIZES = [
  [1, 15],
  [10, 5],
  [50, 3],
];

export async function run() {
  const { compactContext } = await import('../../dist/index.mjs');
  const measured = [];
  let firstMs;
  for (const [times, rounds] of SIZES) {
    const source = JSON.stringify(conversation({ count: COUNT * times, tokens: TOKENS * times }));
    const took = [];
    let stats;
    for (let round = 0; round < rounds; round++) {
      // New objects each time: what chitta has read of a message it remembers by the object.
      const messages = JSON.parse(source);
      const startedAt = performance.now();
      ({ stats } = await compactContext({ messages }));
      took.push(performance.now() - startedAt);
      firstMs ??= took[0];
    }
    measured.push({ times, ms: median(took), stats });
  }
  const base = measured[0].ms;
  return {
    name: 'compaction',
    title: 'Compaction in process, formula strategy, no vectors',
    columns: ['messages', 'tokens before', 'tokens after', 'time', 'size', 'time against the first row'],
    rows: measured.map(({ times, ms, stats }) => [
      (COUNT * times).toLocaleString('en'),
      stats.before_tokens.toLocaleString('en'),
      stats.after_tokens.toLocaleString('en'),
      formatMs(ms),
      `${times} ×`,
      formatRatio(ms / base),
    ]),
    notes: [
      `Medians in one process, new message objects each round; the very first call of a process took ${formatMs(firstMs)}.`,
      'Tokens as estimated by chitta.',
    ],
    targets: [
      {
        what: 'compaction of 1,000 messages, 200k tokens',
        reach: `≤ ${REACH_MS} ms`,
        value: formatMs(base),
        met: base <= REACH_MS,
      },
    ],
  };
}
