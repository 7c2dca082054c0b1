import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoint } from '../../src/daemon/places.ts';

/** No process starts a daemon here: one that was started a moment ago has failed, and many before it. */
export function startNone({ folder, name }: Endpoint): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, `${name}.start-20`), '', { mode: 0o600 });
}
