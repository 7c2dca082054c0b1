import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readGgufMetadata } from '../../src/embedding/gguf.ts';
import { ChittaError } from '../../src/errors.ts';
import { useFolder } from './folder.ts';
import { bertMetadata, ggufBytes } from './gguf-file.ts';

const path = useFolder();

test('reads strings, numbers and truth values, and of arrays their length', () => {
  writeFileSync(
    path('m.gguf'),
    ggufBytes({ name: 'größe', size: 384, causal: false, words: ['a', 'b'], types: [1, 2, 3] }),
  );
  expect(Object.fromEntries(readGgufMetadata(path('m.gguf')))).toEqual({
    name: 'größe',
    size: 384,
    causal: false,
    words: { length: 2 },
    types: { length: 3 },
  });
});

test('finds what stands behind a vocabulary larger than its window', () => {
  const words = Array.from({ length: 30_000 }, (_, index) => `a longer word with the number ${index}`);
  writeFileSync(path('m.gguf'), ggufBytes({ words, behind: 'here' }));
  const metadata = readGgufMetadata(path('m.gguf'));
  expect([metadata.get('words'), metadata.get('behind')]).toEqual([{ length: 30_000 }, 'here']);
});

const whole = ggufBytes(bertMetadata());
const wrong: [name: string, bytes: Buffer, reason: RegExp][] = [
  ['nothing', Buffer.alloc(0), /ends inside its header/],
  ['a web page', Buffer.from('<!doctype html><title>Sign in</title>'), /not a GGUF file/],
  ['another version', Buffer.concat([Buffer.from('GGUF'), Buffer.from([1, 0, 0, 0])]), /version 1 is not supported/],
  ['half a header', whole.subarray(0, 60), /ends inside its header/],
  ['lengths beyond reason', Buffer.concat([whole.subarray(0, 24), Buffer.alloc(64, 0xff)]), /damaged/],
];

test.each(wrong)('says what is wrong with a file that holds %s', (_name, bytes, reason) => {
  writeFileSync(path('m.gguf'), bytes);
  expect(() => readGgufMetadata(path('m.gguf'))).toThrow(reason);
  expect(() => readGgufMetadata(path('m.gguf'))).toThrow(expect.objectContaining({ code: 'E_MODEL' }));
});

test('says so when there is no file', () => {
  expect(() => readGgufMetadata(path('none.gguf'))).toThrow(/ENOENT/);
});

function readOrRefuse(file: string): unknown {
  try {
    return readGgufMetadata(file);
  } catch (error) {
    return error;
  }
}

test('reads or refuses whatever bytes follow the magic, and never fails otherwise', () => {
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.uint8Array({ minLength: 1, maxLength: 12 }), (at, noise) => {
      const bytes = Buffer.from(whole);
      bytes.set(noise.subarray(0, bytes.length - at), at);
      writeFileSync(path('m.gguf'), bytes);
      const outcome = readOrRefuse(path('m.gguf'));
      expect(outcome instanceof Map || outcome instanceof ChittaError).toBe(true);
    }),
    { numRuns: 100 },
  );
});
