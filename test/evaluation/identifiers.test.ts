import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { identifiersOf } from '../../src/evaluation/identifiers.ts';
import { cpuMs } from '../support/time.ts';

const found = (line: string): string[] =>
  identifiersOf(line).map(({ key, kind, part }) => `${kind} ${key}${part ? ' (part)' : ''}`);

const lines: [line: string, identifiers: string[], why: string][] = [
  ['plain words say nothing here', [], 'no names'],
  ['open src/queue/lease.ts now', ['path queue/lease.ts', 'path lease.ts (part)'], 'a path is its last two parts'],
  ['/home/me/src/queue/lease.ts', ['path queue/lease.ts', 'path lease.ts (part)'], 'absolute or relative, one key'],
  ['C:\\work\\queue\\lease.ts', ['path queue/lease.ts', 'path lease.ts (part)'], 'with backslashes too'],
  ['see ./lease.ts', ['path lease.ts'], 'a file without a folder'],
  ['call retry_limit and maxWait', ['symbol retry_limit', 'symbol maxWait'], 'snake and camel'],
  ['worker.leaseTime ends', ['symbol worker.leaseTime', 'symbol leaseTime (part)'], 'dotted, and what is in it'],
  ['the lock-queue waits', ['symbol lock-queue'], 'kebab'],
  ['get https://example.org/a/b?c=1, then', ['url https://example.org/a/b?c=1'], 'a URL without the comma behind it'],
  ['at 9f8e7d6c5b4a3210', ['hash 9f8e7d6'], 'a hash is its first seven digits'],
  ['12 of 4096 rows', ['number 4096'], 'numbers of three digits or more'],
  ['run --dry-run twice', ['flag --dry-run'], 'flags'],
  ['it said "no such row" then', ['quoted "no such row"'], 'quoted phrases'],
  ['EACCES', ['symbol EACCES'], 'error codes'],
  ['retry_limit retry_limit', ['symbol retry_limit'], 'each once'],
];

test.each(lines)('reads %j as %j: %s', (line, identifiers) => {
  expect(found(line)).toEqual(identifiers);
});

test('never throws, and names each identifier once, whatever the line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (line) => {
      const keys = identifiersOf(line).map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    }),
  );
});

test.each(['.', './', '-', 'a.', '~@', '_', '"', 'a-', '1.', '/', 'a/', '@./', 'a:', './/', '.-', ' "'])(
  'takes linear time on %j repeated',
  (text) => {
    const line = text.repeat(20_000 / text.length);
    expect(cpuMs(() => identifiersOf(line))).toBeLessThan(500);
  },
);
