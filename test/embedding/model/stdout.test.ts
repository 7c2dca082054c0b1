import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { build } from 'tsdown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/platform/native.ts';
import { bertMetadata, ggufBytes } from '../gguf-file.ts';
import { note, whyNot } from './load.ts';

/** Inside the package, so that what is bundled finds the model and the native packages as an installed chitta does. */
const cache = join(packageRoot(), '.cache');
let folder = '';

beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'embedding-'));
  writeFileSync(
    join(folder, 'entry.ts'),
    `export * from '../../src/embedding/embedder.ts';
     export * from '../../src/embedding/model.ts';
     export { packageRoot } from '../../src/platform/native.ts';`,
  );
  await build({
    config: false,
    entry: join(folder, 'entry.ts'),
    outDir: join(folder, 'dist'),
    platform: 'node',
    dts: false,
    logLevel: 'silent',
    deps: { neverBundle: ['better-sqlite3', 'node-llama-cpp'], alwaysBundle: [/.*/] },
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(whyNot !== undefined)(`in a process of its own, bundled${note}`, () => {
  test('nothing but what the program writes reaches stdout: not of a model that works, not of one that does not', async () => {
    writeFileSync(join(folder, 'broken.gguf'), ggufBytes(bertMetadata()));
    const script = `
      const { defaultModel, inspectModel, loadEmbedder, packageRoot } = await import('./dist/entry.mjs');
      const said = [];
      const log = (line) => said.push(line);
      const failure = await loadEmbedder(inspectModel('broken.gguf'), { log }).catch((error) => error.code);
      const embedder = await loadEmbedder(defaultModel(packageRoot()), { log });
      const [vector, none] = await embedder.embed(['a text', ''], { kind: 'passage' });
      await embedder.dispose();
      process.stdout.write(JSON.stringify({ failure, length: vector.length, none: none === undefined, said: said.length > 0 }));
    `;
    writeFileSync(join(folder, 'script.mjs'), script);
    const { stdout, exitCode } = await execa('node', ['script.mjs'], {
      cwd: folder,
      // llama.cpp's own switch for more words.
      env: { NODE_LLAMA_CPP_DEBUG: 'true' },
    });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ failure: 'E_MODEL', length: 384, none: true, said: true });
  });
});
