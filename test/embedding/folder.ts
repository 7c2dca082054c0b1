/** A private folder for the tests of one file, gone afterwards. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** `path(…)` names a place inside; each test has a fresh folder. */
export function useFolder(): (...parts: string[]) => string {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'chitta-embedding-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  return (...parts) => join(root, ...parts);
}
