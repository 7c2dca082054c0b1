// Agent loops with their compactions planned: what does not fit, what a summariser is asked for, what is let go of.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { simulator } from './simulate.mjs';

const WINDOWS = [8_192, 32_768];
const FORMATS = ['anthropic', 'openai'];

const thousands = (tokens) => `${(tokens / 1000).toFixed(tokens < 100_000 ? 1 : 0)}k`;
const share = (tokens, of) => (tokens === 0 ? '–' : `${((100 * tokens) / of).toFixed(tokens < of / 10 ? 1 : 0)} %`);

export async function run() {
  const { playLoop, countedBy, firstWords, LOOPS } = await simulator();
  const count = countedBy((text) => countTokens(text, { allowedSpecial: 'all' }));
  const rows = [];
  const all = { requests: 0, over: 0, hopeless: 0, malformed: 0 };
  for (const loop of LOOPS) {
    for (const contextWindow of WINDOWS) {
      const play = (format, config, checks = true) =>
        playLoop(loop, { format, config: { contextWindow, ...config }, summarise: firstWords, count, checks });
      const [tally, other] = FORMATS.map((format) => play(format, {}));
      for (const key of Object.keys(all)) all[key] += tally[key] + other[key];
      const unplanned = play(FORMATS[0], { auto: false }, false);
      const { lost } = tally;
      rows.push([
        loop.name,
        contextWindow,
        tally.requests,
        unplanned.over,
        tally.hopeless > 0 ? `${tally.over} (${tally.hopeless} hopeless)` : tally.over,
        tally.largest,
        tally.summaries,
        thousands(tally.sent),
        share(lost.prune, tally.produced),
        share(lost.summary, tally.produced),
        share(lost['prune-tail'], tally.produced),
      ]);
    }
  }
  const over = all.over - all.hopeless;
  return {
    name: 'guard',
    title: 'Agent loops whose compactions are planned, played against a provider that counts with o200k',
    columns: [
      'loop',
      'window',
      'requests',
      'over, unplanned',
      'over, planned',
      'largest request',
      'summaries',
      'tokens sent',
      'pruned',
      'summarised',
      'last resort',
    ],
    rows,
    notes: [
      'Requests are counted by a real tokenizer; planning itself estimates what the provider has not counted yet. System prompt and tools are taken as 1,000 tokens, images as 1,600 each.',
      '"Over": requests larger than the window. "Hopeless" ones are those whose system prompt and newest prompt alone do not fit.',
      '"Pruned", "summarised" and "last resort": what each stage let go of, of all tokens that there ever were; marks and summaries are taken off.',
      'Anthropic form. The same loops in OpenAI form count for the figures below as well. The summariser is a stand-in that keeps the first words of each message.',
    ],
    targets: [
      {
        what: `requests over the window, of ${all.requests}, where the prompt fits`,
        reach: '0',
        value: String(over),
        met: over === 0,
      },
      {
        what: 'requests that an API would refuse for their form',
        reach: '0',
        value: String(all.malformed),
        met: all.malformed === 0,
      },
    ],
  };
}
