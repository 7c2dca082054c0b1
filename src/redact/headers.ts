/** Secrets of HTTP headers: `Authorization`, cookies, and `Bearer …` wherever it stands. */
import { isAddress, isPlaceholder, looksLikeCode, looksRandom, maskMark } from './literals.ts';
import type { RunEnd } from './runs.ts';
import { JUDGED, MAX_NAME, SEPARATOR } from './shapes.ts';

/** A cookie header holds `name=value`, one of which is long enough for a secret; prose about cookies does not. */
const COOKIE_PAIR = /^[A-Za-z0-9_.-]{1,64}=[^\s;]/;
const COOKIE_VALUE = /=[^\s;]{4,}/;
const SCHEME = /^(?:Bearer|Basic|Token|Digest|ApiKey|AWS4-HMAC-SHA256|Negotiate|GitHub-Bearer)[ :]{1,4}/i;

/** Where the secret of a header begins and ends: after the scheme, up to the end of the line or the closing quote. `nameEnd`: of its name. */
export function headerValue(
  text: string,
  runEnd: RunEnd,
  word: string,
  nameEnd: number,
): { start: number; end: number } | undefined {
  const separator = SEPARATOR.exec(text.slice(nameEnd, nameEnd + MAX_NAME));
  if (separator === null) return undefined;
  let start = nameEnd + separator[0].length;
  start += /^\\{0,3}["'`]/.exec(text.slice(start, start + 4))?.[0].length ?? 0;
  if (word.endsWith('cookie')) {
    const pairs = text.slice(start, runEnd(start, 'cookie')).slice(0, JUDGED);
    if (!COOKIE_PAIR.test(pairs) || !COOKIE_VALUE.test(pairs)) return undefined;
    return { start, end: runEnd(start, word === 'cookie' ? 'cookie' : 'set-cookie') };
  }
  const scheme = SCHEME.exec(text.slice(start, start + MAX_NAME))?.[0] ?? '';
  start += scheme.length;
  const end = runEnd(start, 'credential');
  const value = text.slice(start, Math.min(end, start + JUDGED));
  if (isPlaceholder(value) || looksLikeCode(value) || isAddress(value) || value.startsWith('username='))
    return undefined;
  const isCredential = scheme === '' ? looksRandom(value) : value.length >= 6 && /[0-9A-Z=_]/.test(value.slice(1));
  return isCredential ? { start, end } : undefined;
}

const BEARER = /(\bbearer {1,4})([A-Za-z0-9._~+/-]{16,}=*)/gi;

/** Masks `Bearer …` where no header name stands before it: client code, logs. Linear. */
export function maskBearer(text: string, onMask: () => void): string {
  return text.replace(BEARER, (match, before: string, value: string) => {
    if (!looksRandom(value) || isPlaceholder(value) || looksLikeCode(value)) return match;
    onMask();
    return before + maskMark('authorization');
  });
}
