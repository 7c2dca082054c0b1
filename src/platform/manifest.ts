/** chitta's own package.json, as far as it is asked for at run time. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly type: string;
  /** The native packages with their exact versions. */
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** What the plugin's own package.json says: of ours, what matters where nothing is built or installed. Throws what reading it throws. */
export function ownManifest(root: string): Manifest {
  // The file is ours, and a test says that it holds these.
  const parsed = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const { name, version, description, license, type, optionalDependencies } = parsed;
  return { name, version, description, license, type, optionalDependencies };
}
