// The memory modules as JavaScript, built on the spot: the package does not offer them to the outside, and Node 20 reads
// no TypeScript. Below the project, so that better-sqlite3 is found.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsdown';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The exports of a source file under src/memory. */
export async function built(name) {
  const outDir = join(root, '.cache', 'bench-memory');
  await build({
    config: false,
    cwd: root,
    entry: { [name]: `src/memory/${name}.ts` },
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    fixedExtension: true,
    clean: false,
    dts: false,
    logLevel: 'silent',
    deps: { neverBundle: ['better-sqlite3'] },
  });
  return import(pathToFileURL(join(outDir, `${name}.mjs`)).href);
}
