import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultModel, inspectModel } from '../../src/embedding/model.ts';
import { packageRoot } from '../../src/platform/native.ts';
import { useFolder } from './folder.ts';
import { bertMetadata, TINY_TOKENIZER, writeGguf } from './gguf-file.ts';

const path = useFolder();
const root = packageRoot();

test('the files of the default model are those of SHA256SUMS', () => {
  const lines = readFileSync(join(root, 'models', 'SHA256SUMS'), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => line.split('  ')[1])).toEqual(['all-MiniLM-L6-v2.Q8_0.gguf', 'tokenizer.json']);
  for (const line of lines) {
    const [sum, name = ''] = line.split('  ');
    const bytes = readFileSync(join(root, 'models', name));
    expect([name, createHash('sha256').update(bytes).digest('hex')]).toEqual([name, sum]);
  }
});

test('what is written down of the default model is what its files say', () => {
  const model = defaultModel(root);
  expect(inspectModel(model.path)).toEqual(model);
  expect(model.id).toMatch(/^all-MiniLM-L6-v2\.Q8-0-[0-9a-f]{8}$/);
});

const families: [name: string, pooling: number, query: string, passage: string, chunk: number][] = [
  ['all-MiniLM-L12-v2.Q8_0', 1, '', '', 256],
  ['bge-small-en-v1.5-q8_0', 2, 'Represent this sentence for searching relevant passages: ', '', 511],
  ['bge-m3-Q4_K_M', 2, '', '', 511],
  ['mxbai-embed-large-v1-f16', 2, 'Represent this sentence for searching relevant passages: ', '', 511],
  ['snowflake-arctic-embed-m-v1.5', 2, 'Represent this sentence for searching relevant passages: ', '', 511],
  ['snowflake-arctic-embed-l-v2.0', 2, '', '', 511],
  ['e5-small-v2', 1, 'query: ', 'passage: ', 511],
  ['multilingual-e5-base-Q8_0', 1, 'query: ', 'passage: ', 511],
  ['multilingual-e5-large-instruct', 1, '', '', 511],
  ['nomic-embed-text-v1.5.Q8_0', 1, 'search_query: ', 'search_document: ', 511],
  ['something-new', 3, '', '', 511],
];

test.each(families)('%s (pooling %i) gets the words of its family', (name, pooling, query, passage, chunk) => {
  const model = inspectModel(writeGguf(path(`${name}.gguf`), bertMetadata({ 'bert.pooling_type': pooling })));
  expect(model).toMatchObject({ name, queryPrefix: query, passagePrefix: passage, chunkTokens: chunk });
});

test('a family is also known by the name in the file and by the folder of its repository', () => {
  const named = writeGguf(path('model.gguf'), bertMetadata({ 'general.name': 'E5 Small V2' }));
  const pulled = writeGguf(path('nomic-ai--nomic-embed-text-v1.5-GGUF', 'q8.gguf'));
  expect(inspectModel(named).passagePrefix).toBe('passage: ');
  expect(inspectModel(pulled).passagePrefix).toBe('search_document: ');
});

test('runs are never longer than the model was built for', () => {
  expect(inspectModel(writeGguf(path('m.gguf'), bertMetadata({ 'bert.context_length': 128 }))).chunkTokens).toBe(127);
});

const refused: [name: string, changes: Parameters<typeof bertMetadata>[0], reason: RegExp][] = [
  ['a model that writes text', { 'bert.pooling_type': 0 }, /does not pool/],
  ['a re-ranker', { 'bert.pooling_type': 4 }, /does not pool/],
  ['a file without sizes', { 'bert.embedding_length': 0 }, /names no size/],
  [
    'a family converted with the wrong pooling',
    { 'general.name': 'bge-base-en-v1.5' },
    /pools by mean, its family by cls/,
  ],
];

test.each(refused)('refuses %s', (_name, changes, reason) => {
  const file = writeGguf(path('m.gguf'), bertMetadata(changes));
  expect(() => inspectModel(file)).toThrow(reason);
  expect(() => inspectModel(file)).toThrow(expect.objectContaining({ code: 'E_MODEL' }));
});

test('the id follows the content of the files, not where or when they were written', () => {
  const file = writeGguf(path('m.gguf'));
  const { id } = inspectModel(file);
  copyFileSync(writeGguf(path('elsewhere', 'm.gguf')), path('m.gguf'));
  utimesSync(file, 1, 1);
  expect(inspectModel(file).id).toBe(id);
  expect(inspectModel(path('elsewhere', 'm.gguf')).id).toBe(id);
});

test('another weight, tokenizer or pooling is another id', () => {
  const file = writeGguf(path('m.gguf'));
  const ids = [inspectModel(file).id];
  writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from('x')]));
  ids.push(inspectModel(file).id);
  writeFileSync(path('tokenizer.json'), JSON.stringify(TINY_TOKENIZER));
  ids.push(inspectModel(file).id);
  writeGguf(file, bertMetadata({ 'bert.pooling_type': 2 }));
  ids.push(inspectModel(file).id);
  expect(new Set(ids).size).toBe(4);
});

test('an id is fit for the name of a file, whatever the model is called', () => {
  expect(inspectModel(writeGguf(path('Ünï  cødé (1) "x".gguf'))).id).toMatch(/^[A-Za-z0-9.-]+-[0-9a-f]{8}$/);
  expect(inspectModel(writeGguf(path(`${'long'.repeat(40)}.gguf`))).id.length).toBeLessThan(60);
});
