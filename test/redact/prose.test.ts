import { describe, expect, test } from 'vitest';
import { maskSecrets } from '../../src/redact/mask.ts';

const masked = (text: string): string => maskSecrets(text).text;

describe('one’s own password, told as a word', () => {
  test.each([
    ['my pw: correct-horse', 'my pw: [masked:password]'],
    ['my password is correct-horse-battery', 'my password is [masked:password]'],
    [
      'log in as me, my password: letmeinplease\nthen run it',
      'log in as me, my password: [masked:password]\nthen run it',
    ],
    ['Our wifi password for guests is: sunflower.', 'Our wifi password for guests is: [masked:password].'],
    ['mein Passwort ist blaue-Blume', 'mein Passwort ist [masked:password]'],
    ['unser Kennwort: Sonnenblume', 'unser Kennwort: [masked:password]'],
  ])('%s', (text, expected) => {
    expect(masked(text)).toBe(expected);
    expect(masked(expected)).toBe(expected);
  });
});

describe('what is said of a password stays', () => {
  test.each([
    'my password is wrong',
    'my password is expired.',
    'my password is not working',
    'my password is sunflower',
    'my password: expired',
    'my password is read-only',
    'my password is case-sensitive',
    'my password is too-short',
    'my password is well-known',
    'our passwords: hashed',
    'mein Passwort ist falsch',
    'my password is correct-horse and something else',
    'the password: binarylike,',
    'pwd: homedir',
    'our password: required',
    'our password policy is strict-mode',
    'my password: undefined',
  ])('%s', (text) => {
    expect(masked(text)).toBe(text);
  });
});
