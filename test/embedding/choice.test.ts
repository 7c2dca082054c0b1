import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { findModel, type ModelPlaces, resolveModel } from '../../src/embedding/choice.ts';
import { defaultModel, inspectModel } from '../../src/embedding/model.ts';
import { Shelf } from '../../src/embedding/shelf.ts';
import type { Env } from '../../src/platform/env.ts';
import { packageRoot } from '../../src/platform/native.ts';
import { useFolder } from './folder.ts';
import { bertMetadata, writeGguf } from './gguf-file.ts';

const path = useFolder();
const root = packageRoot();
let places: ModelPlaces;
beforeEach(() => {
  places = { home: path('home'), root };
});

const shelf = (env: Env = {}): Shelf => new Shelf({ env, home: places.home, root, cwd: path() });
function pulled(repository: string, file: string): string {
  mkdirSync(places.home, { recursive: true, mode: 0o700 });
  return writeGguf(path('home', 'models', repository, file));
}
const failure = expect.objectContaining({ code: 'E_MODEL' });

describe('what a name means', () => {
  test.each(['default', 'all-MiniLM-L6-v2', 'all-MiniLM-L6-v2.Q8_0'])(
    '%s is the model that comes with chitta',
    (name) => {
      expect(findModel(name, places, path())).toEqual(defaultModel(root));
    },
  );

  test('a pulled model goes by the name of its file, with or without the ending', () => {
    const file = pulled('someone--tiny', 'tiny.q8.gguf');
    expect(findModel('tiny.q8', places, path()).path).toBe(file);
    expect(findModel('tiny.q8.gguf', places, path()).path).toBe(file);
  });

  test('a name that two pulled models share has to be a path', () => {
    const [one, two] = [pulled('a--b', 'q8.gguf'), pulled('c--d', 'q8.gguf')];
    expect(() => findModel('q8', places, path())).toThrow(`${one} or ${two}`);
    expect(findModel(two, places, path()).path).toBe(two);
  });

  test('anything else is a path, from where the person is', () => {
    const file = writeGguf(path('here.gguf'));
    expect(findModel('here.gguf', places, path()).path).toBe(file);
    expect(() => findModel('there.gguf', places, path())).toThrow(failure);
    expect(() => findModel('.', places, path())).toThrow(failure);
  });
});

describe('which model is used', () => {
  test('without a word, the one that comes with chitta, and nothing is read or written', () => {
    expect(resolveModel({}, places, path())).toEqual({ model: defaultModel(root), chosenBy: 'default' });
    expect(statSync(places.home, { throwIfNoEntry: false })).toBeUndefined();
  });

  test('the chosen one, until another or the default is chosen', async () => {
    const file = writeGguf(path('own.gguf'));
    await shelf().use(file);
    expect(resolveModel({}, places, path())).toMatchObject({ model: inspectModel(file), chosenBy: 'model.json' });
    await shelf().use('default');
    expect(resolveModel({}, places, path()).chosenBy).toBe('default');
  });

  test('CHITTA_MODEL goes before both; empty is not set', async () => {
    await shelf().use(writeGguf(path('own.gguf')));
    const other = writeGguf(path('other.gguf'));
    expect(resolveModel({ CHITTA_MODEL: other }, places, path())).toMatchObject({
      model: { path: other },
      chosenBy: 'CHITTA_MODEL',
    });
    expect(resolveModel({ CHITTA_MODEL: 'default' }, places, path()).model).toEqual(defaultModel(root));
    expect(resolveModel({ CHITTA_MODEL: '' }, places, path()).chosenBy).toBe('model.json');
  });

  test('a file that changed under its path is another model', async () => {
    const file = writeGguf(path('own.gguf'));
    const { details } = await shelf().use(file);
    writeGguf(file, bertMetadata({ 'bert.pooling_type': 2, more: 'bytes' }));
    const { model } = resolveModel({}, places, path());
    expect(model.id).not.toBe(details?.id);
    expect(model.pooling).toBe('cls');
  });

  test('a choice that is gone or cannot be read is an error, never silently another model', async () => {
    const file = writeGguf(path('own.gguf'));
    await shelf().use(file);
    rmSync(file);
    expect(() => resolveModel({}, places, path())).toThrow(/is gone/);
    for (const text of ['', '{', '[]', '{"model":{"path":"own.gguf"},"sha256":"x"}']) {
      writeFileSync(path('home', 'model.json'), text);
      expect(() => resolveModel({}, places, path())).toThrow(failure);
    }
    expect(() => resolveModel({ CHITTA_MODEL: 'nothing' }, places, path())).toThrow(failure);
  });

  test('the choice is kept in a file for this user alone', async () => {
    await shelf().use(writeGguf(path('own.gguf')));
    expect(statSync(path('home', 'model.json')).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path('home', 'model.json'), 'utf8'))).toMatchObject({
      model: { name: 'own' },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('a home that is no folder is an error that names it', async () => {
    writeFileSync(places.home, '');
    await expect(shelf().use(writeGguf(path('own.gguf')))).rejects.toThrow(failure);
  });

  test('a model that cannot be used is not chosen', async () => {
    const file = writeGguf(path('chat.gguf'), bertMetadata({ 'bert.pooling_type': 0 }));
    await expect(shelf().use(file)).rejects.toThrow(/does not pool/);
    writeFileSync(path('tokenizer.json'), '{}');
    await expect(shelf().use(writeGguf(path('tiny.gguf')))).rejects.toThrow(/tokenizer/);
    expect(resolveModel({}, places, path()).chosenBy).toBe('default');
  });
});

describe('the list', () => {
  test('names the default, the pulled ones and the one in use, and says what is wrong with a file', async () => {
    pulled('a--b', 'fine.gguf');
    writeFileSync(path('home', 'models', 'a--b', 'broken.gguf'), 'not a model');
    await shelf().use(writeGguf(path('own.gguf')));
    const { models, chosenBy, problem } = shelf().list();
    expect([chosenBy, problem]).toEqual(['model.json', undefined]);
    expect(models.map(({ name, origin, chosen }) => [name, origin, chosen])).toEqual([
      ['all-MiniLM-L6-v2.Q8_0', 'built-in', false],
      ['broken', 'pulled', false],
      ['fine', 'pulled', false],
      ['own', 'path', true],
    ]);
    expect(models[1]).toMatchObject({ details: undefined, problem: expect.stringMatching(/not a GGUF file/) });
    expect(models[2]?.details).toMatchObject({ dim: 8, tokenizer: 'llama.cpp' });
  });

  test('says so if the one that was asked for is not there', () => {
    const { models, chosenBy, problem } = shelf({ CHITTA_MODEL: 'nothing' }).list();
    expect([models.length, models[0]?.chosen, chosenBy]).toEqual([1, false, 'CHITTA_MODEL']);
    expect(problem).toMatch(/there is no model nothing/);
  });
});

describe('verify', () => {
  test('finds the files of the default model whole', async () => {
    expect((await shelf().verify()).map(({ state }) => state)).toEqual(['ok', 'ok']);
  });

  test('notices a changed and a missing file of the package', async () => {
    writeFileSync(path('changed'), 'x');
    writeGguf(path('models', 'changed'));
    writeFileSync(path('models', 'SHA256SUMS'), `${'0'.repeat(64)}  changed\n${'1'.repeat(64)}  missing\n`);
    const checks = await new Shelf({ env: {}, home: places.home, root: path(), cwd: path() }).verify();
    expect(checks.map(({ state }) => state)).toEqual(['differs', 'missing']);
  });

  test('compares the chosen model with what it was, and has nothing to compare a named one with', async () => {
    const file = writeGguf(path('own.gguf'));
    await shelf().use(file);
    const other = writeGguf(path('other.gguf'));
    const states = async (): Promise<string[]> =>
      (await shelf({ CHITTA_MODEL: other }).verify()).map(({ state }) => state);
    expect(await states()).toEqual(['ok', 'ok', 'ok', 'unrecorded']);
    writeGguf(file, bertMetadata({ 'general.name': 'tampered' }));
    expect(await states()).toEqual(['ok', 'ok', 'differs', 'unrecorded']);
  });
});
