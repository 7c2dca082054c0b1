import { expect, test } from 'vitest';
import { type Embedder, embedderOn } from '../../src/embedding/embedder.ts';
import { LETTERS, scriptedEngine, scriptedModel } from './scripted.ts';

const passage = { kind: 'passage' } as const;

function direction([x = 0, y = 0]: ArrayLike<number> & Iterable<number>): number {
  return y / x;
}

async function directions(embedder: Embedder, texts: string[]): Promise<(number | undefined)[]> {
  return (await embedder.embed(texts, passage)).map((vector) => vector && Math.round(direction(vector) * 1000) / 1000);
}

test('vectors come in the order of the texts, whatever each takes', async () => {
  const slowFirst = async (text: string): Promise<number[]> => {
    for (let turn = text.length; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
    return [1, text.length];
  };
  const embedder = embedderOn(scriptedEngine(slowFirst), scriptedModel(), LETTERS);
  expect(await directions(embedder, ['a', 'bb', 'cccc', 'ddd'])).toEqual([1, 2, 4, 3]);
});

test('vectors are of length 1', async () => {
  const embedder = embedderOn(scriptedEngine(), scriptedModel(), LETTERS);
  const vectors = await embedder.embed(['a', 'bbbb', 'a longer text of several runs'], passage);
  expect(vectors.map((vector) => Math.hypot(...(vector ?? [])))).toEqual([
    expect.closeTo(1),
    expect.closeTo(1),
    expect.closeTo(1),
  ]);
});

test.each(['', ' ', '\n\t\u00a0\u3000'])('a text without words (%j) has no vector and costs nothing', async (text) => {
  const engine = scriptedEngine();
  expect(await embedderOn(engine, scriptedModel(), LETTERS).embed([text, 'a'], passage)).toEqual([
    undefined,
    expect.anything(),
  ]);
  expect(engine.runs).toEqual(['a']);
});

test('a long text goes in runs that leave room for the special tokens, each counted by its tokens', async () => {
  const engine = scriptedEngine((text) => (text.startsWith('a') ? [1, 0] : [0, 1]));
  const embedder = embedderOn(engine, scriptedModel(), LETTERS);
  expect(await directions(embedder, ['aaaaaaabbbbbbb'])).toEqual([1]);
  expect(engine.runs).toEqual(['aaaaaaa', 'bbbbbbb']);
});

test('a huge text costs 16 runs, from its start and its end', async () => {
  const engine = scriptedEngine();
  const text = `${'a'.repeat(1000)}${'m'.repeat(1_000_000)}${'z'.repeat(1000)}`;
  await embedderOn(engine, scriptedModel(), LETTERS).embed([text], passage);
  expect(engine.runs).toEqual([...Array(8).fill('a'.repeat(10)), ...Array(8).fill('z'.repeat(10))]);
});

test('queries and passages get the words the model expects, every run of them', async () => {
  const engine = scriptedEngine();
  const embedder = embedderOn(engine, scriptedModel({ queryPrefix: 'Q: ', passagePrefix: 'P: ' }), LETTERS);
  await embedder.embed(['where'], { kind: 'query' });
  await embedder.embed(['here, there'], passage);
  expect(engine.runs).toEqual(
    ['Q: where', 'P: here,', 'P: there'].map((run) => expect.stringContaining(run.slice(0, 3))),
  );
  expect(engine.runs.map((run) => run.slice(2)).join('')).toBe(' where here, there');
});

test('a clipped query is its first tokens, in one run', async () => {
  const engine = scriptedEngine();
  await embedderOn(engine, scriptedModel(), LETTERS).embed(['0123456789'.repeat(1000)], {
    kind: 'query',
    maxTokens: 8,
  });
  expect(engine.runs).toEqual(['01234567']);
});

test('a text that the model chokes on has no vector, the others do, and the log says so without its words', async () => {
  const said: string[] = [];
  const engine = scriptedEngine((text) => {
    if (text === 'bad') throw new Error('decode failed');
    return [1, 1];
  });
  const embedder = embedderOn(engine, scriptedModel(), LETTERS, (line) => said.push(line));
  expect(await directions(embedder, ['a', 'bad', 'c'])).toEqual([1, undefined, 1]);
  expect(said).toEqual(['a text of 3 characters could not be embedded: decode failed']);
});

test('runs are worked on in parallel, never more than there are contexts, also over several calls', async () => {
  const engine = scriptedEngine(undefined, 2);
  const embedder = embedderOn(engine, scriptedModel(), LETTERS);
  await Promise.all([1, 2, 3].map(() => embedder.embed(['a', 'b', 'c', 'd'], passage)));
  expect([engine.runs.length, engine.mostAtOnce()]).toEqual([12, 2]);
});

test('a short call does not wait for the whole of a long one', async () => {
  const engine = scriptedEngine();
  const embedder = embedderOn(engine, scriptedModel(), LETTERS);
  const long = embedder.embed(Array(100).fill('long'), passage);
  await embedder.embed(['short'], { kind: 'query' });
  expect(engine.runs.length).toBeLessThan(12);
  await long;
});

test('an abort ends the call between two runs, with the reason that was given', async () => {
  const controller = new AbortController();
  const engine = scriptedEngine((text) => {
    if (text === 'b') controller.abort(new Error('too late'));
    return [1, 1];
  }, 1);
  const embedder = embedderOn(engine, scriptedModel(), LETTERS);
  await expect(embedder.embed(['a', 'b', 'c', 'd'], { ...passage, signal: controller.signal })).rejects.toThrow(
    'too late',
  );
  expect(engine.runs).toEqual(['a', 'b']);
  expect(await directions(embedder, ['e'])).toEqual([1]);
});

test('nothing is embedded for a caller who has gone before it started', async () => {
  const engine = scriptedEngine();
  const signal = AbortSignal.abort(new Error('gone'));
  await expect(embedderOn(engine, scriptedModel(), LETTERS).embed(['a'], { ...passage, signal })).rejects.toThrow(
    'gone',
  );
  expect(engine.runs).toEqual([]);
});

test('letting go waits for the run at work, once; calls under way and later ones are told', async () => {
  const engine = scriptedEngine();
  const embedder = embedderOn(engine, scriptedModel(), LETTERS);
  const under = embedder.embed(Array(10).fill('a'), passage);
  const outcome = under.catch((error: unknown) => error);
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([embedder.dispose(), embedder.dispose()]);
  expect(await outcome).toMatchObject({ code: 'E_MODEL', message: expect.stringMatching(/was let go/) });
  await expect(embedder.embed(['a'], passage)).rejects.toThrow(/was let go/);
  expect(engine.disposals()).toBe(1);
});
