import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { openEvaluation } from '../../src/wiring/evaluation.ts';

const port = await openEvaluation({}, '/');

test('counts as the tokenizer does', () => {
  const text = 'const leaseTime = readSetting("lease.time");\n// Wörter, слова, 言葉\n'.repeat(100);
  expect(port.countText(text)).toBe(countTokens(text));
});

test('takes the names of special tokens for text', () => {
  expect(port.countText('a <|endoftext|> b')).toBeGreaterThan(3);
});

test.each(['-', ' ', 'a', '0', '\ud800'])('counts 200,000 times %j in good time', (character) => {
  const startedAt = performance.now();
  const count = port.countText(character.repeat(200_000));
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(count).toBeGreaterThan(0);
});

test('in the build one file alone leads to the tokenizer, and only when it is asked to', () => {
  const dist = join(import.meta.dirname, '..', '..', 'dist');
  const leading = readdirSync(dist)
    .filter((name) => name.endsWith('.mjs'))
    .flatMap((name) => readFileSync(join(dist, name), 'utf8').match(/^.*\.\/o200k_base-.*$/gm) ?? []);
  expect(leading).toEqual([expect.stringMatching(/await import\(/)]);
});
