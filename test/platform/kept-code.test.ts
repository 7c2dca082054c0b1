import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runKept } from '../../src/platform/kept-code.ts';

let root: string;
let home: string;
let script: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'chitta-kept-'));
  home = join(root, 'home');
  mkdirSync(home);
  script = join(root, 'script.cjs');
  writeFileSync(script, '((n) => { const twice = (x) => x * 2; return twice(n); })');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Runs the script once and keeps what was compiled. */
function run(): { result: unknown; isKept: boolean } {
  const { value, isKept, keep } = runKept(script, home, 'test');
  // The script above, or the one that a test has put in its place.
  const result = (value as (n: number) => number)(21);
  keep();
  return { result, isKept };
}

function keptFile(): string {
  const [name = ''] = readdirSync(join(home, 'code'));
  return join(home, 'code', name);
}

test('the second run uses what the first one compiled, in a file that only its user can read', () => {
  expect(run()).toEqual({ result: 42, isKept: false });
  expect(run()).toEqual({ result: 42, isKept: true });
  expect(statSync(keptFile()).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, 'code')).mode & 0o777).toBe(0o700);
});

test('another script of the same length is not mistaken for the one that was compiled', () => {
  run();
  writeFileSync(script, readFileSync(script, 'utf8').replace('x * 2', 'x + 2'));
  expect(run()).toEqual({ result: 23, isKept: false });
  expect(run()).toEqual({ result: 23, isKept: true });
});

test.each<[string, (bytes: Buffer) => Buffer]>([
  [
    'a flipped bit in the code',
    (bytes) => bytes.fill(bytes[bytes.length >> 1]! ^ 1, bytes.length >> 1, (bytes.length >> 1) + 1),
  ],
  ['a flipped bit in the hash', (bytes) => bytes.fill(bytes[3]! ^ 1, 3, 4)],
  ['a cut file', (bytes) => bytes.subarray(0, 100)],
  ['an empty file', () => Buffer.alloc(0)],
  ['other bytes', () => Buffer.alloc(5_000, 0x41)],
])('%s is never given to V8, and is replaced', (_, damage) => {
  run();
  writeFileSync(keptFile(), damage(readFileSync(keptFile())));
  expect(run()).toEqual({ result: 42, isKept: false });
  expect(run()).toEqual({ result: 42, isKept: true });
});

test('what others can write to is not run', () => {
  run();
  chmodSync(keptFile(), 0o666);
  expect(run()).toEqual({ result: 42, isKept: false });
});

test('what another Node left is removed', () => {
  mkdirSync(join(home, 'code'), { mode: 0o700 });
  writeFileSync(join(home, 'code', 'test.v1.0.0-x64.bin'), 'old');
  writeFileSync(join(home, 'code', 'other.v1.0.0-x64.bin'), 'of another purpose');
  run();
  expect(
    readdirSync(join(home, 'code'))
      .map((name) => name.split('.')[0])
      .toSorted(),
  ).toEqual(['other', 'test']);
  expect(readdirSync(join(home, 'code'))).not.toContain('test.v1.0.0-x64.bin');
});

test('a home that does not exist is not made; one that cannot be written to is done without', () => {
  rmSync(home, { recursive: true });
  expect(run().result).toBe(42);
  expect(existsSync(home)).toBe(false);
  writeFileSync(home, 'a file in its place');
  expect(run().result).toBe(42);
});
