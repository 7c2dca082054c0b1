// What is measured, as JavaScript, built on the spot. Below the project, so that the native modules are found.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsdown';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const outDir = `${root}.cache/bench-recall`;
const SOURCES = [
  'actions/recall',
  'daemon/memories',
  'embedding/embedder',
  'embedding/model',
  'memory/nearest',
  'memory/nearest-turns',
  'memory/store',
];

/** The exports of the sources, together. */
export async function loaded() {
  await build({
    config: false,
    cwd: root,
    entry: Object.fromEntries(SOURCES.map((name) => [name.replace('/', '-'), `src/${name}.ts`])),
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    fixedExtension: true,
    dts: false,
    logLevel: 'silent',
    deps: { neverBundle: ['better-sqlite3', 'node-llama-cpp'], alwaysBundle: [/.*/] },
  });
  const modules = await Promise.all(
    SOURCES.map((name) => import(pathToFileURL(`${outDir}/${name.replace('/', '-')}.mjs`).href)),
  );
  return Object.assign({}, ...modules);
}
