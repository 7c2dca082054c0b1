// The simulator of agent loops as JavaScript, built on the spot: it belongs to the tests, and Node 20 reads no TypeScript.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsdown';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The loops, and what plays them. */
export async function simulator() {
  const outDir = join(root, '.cache', 'bench-simulator');
  await build({
    config: false,
    cwd: root,
    entry: { player: 'test/support/agent-loop.ts', loops: 'test/support/loops.ts' },
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    fixedExtension: true,
    clean: false,
    dts: false,
    logLevel: 'silent',
  });
  const [player, loops] = await Promise.all(
    ['player', 'loops'].map((name) => import(pathToFileURL(join(outDir, `${name}.mjs`)).href)),
  );
  return { ...player, ...loops };
}
