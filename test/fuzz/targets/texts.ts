/** Functions that read or write text: passages of a turn, masks, names, lines, quotes, what a terminal gets. */
import fc from 'fast-check';
import { passagesOf } from '../../../src/actions/passages.ts';
import { identifiersOf } from '../../../src/need/identifiers.ts';
import { hunksOf, keyOf, linesOf } from '../../../src/need/lines.ts';
import { maskSecrets } from '../../../src/redact/mask.ts';
import { quote, quoteLine } from '../../../src/session/quote.ts';
import { sanitize, sanitizeLine } from '../../../src/terminal/sanitize.ts';
import { estimateTokens } from '../../../src/tokens/text.ts';
import { holds, type Target } from '../target.ts';
import { anyText } from '../transcripts.ts';

const long = fc.oneof(
  { weight: 6, arbitrary: fc.array(anyText, { maxLength: 12 }).map((list) => list.join('\n')) },
  { weight: 1, arbitrary: fc.array(anyText, { minLength: 4, maxLength: 30 }).map((list) => list.join(' ')) },
);

function passages(text: string, about: string, lines: [number, number] | undefined): string[] {
  const found: string[] = [];
  const all = text.split('\n');
  const { passages: parts, more } = passagesOf(text, { about, lines });
  let done = 0;
  for (const { first, last, text: part } of parts) {
    if (first <= done || last < first || last > all.length) found.push(`lines ${first}–${last} of ${all.length}`);
    done = last;
    const whole = all.slice(first - 1, last).join('\n');
    // Of a long line, pieces with an ellipsis between.
    const isThere = (line: string): boolean =>
      whole.includes(line) || line.split('…').every((piece) => whole.toWellFormed().includes(piece));
    if (!part.split('\n').every(isThere)) found.push('a line that is not there');
    if (part !== whole && text.isWellFormed() && !part.isWellFormed()) found.push('half a character');
  }
  if (more < 0) found.push('fewer than none left out');
  return found;
}

function masks(text: string): string[] {
  const found: string[] = [];
  const { text: once, masked } = maskSecrets(text);
  if (maskSecrets(once).text !== once) found.push('masked twice is not masked once');
  if (masked === 0 && once !== text) found.push('changed, and nothing masked');
  if (text.isWellFormed() && !once.isWellFormed()) found.push('half a character');
  if (text.split('\n').length < once.split('\n').length) found.push('more lines than before');
  return found;
}

function names(text: string): string[] {
  const found: string[] = [];
  const lines = linesOf(text);
  if (lines.join('').replaceAll('\n', '') !== text.replaceAll('\n', '')) found.push('lines that are not the text');
  if (text.isWellFormed() && !lines.every((line) => line.isWellFormed())) found.push('half a character');
  const keys = lines.map(keyOf);
  const hunks = hunksOf(keys, 5);
  let next = 0;
  for (const [first, last] of hunks) {
    if (first !== next || last < first) found.push('hunks with a gap');
    next = last + 1;
  }
  if (next !== keys.length) found.push('hunks that do not end');
  for (const line of lines) {
    const list = identifiersOf(line);
    if (new Set(list.map(({ key }) => key)).size !== list.length) found.push('a name twice');
    if (list.some(({ key }) => key === '')) found.push('a name without letters');
  }
  return found;
}

// oxlint-disable-next-line no-control-regex -- control characters are what must not be there
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

function shown(text: string, limit: number): string[] {
  const found: string[] = [];
  if (CONTROL.test(sanitize(text))) found.push('control characters for a terminal');
  if (sanitizeLine(text).includes('\n')) found.push('more than a line for a terminal');
  const [several, one] = [quote(text, limit), quoteLine(text, limit)];
  if (several.length > limit || one.length > limit) found.push('a quotation too long');
  if (!several.isWellFormed() || !one.isWellFormed()) found.push('a quotation with half a character');
  if (CONTROL.test(several) || CONTROL.test(one)) found.push('control characters in a quotation');
  if (/[\n\r]/.test(one)) found.push('a quotation of several lines');
  const tokens = estimateTokens(text);
  if (!Number.isFinite(tokens) || tokens < 0 || (text !== '' && tokens === 0)) found.push(`${tokens} tokens`);
  return found;
}

/** All functions that take any text. */
export function textTargets(): Target[] {
  return [
    {
      name: 'passages',
      share: 5,
      property: fc.property(
        long,
        fc.oneof(anyText, fc.constantFrom('port', 'readColumn', '', '"', 'a_b 42')),
        fc.option(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 40 })), { nil: undefined }),
        (text, about, lines) => {
          holds(passages(text, about, lines));
          return true;
        },
      ),
    },
    {
      name: 'masks',
      share: 5,
      property: fc.property(long, (text) => {
        holds(masks(text));
        return true;
      }),
    },
    {
      name: 'lines and names',
      share: 5,
      property: fc.property(long, (text) => {
        holds(names(text));
        return true;
      }),
    },
    {
      name: 'shown and quoted',
      share: 5,
      property: fc.property(long, fc.integer({ min: 2, max: 400 }), (text, limit) => {
        holds(shown(text, limit));
        return true;
      }),
    },
  ];
}
