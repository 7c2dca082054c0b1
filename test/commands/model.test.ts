import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { addModelCommand, progressOn, renderProgress } from '../../src/commands/model.ts';
import { Shelf } from '../../src/embedding/shelf.ts';
import type { Output } from '../../src/commands/context.ts';
import { packageRoot } from '../../src/platform/native.ts';
import { bertMetadata, writeGguf } from '../embedding/gguf-file.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'chitta-model-'));
  mkdirSync(home(), { mode: 0o700 });
  process.exitCode = undefined;
});
afterEach(() => {
  process.exitCode = undefined;
  rmSync(root, { recursive: true, force: true });
});
const home = (): string => join(root, 'home');

interface Said {
  out: string;
  err: string;
}

async function run(words: string[], { env = {}, packageAt = packageRoot() } = {}): Promise<Said> {
  const said: Said = { out: '', err: '' };
  const all = { CHITTA_HOME: home(), ...env };
  const program = new Command('chitta').exitOverride();
  addModelCommand(program, {
    env: all,
    cwd: root,
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    serveMcp: () => Promise.reject(new Error('there is no client')),
    openApp: async () => ({
      ...createApp({ env: all, cwd: root, version: '0.0.0' }),
      openModels: async () => new Shelf({ env: all, home: home(), root: packageAt, cwd: root }),
    }),
    print: async (text) => void (said.out += text),
    note: (text) => void (said.err += `${text}\n`),
  });
  await program.parseAsync(['model', ...words], { from: 'user' });
  return said;
}

const plain = (text: string): string => text.replaceAll(root, '<root>').replaceAll(packageRoot(), '<package>');

describe('list', () => {
  test('says which models there are, how each is used, and which is in use', async () => {
    writeGguf(join(home(), 'models', 'intfloat--e5-small-v2', 'e5-small-v2.gguf'));
    writeFileSync(join(home(), 'models', 'broken.gguf'), 'x');
    expect(plain((await run([])).out).replace(/-[0-9a-f]{8}$/gm, '-<hash>')).toMatchInlineSnapshot(`
      "* all-MiniLM-L6-v2.Q8_0  the default
          built-in, <package>/models/all-MiniLM-L6-v2.Q8_0.gguf
          384 numbers by mean pooling, 256 of 512 tokens at once, its own tokenizer
          vectors: all-MiniLM-L6-v2.Q8-0-<hash>
        broken
          <root>/home/models/broken.gguf cannot be used as a model: it ends inside its header
        e5-small-v2
          pulled, <root>/home/models/intfloat--e5-small-v2/e5-small-v2.gguf
          8 numbers by mean pooling, 511 of 512 tokens at once, llama.cpp's tokenizer: wrong for some scripts
          queries after "query: "
          texts after "passage: "
          vectors: e5-small-v2-<hash>
      "
    `);
  });

  test('as JSON', async () => {
    const { models, chosen_by: chosenBy } = JSON.parse((await run(['list', '--json'])).out);
    expect(chosenBy).toBe('default');
    expect(models).toEqual([
      {
        name: 'all-MiniLM-L6-v2.Q8_0',
        path: join(packageRoot(), 'models', 'all-MiniLM-L6-v2.Q8_0.gguf'),
        origin: 'built-in',
        chosen: true,
        id: expect.stringMatching(/^all-MiniLM-L6-v2\.Q8-0-/),
        dim: 384,
        pooling: 'mean',
        context_tokens: 512,
        chunk_tokens: 256,
        query_prefix: '',
        passage_prefix: '',
        tokenizer: 'tokenizer.json',
      },
    ]);
  });

  test('tells if the model that was asked for is not there', async () => {
    expect((await run([], { env: { CHITTA_MODEL: 'nothing' } })).out).toMatch(/there is no model nothing\n$/);
  });
});

describe('use', () => {
  test('keeps the choice and says so, on stderr', async () => {
    const said = await run(['use', writeGguf(join(root, 'own.gguf'))]);
    expect(said).toEqual({ out: '', err: 'chitta: own is used from now on\n' });
    expect((await run([])).out).toMatch(/\* own {2}chosen with chitta model use/);
  });

  test('warns if the choice has no effect', async () => {
    const file = writeGguf(join(root, 'own.gguf'));
    expect((await run(['use', 'default'], { env: { CHITTA_MODEL: file } })).err).toMatch(/CHITTA_MODEL is set/);
  });

  test('rejects what is no model', async () => {
    const file = writeGguf(join(root, 'chat.gguf'), bertMetadata({ 'bert.pooling_type': 0 }));
    await expect(run(['use', file])).rejects.toMatchObject({ code: 'E_MODEL' });
  });
});

describe('verify', () => {
  test('checks the files that come with chitta', async () => {
    expect(plain((await run(['verify'])).out)).toBe(
      'ok       <package>/models/all-MiniLM-L6-v2.Q8_0.gguf\nok       <package>/models/tokenizer.json\n',
    );
    expect(process.exitCode).toBeUndefined();
  });

  test('ends with 1 if a file is not what it was', async () => {
    mkdirSync(join(root, 'models'));
    writeFileSync(join(root, 'models', 'SHA256SUMS'), `${'0'.repeat(64)}  gone.gguf\n`);
    const { out } = await run(['verify', '--json'], { packageAt: root });
    expect(JSON.parse(out)).toEqual({
      ok: false,
      files: [{ path: join(root, 'models', 'gone.gguf'), state: 'missing' }],
    });
    expect(process.exitCode).toBe(1);
  });
});

test.each([
  [0, 100e6, '░░░░░░░░░░░░░░░░░░░░░░░░   0 %  0.0 of 100.0 MB'],
  [50.5e6, 100e6, '████████████░░░░░░░░░░░░  50 %  50.5 of 100.0 MB'],
  [100e6, 100e6, '████████████████████████ 100 %  100.0 of 100.0 MB'],
  [0, 0, '████████████████████████ 100 %  0.0 of 0.0 MB'],
])('a download of %i of %i bytes is drawn as %s', (doneBytes, totalBytes, bar) => {
  expect(renderProgress({ doneBytes, totalBytes })).toBe(bar);
});

test.each([
  [true, ['\r░░░░░░░░░░░░░░░░░░░░░░░░   0 %  0.0 of 1.0 MB', '\r████████████░░░░░░░░░░░░  50 %  0.5 of 1.0 MB', '\n']],
  [false, []],
])('progress is drawn on a terminal (%j) and nowhere else, each picture once', (isTTY, expected) => {
  const drawn: string[] = [];
  const stderr: Output = Object.assign(new PassThrough(), { isTTY });
  stderr.on('data', (chunk: Buffer) => drawn.push(chunk.toString()));
  const progress = progressOn(stderr);
  for (const doneBytes of [0, 1, 2, 500_000, 500_001]) progress.draw({ doneBytes, totalBytes: 1_000_000 });
  progress.end();
  expect(drawn).toEqual(expected);
});
