/** The rules together with the cosines of the model that comes with chitta. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COVERED_FROM } from '../../src/compaction/formula.ts';
import { type Embedder, loadEmbedder } from '../../src/embedding/embedder.ts';
import { defaultModel } from '../../src/embedding/model.ts';
import { packageRoot } from '../../src/platform/native.ts';
import { coverageOf } from '../../src/scoring/coverage.ts';
import { note, whyNot } from '../embedding/model/load.ts';
import { cosine } from '../embedding/parity.ts';
import { type Pair, RESTATED, TRAPS } from './pairs.ts';

describe.skipIf(whyNot !== undefined)(`what covers what, by the real model${note}`, () => {
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await loadEmbedder(defaultModel(packageRoot()));
  });
  afterAll(() => embedder.dispose());

  async function coverages(pairs: readonly Pair[]): Promise<[turn: string, coverage: number][]> {
    const embed = (at: 0 | 1): Promise<(Float32Array | undefined)[]> =>
      embedder.embed(
        pairs.map((pair) => pair[at]),
        { kind: 'passage' },
      );
    const [turns, memories] = [await embed(0), await embed(1)];
    return pairs.map(([turn, text], index) => {
      const [one, other] = [turns[index], memories[index]];
      if (one === undefined || other === undefined) throw new Error(`no vector for ${turn}`);
      return [turn, coverageOf(turn, [{ cosine: cosine(one, other), text }])];
    });
  }

  test('no memory covers a turn that says something else or more', async () => {
    expect((await coverages(TRAPS)).filter(([, coverage]) => coverage >= 0.5)).toEqual([]);
  });

  test('a memory covers nearly every turn that says the same', async () => {
    const missed = (await coverages(RESTATED)).filter(([, coverage]) => coverage < COVERED_FROM).map(([turn]) => turn);
    // Of these the words are too few alike, or a word stands in place of another that means the same.
    expect(missed.toSorted()).toEqual([
      'Customers see prices including VAT.',
      'Environment variables go before the config file.',
      'Please answer in German.',
      'The logger writes JSON lines to stdout.',
      'We never log request bodies.',
      "We're on PostgreSQL 16.",
    ]);
  });
});
