import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../src/embedding/embedder.ts';
import { defaultModel, inspectModel } from '../../src/embedding/model.ts';
import { loadTokenizer, tokenizerFrom } from '../../src/embedding/tokenizer.ts';
import { packageRoot } from '../../src/platform/native.ts';
import { useFolder } from './folder.ts';
import { bertMetadata, TINY_TOKENIZER, writeGguf } from './gguf-file.ts';
import { PARITY_CASES } from './parity.ts';

const path = useFolder();
const model = defaultModel(packageRoot());
const tokenizer = loadTokenizer(model);
if (!tokenizer) throw new Error('the default model has lost its tokenizer');

describe('the default model', () => {
  test.each(PARITY_CASES)('$category: $text has the token numbers of the reference', ({ text, ids }) => {
    expect(runsOf(model, tokenizer, text, { kind: 'passage' }).map((run) => run.ids)).toEqual([ids]);
  });

  test.each(['[CLS]', '[SEP] and [PAD]', 'the [MASK] of [UNK]'])('%s in a text is text', (text) => {
    const ids = tokenizer.encode(text);
    const specials = new Set([0, 101, 102, 103]);
    expect(ids.filter((id) => specials.has(id))).toEqual([]);
    expect(ids.length).toBeGreaterThan(2);
  });

  test('a word of more than 100 characters is one unknown token, not a hundred', () => {
    expect(tokenizer.encode('x'.repeat(101))).toEqual([100]);
  });

  test('control characters and lone surrogates are left out', () => {
    expect(tokenizer.encode('a\u0000\ud800b\u0085')).toEqual(tokenizer.encode('ab'));
  });

  test('every run is framed and short enough, whatever the text', () => {
    const word = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('[CLS]', 'token', ' ', '\n', '안녕', 'ß'));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 400 }), (words) => {
        for (const { ids, tokens } of runsOf(model, tokenizer, words.join(''), { kind: 'passage' })) {
          expect([ids[0], ids.at(-1)]).toEqual([101, 102]);
          expect(ids).toHaveLength(tokens + 2);
          expect(ids.length).toBeLessThanOrEqual(256);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('a tokenizer beside a model', () => {
  test('is used', () => {
    writeFileSync(path('tokenizer.json'), JSON.stringify(TINY_TOKENIZER));
    const tiny = loadTokenizer(inspectModel(writeGguf(path('m.gguf'))));
    expect(tiny).toMatchObject({ start: [2], end: [3] });
    expect(tiny?.encode('ac b [SEP] z')).toEqual([4, 6, 5, 1, 1, 1, 1]);
  });

  test('is missing: then there is none, and llama.cpp has to do', () => {
    expect(loadTokenizer(inspectModel(writeGguf(path('m.gguf'))))).toBeUndefined();
  });

  const strangers: [name: string, content: string, metadata: Parameters<typeof bertMetadata>[0]][] = [
    ['is no JSON', '<html>', {}],
    ['is something else', '{"model":{}}', {}],
    ['has more words than the model', JSON.stringify(TINY_TOKENIZER), { 'tokenizer.ggml.tokens': ['a', 'b'] }],
    ['starts texts with another token', JSON.stringify(TINY_TOKENIZER), { 'tokenizer.ggml.bos_token_id': 0 }],
  ];

  test.each(strangers)('is refused if it %s', (_name, content, metadata) => {
    writeFileSync(path('tokenizer.json'), content);
    const spec = inspectModel(writeGguf(path('m.gguf'), bertMetadata(metadata)));
    expect(() => loadTokenizer(spec)).toThrow(expect.objectContaining({ code: 'E_MODEL' }));
  });
});

test('numbers of special tokens cannot come out of a text, even if the vocabulary has their names as words', () => {
  const vocab = [
    ['<s>', 0],
    ['</s>', 0],
    ['<unk>', 0],
    ['a', -1],
    ['▁', -2],
  ];
  const special = (content: string, id: number): object => ({ id, content, special: true, normalized: false });
  const unigram = tokenizerFrom({
    added_tokens: [special('<s>', 0), special('</s>', 1), special('<unk>', 2)],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: '<s>' } }, { Sequence: { id: 'A' } }, { SpecialToken: { id: '</s>' } }],
      pair: [],
    },
    decoder: null,
    model: { type: 'Unigram', unk_id: 2, vocab },
  });
  expect([unigram.start, unigram.end]).toEqual([[0], [1]]);
  const ids = unigram.encode('a<s>a</s>');
  expect(ids).not.toContain(0);
  expect(ids).not.toContain(1);
  expect(ids).toContain(3);
});

test('the vocabulary of the file is read as it stands', () => {
  const { model: definition } = JSON.parse(readFileSync(model.tokenizerPath ?? '', 'utf8')) as {
    model: { vocab: Record<string, number> };
  };
  expect(tokenizer.encode('compaction memory')).toEqual(
    ['compact', '##ion', 'memory'].map((piece) => definition.vocab[piece]),
  );
});
