import { expect, test } from 'vitest';
import { modelProbe } from '../../src/embedding/probe.ts';
import { Shelf, type ShelfOptions } from '../../src/embedding/shelf.ts';
import { packageRoot } from '../../src/platform/native.ts';
import { useFolder } from './folder.ts';
import { bertMetadata, writeGguf } from './gguf-file.ts';

const path = useFolder();
const at = (changes: Partial<ShelfOptions> = {}): ShelfOptions => ({
  env: {},
  home: path('home'),
  root: packageRoot(),
  cwd: path(),
  ...changes,
});

test('the default model, whole, is fine', async () => {
  expect(await modelProbe(at()).run()).toEqual([
    { name: 'model', state: 'ok', detail: expect.stringMatching(/^all-MiniLM-L6-v2\.Q8-0-[0-9a-f]{8}$/) },
  ]);
});

test('a model without its tokenizer works, with a warning', async () => {
  const [check] = await modelProbe(at({ env: { CHITTA_MODEL: writeGguf(path('own.gguf')) } })).run();
  expect(check).toMatchObject({ state: 'warn', detail: expect.stringMatching(/chosen by CHITTA_MODEL: llama\.cpp/) });
});

test('a model that is not there fails, and says what to do', async () => {
  expect(await modelProbe(at({ env: { CHITTA_MODEL: 'nothing' } })).run()).toEqual([
    { name: 'model', state: 'fail', detail: 'there is no model nothing', fix: 'chitta model list' },
  ]);
});

test('a file that changed since it was chosen fails', async () => {
  const file = writeGguf(path('own.gguf'));
  await new Shelf(at()).use(file);
  writeGguf(file, bertMetadata({ 'general.name': 'tampered' }));
  expect(await modelProbe(at()).run()).toEqual([
    { name: 'model', state: 'fail', detail: `${file} is not what it was`, fix: expect.any(String) },
  ]);
});

test('a package without its model fails', async () => {
  const [check] = await modelProbe(at({ root: path('package') })).run();
  expect(check).toMatchObject({ state: 'fail', detail: expect.stringMatching(/SHA256SUMS is missing$/) });
});
