/** What is compared: the simple rules, and the strategies as `compactMessages` runs them. */
import { compactMessages, type CompactOptions, STRATEGIES } from '../compaction/compact.ts';
import { keepLast, keepLikest, keepPrompts, keepRandom, maskOutput, type Method } from './baselines.ts';

/** A compaction with these options, priced by the benchmark's own counter. */
function compacted(options: Omit<CompactOptions, 'budgetTokens' | 'countTokens'>): Method {
  return (messages, query, budgetTokens, counter) => {
    const asked = { ...options, query, budgetTokens, countTokens: counter.message };
    return compactMessages(messages, asked).messages;
  };
}

/** The method all others are compared with. */
export const REFERENCE_METHOD = 'keep-last';

/** By name. Of several runs under one name the mean counts. */
export const METHODS: Readonly<Record<string, readonly Method[]>> = {
  [REFERENCE_METHOD]: [keepLast],
  random: [1, 2, 3, 4, 5].map(keepRandom),
  masking: [maskOutput],
  prompts: [keepPrompts],
  bm25: [keepLikest],
  formula: [compacted({ strategy: STRATEGIES['formula'] })],
  'need whole': [compacted({ strategy: STRATEGIES['need'], detail: 'whole' })],
  'need excerpt': [compacted({ strategy: STRATEGIES['need'], detail: 'excerpt' })],
};
