// The embedding modules as JavaScript, built on the spot: the package does not offer them to the outside, and Node 20
// reads no TypeScript. Below the project, so that node-llama-cpp and the model are found.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsdown';

const root = fileURLToPath(new URL('../../', import.meta.url));
const outDir = join(root, '.cache', 'bench-embedding');
const NAMES = ['embedder', 'model', 'tokenizer'];

/** Where a module stands once `buildModules` is done. */
export function builtPath(name) {
  return join(outDir, `${name}.mjs`);
}

export async function buildModules() {
  await build({
    config: false,
    cwd: root,
    entry: Object.fromEntries(NAMES.map((name) => [name, `src/embedding/${name}.ts`])),
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    fixedExtension: true,
    clean: false,
    dts: false,
    logLevel: 'silent',
    deps: { neverBundle: ['better-sqlite3', 'node-llama-cpp'], alwaysBundle: [/.*/] },
  });
}

/** The exports of `src/embedding/<name>.ts`. */
export function built(name) {
  return import(pathToFileURL(builtPath(name)).href);
}
