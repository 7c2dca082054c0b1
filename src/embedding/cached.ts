/** An embedder that remembers: each text is embedded once, however often it is asked for. */
import { textHash, type VectorCache } from './cache.ts';
import type { Embedder, EmbedOptions } from './embedder.ts';

/** Texts embedded between two writes, so that what is done stays done if the rest is aborted. */
const BATCH_TEXTS = 16;

/**
 * The embedder with a cache in front. Texts clipped by `maxTokens` go past it: their vectors are not those of the whole texts.
 * The cache stays the caller's, `dispose` does not close it.
 */
export function cachedEmbedder(embedder: Embedder, cache: VectorCache): Embedder {
  const { id, queryPrefix, passagePrefix } = embedder.model;
  const spaceOf = (kind: EmbedOptions['kind']): string =>
    kind === 'query' && queryPrefix !== passagePrefix ? `${id}?query` : id;
  return {
    model: embedder.model,
    embed: async (texts, options) => {
      if (options.maxTokens !== undefined) return embedder.embed(texts, options);
      const space = spaceOf(options.kind);
      const hashes = texts.map((text) => textHash(text));
      const known = new Map<string, Float32Array>();
      const stored = cache.get(space, hashes);
      for (const [index, hash] of hashes.entries()) {
        const vector = stored[index];
        if (vector) known.set(hash, vector);
      }
      // By hash, so that the same text twice is embedded once.
      const missing = new Map<string, string>();
      for (const [index, hash] of hashes.entries()) if (!known.has(hash)) missing.set(hash, texts[index] ?? '');
      const rest = [...missing];
      for (let from = 0; from < rest.length; from += BATCH_TEXTS) {
        const batch = rest.slice(from, from + BATCH_TEXTS);
        const vectors = await embedder.embed(
          batch.map(([, text]) => text),
          options,
        );
        const fresh: [string, Float32Array][] = [];
        for (const [index, [hash]] of batch.entries()) {
          const vector = vectors[index];
          if (vector) fresh.push([hash, vector]);
        }
        cache.put(space, fresh);
        for (const [hash, vector] of fresh) known.set(hash, vector);
      }
      return hashes.map((hash) => known.get(hash));
    },
    dispose: () => embedder.dispose(),
  };
}
