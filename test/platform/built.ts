/** Builds one source file into a folder, so that a test can run it in a process of its own. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'tsdown';

/** Path of the built module; `source` is a path from src/. The caller removes its folder, `dirname` of the path. */
export async function builtModule(source: string): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), 'chitta-built-'));
  await build({
    config: false,
    entry: { built: join(import.meta.dirname, '../../src', source) },
    outDir,
    format: 'esm',
    platform: 'node',
    fixedExtension: true,
    dts: false,
    clean: false,
    logLevel: 'silent',
    external: ['better-sqlite3', 'node-llama-cpp'],
  });
  return join(outDir, 'built.mjs');
}
