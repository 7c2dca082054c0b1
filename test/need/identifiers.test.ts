import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identifiersOf } from '../../src/need/identifiers.ts';

/** Keys with their kind; parts of longer ones in brackets. */
function found(line: string): string[] {
  return identifiersOf(line).map(({ key, kind, isPart }) => (isPart ? `(${kind} ${key})` : `${kind} ${key}`));
}

describe('identifiersOf', () => {
  test.each<[line: string, keys: string[]]>([
    ['plain words of a language, and no names', []],
    ['The End. Of it', []],
    ['read /home/me/app/src/config.ts now', ['path src/config.ts', '(path config.ts)']],
    ['see src/config.ts.', ['path src/config.ts', '(path config.ts)']],
    ['C:\\work\\app\\main.go:12', ['path app/main.go', '(path main.go)']],
    ['src/a/load.ts:120:7', ['path a/load.ts', '(path load.ts)', 'number 120']],
    ['open config.ts', ['path config.ts']],
    ['call loadConfig() and save_state', ['symbol loadConfig', 'symbol save_state']],
    ['store.readAll(x)', ['symbol store.readAll', '(symbol readAll)']],
    ['run --dry-run -v', ['flag --dry-run']],
    ['a data-test-id here', ['symbol data-test-id']],
    ['fails with ENOENT', ['symbol ENOENT']],
    ['commit 3f2a9c1d77', ['hash 3f2a9c1']],
    ['port 8080, not 80', ['number 8080']],
    ['version 1.2.3', ['number 1.2.3']],
    ['at https://example.com/a/b?c=1, then', ['url https://example.com/a/b?c=1']],
    ['it says "must not be empty" there', ['quoted "must not be empty"']],
    ['id 123e4567-e89b-12d3-a456-426614174000', ['hash 123e4567-e89b-12d3-a456-426614174000']],
  ])('%s', (line, keys) => {
    expect(found(line)).toEqual(keys);
  });

  test('names each thing once', () => {
    expect(found('loadConfig loadConfig loadConfig')).toEqual(['symbol loadConfig']);
  });

  test('an absolute and a relative path are the same thing', () => {
    const keyOf = (line: string): string | undefined => identifiersOf(line)[0]?.key;
    expect(keyOf('/home/me/app/src/main.ts')).toBe(keyOf('./src/main.ts'));
  });

  test('reads no more than 20,000 characters of a line', () => {
    expect(found(`${'words '.repeat(4_000)} lateName`)).toEqual([]);
  });

  test('of any line, keys are not repeated, and it does not throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (line) => {
        const keys = identifiersOf(line).map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });
});
