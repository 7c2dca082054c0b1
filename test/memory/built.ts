/** The store as a script for other processes: Node 20 runs no TypeScript. Built once per run of a test file. */
import { mkdtempSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'tsdown';

const root = join(import.meta.dirname, '..', '..');

/** Path of src/memory/store.ts as a module, below the project so that better-sqlite3 is found. */
export async function builtStore(): Promise<string> {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const outDir = mkdtempSync(join(root, '.cache', 'test-memory-'));
  await build({
    config: false,
    cwd: root,
    entry: { store: 'src/memory/store.ts' },
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    fixedExtension: true,
    dts: false,
    logLevel: 'silent',
    deps: { neverBundle: ['better-sqlite3'] },
  });
  return join(outDir, 'store.mjs');
}
