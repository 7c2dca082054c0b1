/**
 * llama.cpp through node-llama-cpp: the model's weights and its contexts. Loaded on the first call, about 1.5 s. Nothing of it is
 * written to a standard stream: what llama.cpp has to say goes to `log`.
 */
import { cpus } from 'node:os';
import type { LlamaEmbeddingContext, Token } from 'node-llama-cpp';
import { ChittaError } from '../errors.ts';
import { startLlama } from '../platform/llama.ts';
import { reasonOf } from '../platform/small-file.ts';
import { BATCH_TOKENS, type ModelSpec } from './model.ts';

/** A model that is ready; `vectorOf` may be called as often at once as there are contexts, each on a thread of its own. */
export interface Engine {
  /** How many runs are worked on at once. */
  readonly contexts: number;
  /** The vector of one run, as the model gives it; empty for none. Rejects with what llama.cpp says. */
  vectorOf(context: number, ids: readonly number[]): Promise<readonly number[]>;
  /** llama.cpp's own tokenizer: for models that come without theirs. */
  encode(text: string): number[];
  dispose(): Promise<void>;
}

export interface EngineOptions {
  /** Runs at once, one thread each; default 2, or 1 on a single processor. More threads in one context wait for one another. */
  readonly contexts?: number;
  /** Takes llama.cpp's own messages, one line each. */
  readonly log?: (line: string) => void;
}

const DEFAULT_CONTEXTS = 2;

/** Loads the weights and makes the contexts. Rejects with E_MODEL if the package or the file is missing or unusable. */
export async function loadEngine(spec: ModelSpec, options: EngineOptions = {}): Promise<Engine> {
  const { contexts = Math.min(DEFAULT_CONTEXTS, Math.max(1, cpus().length)), log = () => undefined } = options;
  const llama = await startLlama(contexts, log);
  try {
    const model = await llama.loadModel({ modelPath: spec.path });
    const size = Math.min(BATCH_TOKENS, spec.contextTokens);
    const pool: LlamaEmbeddingContext[] = [];
    for (let index = 0; index < contexts; index++) {
      pool.push(await model.createEmbeddingContext({ contextSize: size, batchSize: size, threads: 1 }));
    }
    return {
      contexts,
      vectorOf: async (context, ids) => {
        // Token is a number with a brand that only the package itself can give.
        const embedding = await pool[context]?.getEmbeddingFor([...ids] as Token[]);
        return embedding?.vector ?? [];
      },
      encode: (text) => [...model.tokenize(text, false)],
      dispose: () => llama.dispose(),
    };
  } catch (cause) {
    await llama.dispose();
    throw new ChittaError('E_MODEL', `${spec.path} cannot be loaded: ${reasonOf(cause)}`, {
      hint: 'chitta model verify',
      cause,
    });
  }
}
