import { expect, test } from 'vitest';
import { chooseFile, type ModelShelf, parseReference, pullModel, verifyModels } from '../../src/actions/model.ts';

const references: [reference: string, repository: string, file: string | undefined][] = [
  ['someone/tiny-GGUF', 'someone/tiny-GGUF', undefined],
  ['someone/tiny-GGUF/tiny.gguf', 'someone/tiny-GGUF', 'tiny.gguf'],
  ['someone/tiny-GGUF/gguf/tiny.gguf', 'someone/tiny-GGUF', 'gguf/tiny.gguf'],
  ['hf:someone/tiny-GGUF', 'someone/tiny-GGUF', undefined],
  ['https://huggingface.co/someone/tiny-GGUF', 'someone/tiny-GGUF', undefined],
  ['https://huggingface.co/someone/tiny-GGUF/blob/main/tiny.gguf', 'someone/tiny-GGUF', 'tiny.gguf'],
];

test.each(references)('%s is a file of a repository', (reference, repository, file) => {
  expect(parseReference(reference)).toEqual({ repository, file });
});

const nonsense = [
  '',
  'tiny',
  'a/b/model.safetensors',
  'a/../b.gguf',
  '../../etc/passwd',
  'a/b c',
  'a/b/../../c.gguf',
  './a',
];

test.each([...nonsense, 'https://example.com/a/b.gguf'])('%j is none', (reference) => {
  expect(() => parseReference(reference)).toThrow(expect.objectContaining({ code: 'E_USAGE' }));
});

const choices: [files: string[], chosen: string, why: string][] = [
  [['README.md', 'tiny.f16.gguf'], 'tiny.f16.gguf', 'the only one'],
  [['tiny.f16.gguf', 'tiny.Q8_0.gguf', 'tiny.Q4_K_M.gguf'], 'tiny.Q8_0.gguf', 'the one of 8 bits'],
  [['tiny-f16.gguf', 'tiny-q8_0.gguf'], 'tiny-q8_0.gguf', 'in small letters too'],
];

test.each(choices)('of %j it is %s: %s', (files, chosen) => {
  expect(chooseFile('a/b', files)).toBe(chosen);
});

const unclear: [files: string[], message: RegExp][] = [
  [[], /a\/b holds no GGUF file/],
  [['model.safetensors'], /holds no GGUF file/],
  [['x.f16.gguf', 'x.Q4_0.gguf'], /several models: x\.f16\.gguf, x\.Q4_0\.gguf$/],
  [['x.Q8_0.gguf', 'y.Q8_0.gguf'], /several models/],
  [Array.from({ length: 20 }, (_, index) => `m${index}.gguf`), /m11\.gguf, and 8 more$/],
];

test.each(unclear)('of %j a person has to choose', (files, message) => {
  expect(() => chooseFile('a/b', files)).toThrow(message);
});

const unused = (): never => {
  throw new Error('not asked for');
};
const shelf: ModelShelf = { list: unused, use: unused, verify: unused, filesOf: unused, fetch: unused };
const pulled = {
  name: 'x',
  path: '/x.gguf',
  origin: 'pulled',
  chosen: false,
  details: undefined,
  problem: undefined,
} as const;

test('a pull looks into the repository only if no file was named, and says which it takes', async () => {
  const said: unknown[] = [];
  const fetch: ModelShelf['fetch'] = async (remote) => {
    said.push(remote);
    return pulled;
  };
  const onFile = (file: string): void => void said.push(file);
  await pullModel({ ...shelf, fetch }, { reference: 'a/b/c.gguf', onFile });
  await pullModel(
    { ...shelf, fetch, filesOf: async () => ['d.gguf'] },
    { reference: 'a/b', baseUrl: 'http://here', onFile },
  );
  expect(said).toEqual([
    'a/b/c.gguf',
    { repository: 'a/b', file: 'c.gguf', baseUrl: 'https://huggingface.co' },
    'a/b/d.gguf',
    { repository: 'a/b', file: 'd.gguf', baseUrl: 'http://here' },
  ]);
});

test.each([
  [['ok', 'ok'], true],
  [['ok', 'unrecorded'], true],
  [['ok', 'differs'], false],
  [['missing'], false],
] as const)('files that are %j are in order: %j', async (states, ok) => {
  const files = states.map((state) => ({ path: '/m.gguf', state }));
  expect(await verifyModels({ ...shelf, verify: async () => files })).toEqual({ ok, files });
});
