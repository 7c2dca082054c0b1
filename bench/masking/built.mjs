// The mask as JavaScript, built on the spot: the package does not offer it to the outside, and Node 20 reads no TypeScript.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsdown';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** `maskSecrets` of src/redact. */
export async function builtMask() {
  const outDir = join(root, '.cache', 'bench-masking');
  await build({
    config: false,
    cwd: root,
    entry: { mask: 'src/redact/mask.ts' },
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    fixedExtension: true,
    clean: false,
    dts: false,
    logLevel: 'silent',
  });
  return (await import(pathToFileURL(join(outDir, 'mask.mjs')).href)).maskSecrets;
}
