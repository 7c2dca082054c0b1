import { expect, test } from 'vitest';
import { openVectorCache } from '../../src/embedding/cache.ts';
import { cachedEmbedder } from '../../src/embedding/cached.ts';
import { type Embedder, embedderOn } from '../../src/embedding/embedder.ts';
import type { ModelSpec } from '../../src/embedding/model.ts';
import { useFolder } from './folder.ts';
import { LETTERS, type ScriptedEngine, scriptedEngine, scriptedModel } from './scripted.ts';

const path = useFolder();

async function cachedOn(engine: ScriptedEngine, changes: Partial<ModelSpec> = {}): Promise<Embedder> {
  const cache = await openVectorCache({ path: path('vectors.db') });
  return cachedEmbedder(embedderOn(engine, scriptedModel(changes), LETTERS), cache);
}

test('a text is embedded once, in one call or in several', async () => {
  const engine = scriptedEngine();
  const embedder = await cachedOn(engine);
  const first = await embedder.embed(['a', 'bb', 'a', '', 'a'], { kind: 'passage' });
  expect(await embedder.embed(['bb', 'a', 'ccc'], { kind: 'query' })).toEqual([first[1], first[0], expect.anything()]);
  expect(first[2]).toEqual(first[0]);
  expect(first[3]).toBeUndefined();
  expect(engine.runs).toEqual(['a', 'bb', 'ccc']);
});

test('queries are kept apart where the model sets other words in front of them', async () => {
  const engine = scriptedEngine();
  const embedder = await cachedOn(engine, { queryPrefix: 'Q', passagePrefix: 'P' });
  for (const kind of ['query', 'passage', 'query', 'passage'] as const) await embedder.embed(['a'], { kind });
  expect(engine.runs).toEqual(['Qa', 'Pa']);
});

test('a clipped text is not taken for the whole one', async () => {
  const engine = scriptedEngine();
  const embedder = await cachedOn(engine);
  await embedder.embed(['abcdef'], { kind: 'query', maxTokens: 3 });
  await embedder.embed(['abcdef'], { kind: 'query' });
  expect(engine.runs).toEqual(['abc', 'abcdef']);
});

test('what could not be embedded is tried again next time', async () => {
  let broken = true;
  const engine = scriptedEngine((text) => {
    if (broken) throw new Error('not now');
    return [1, text.length];
  });
  const embedder = await cachedOn(engine);
  expect(await embedder.embed(['a'], { kind: 'passage' })).toEqual([undefined]);
  broken = false;
  expect(await embedder.embed(['a'], { kind: 'passage' })).toEqual([expect.anything()]);
});

test('what was done before an abort is kept', async () => {
  const controller = new AbortController();
  const texts = Array.from({ length: 40 }, (_, index) => `t${index}`);
  const engine = scriptedEngine((text) => {
    if (text === 't20') controller.abort();
    return [1, 1];
  }, 1);
  const embedder = await cachedOn(engine);
  await expect(embedder.embed(texts, { kind: 'passage', signal: controller.signal })).rejects.toThrow(/abort/i);
  const before = engine.runs.length;
  await embedder.embed(texts.slice(0, 16), { kind: 'passage' });
  expect([before, engine.runs.length]).toEqual([21, 21]);
});
