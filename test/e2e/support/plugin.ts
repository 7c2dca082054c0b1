/**
 * The plugin as it is installed, copied once for a whole run, so that a build beside it changes nothing under way. In
 * two forms: with the native packages, as in place, and without any package, as a marketplace copies it.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the plugin with its native packages. */
    readonly plugin: string;
    /** Folder of the plugin without any package. */
    readonly barePlugin: string;
  }
}

const repository = join(import.meta.dirname, '..', '..', '..');
/** What is tried: this checkout, or a built plugin of one's own. */
const source = process.env['CHITTA_E2E_PLUGIN'] || repository;

function copyInto(folder: string): void {
  mkdirSync(folder);
  const { files } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { files: string[] };
  // The model is large, and nothing writes to it.
  for (const name of files) {
    if (name === 'models') symlinkSync(join(source, name), join(folder, name));
    else cpSync(join(source, name), join(folder, name), { recursive: true });
  }
  cpSync(join(source, 'package.json'), join(folder, 'package.json'));
}

/** Called by vitest before all files; what it returns, after them. */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'chitta-e2e-plugin-'));
  const [plugin, bare] = [join(folder, 'chitta'), join(folder, 'bare', 'chitta')];
  mkdirSync(join(folder, 'bare'));
  copyInto(plugin);
  cpSync(plugin, bare, { recursive: true, verbatimSymlinks: true });
  symlinkSync(join(repository, 'node_modules'), join(plugin, 'node_modules'));
  project.provide('plugin', plugin);
  project.provide('barePlugin', bare);
  return () => rmSync(folder, { recursive: true, force: true });
}
