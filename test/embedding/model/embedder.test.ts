import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Embedder, loadEmbedder } from '../../../src/embedding/embedder.ts';
import { defaultModel, inspectModel } from '../../../src/embedding/model.ts';
import { packageRoot } from '../../../src/platform/native.ts';
import { useFolder } from '../folder.ts';
import { writeGguf } from '../gguf-file.ts';
import { cosine, PARITY_CASES } from '../parity.ts';
import { note, whyNot } from './load.ts';

const path = useFolder();
const model = defaultModel(packageRoot());
const passage = { kind: 'passage' } as const;

describe.skipIf(whyNot !== undefined)(`the default model${note}`, () => {
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await loadEmbedder(model);
  });
  afterAll(() => embedder.dispose());

  test('gives the vectors of the original, text by text and on the whole', async () => {
    const vectors = await embedder.embed(
      PARITY_CASES.map(({ text }) => text),
      passage,
    );
    const cosines = PARITY_CASES.map(({ vector }, index) => cosine(vectors[index] ?? new Float32Array(), vector));
    const poor = PARITY_CASES.filter((_, index) => (cosines[index] ?? 0) < 0.998).map(({ text }) => text);
    expect(poor).toEqual([]);
    expect(cosines.reduce((sum, value) => sum + value, 0) / cosines.length).toBeGreaterThanOrEqual(0.999);
  });

  test('gives a text the same vector every time, alone and among others', async () => {
    const text = 'a text of more than one run. '.repeat(60);
    const [alone] = await embedder.embed([text], passage);
    const among = await embedder.embed(['first', text, 'last', text], passage);
    expect([among[1], among[3]]).toEqual([alone, alone]);
  });

  test('finds what is meant nearer than what is not', async () => {
    const [query, near, far] = await embedder.embed(
      [
        'how do I undo the last commit?',
        'git reset --soft HEAD~1 keeps your changes',
        'bake at 180 degrees for an hour',
      ],
      passage,
    );
    if (!query || !near || !far) throw new Error('a text has no vector');
    expect(cosine(query, near)).toBeGreaterThan(cosine(query, far) + 0.2);
  });

  test('takes runs of its full length', async () => {
    const [vector] = await embedder.embed(['word '.repeat(254 * 3)], passage);
    expect(vector && Math.hypot(...vector)).toBeCloseTo(1, 5);
  });

  test('has no vector for white space', async () => {
    expect(await embedder.embed(['', ' \n\t '], passage)).toEqual([undefined, undefined]);
  });
});

describe.skipIf(whyNot !== undefined)(`other files${note}`, () => {
  test('a model without its tokenizer works with llama.cpp’s, and is another model', async () => {
    copyFileSync(model.path, path('all-MiniLM-L6-v2.Q8_0.gguf'));
    const bare = inspectModel(path('all-MiniLM-L6-v2.Q8_0.gguf'));
    expect(bare.id).not.toBe(model.id);
    const embedder = await loadEmbedder(bare, { contexts: 1 });
    const [first] = PARITY_CASES;
    const [vector] = await embedder.embed([first?.text ?? ''], passage);
    await embedder.dispose();
    expect(cosine(vector ?? new Float32Array(), first?.vector ?? new Float32Array())).toBeGreaterThan(0.998);
  });

  test('a file with a sound header and nothing behind it is an error that says what to do', async () => {
    const broken = inspectModel(writeGguf(path('broken.gguf')));
    await expect(loadEmbedder(broken)).rejects.toEqual(
      expect.objectContaining({ code: 'E_MODEL', hint: 'chitta model verify' }),
    );
  });
});

const source = join(packageRoot(), '..', 'shared', 'models', 'parity-cases.json');

test.skipIf(!existsSync(source))('the cases here are those they were made from (skipped without them)', () => {
  // Written by ourselves, in exactly this shape.
  const { cases } = JSON.parse(readFileSync(source, 'utf8')) as { cases: { text: string; token_ids: number[] }[] };
  expect(PARITY_CASES.map(({ text, ids }) => [text, ids])).toEqual(
    cases.map(({ text, token_ids: ids }) => [text, ids]),
  );
});
