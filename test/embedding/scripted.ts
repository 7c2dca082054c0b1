/** A model that is a few lines long: one token per character, and vectors that say what they were made of. */
import type { Engine } from '../../src/embedding/llama.ts';
import type { ModelSpec } from '../../src/embedding/model.ts';
import type { TextTokenizer } from '../../src/embedding/tokenizer.ts';

const START = 1;
const END = 2;

/** A token is the character's code; 1 in front, 2 behind. */
export const LETTERS: TextTokenizer = {
  encode: (text) => Array.from(text, (letter) => letter.codePointAt(0) ?? 0),
  start: [START],
  end: [END],
};

/** A model of 12 tokens at once. */
export function scriptedModel(changes: Partial<ModelSpec> = {}): ModelSpec {
  return {
    name: 'scripted',
    id: 'scripted-00000000',
    path: '/nowhere/scripted.gguf',
    tokenizerPath: undefined,
    dim: 2,
    pooling: 'mean',
    contextTokens: 512,
    chunkTokens: 12,
    queryPrefix: '',
    passagePrefix: '',
    ...changes,
  };
}

export interface ScriptedEngine extends Engine {
  /** Runs that were asked for, as text without what stands around it, in order. */
  readonly runs: string[];
  /** Most runs that were under way at once. */
  readonly mostAtOnce: () => number;
  readonly disposals: () => number;
}

/** `vectorOf` is told a run's text; by default its vector is (1, length). May throw. Each run takes one turn of the event loop. */
export function scriptedEngine(
  vectorOf: (text: string) => readonly number[] | Promise<readonly number[]> = (text) => [1, text.length],
  contexts = 2,
): ScriptedEngine {
  const runs: string[] = [];
  let [under, most, disposals] = [0, 0, 0];
  return {
    contexts,
    runs,
    mostAtOnce: () => most,
    disposals: () => disposals,
    encode: LETTERS.encode,
    vectorOf: async (_context, ids) => {
      const text = ids
        .filter((id) => id !== START && id !== END)
        .map((id) => String.fromCodePoint(id))
        .join('');
      runs.push(text);
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setImmediate(resolve));
      try {
        return await vectorOf(text);
      } finally {
        under -= 1;
      }
    },
    dispose: async () => {
      if (under > 0) throw new Error('the memory went under a run');
      disposals += 1;
    },
  };
}
