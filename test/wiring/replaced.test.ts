import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { noteReplaced, takeReplaced } from '../../src/wiring/replaced.ts';

function runtime(): { env: Record<string, string>; folder: string; base: string } {
  const base = mkdtempSync(join(tmpdir(), 'chitta-replaced-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const folder = join(base, 'run');
  return { env: { CHITTA_RUNTIME_DIR: folder }, folder, base };
}

test('a note is of one session, is taken once, and names nobody', () => {
  const { env, folder } = runtime();
  expect(takeReplaced(env, 'session-1')).toBe(false);
  noteReplaced(env, 'session-1');
  noteReplaced(env, 'session-1');
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^replaced-[0-9a-f]{32}$/)]);
  expect(takeReplaced(env, 'session-2')).toBe(false);
  expect(takeReplaced(env, 'session-1')).toBe(true);
  expect(takeReplaced(env, 'session-1')).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

test('one that nobody took is of an older compaction, and goes with the next', () => {
  const { env, folder } = runtime();
  noteReplaced(env, 'old');
  noteReplaced(env, 'older');
  const longAgo = new Date(Date.now() - 600_000);
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), longAgo, longAgo);
  expect(takeReplaced(env, 'old')).toBe(false);
  noteReplaced(env, 'new');
  expect(readdirSync(folder)).toHaveLength(1);
  expect(takeReplaced(env, 'new')).toBe(true);
});

test('none is made in a folder that is not private, nor through a link', () => {
  const { env, folder, base } = runtime();
  symlinkSync(base, join(base, 'link'));
  writeFileSync(join(base, 'file'), '');
  for (const place of ['link', 'file']) {
    const at = { CHITTA_RUNTIME_DIR: join(base, place) };
    expect(() => noteReplaced(at, 's')).toThrow(/./);
    expect(takeReplaced(at, 's')).toBe(false);
  }
  noteReplaced(env, 's');
  const [name = ''] = readdirSync(folder);
  rmSync(join(folder, name));
  symlinkSync(join(base, 'target'), join(folder, name));
  expect(() => noteReplaced(env, 's')).toThrow(/./);
  expect(existsSync(join(base, 'target'))).toBe(false);
});
