import { expect, test } from 'vitest';
import { pictureOf } from './picture.ts';

const ESC = '\u001b[';
const textsOf = (picture: string): string[] =>
  [...picture.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text.replaceAll('\u00a0', ' '));

test('every line of the screen is in the picture, in its row and at its column', () => {
  const picture = pictureOf(`one\n\n  three ${ESC}1mfour${ESC}0m\n\n`, 20, 'A screen');
  expect(textsOf(picture)).toEqual(['one', '  three ', 'four']);
  expect([...picture.matchAll(/<text x="([\d.]+)" y="([\d.]+)"/g)].map(([, x, y]) => [x, y])).toEqual([
    ['14', '28'],
    ['14', '64'],
    ['81.2', '64'],
  ]);
  expect(picture).toContain('<title>A screen</title>');
});

test('what would be markup is text', () => {
  const picture = pictureOf('a < b && "c" > d', 20, '<t>');
  expect(picture).toContain('a\u00a0&lt;\u00a0b\u00a0&amp;&amp;\u00a0&quot;c&quot;\u00a0&gt;\u00a0d');
  expect(picture).toContain('<title>&lt;t&gt;</title>');
});

test.each([
  ['38;2;255;0;128', 'fill="#ff0080"'],
  ['38;5;9', 'fill="#f14c4c"'],
  ['38;5;16', 'fill="#000000"'],
  ['38;5;196', 'fill="#ff0000"'],
  ['38;5;244', 'fill="#808080"'],
  ['32', 'fill="#0dbc79"'],
  ['92', 'fill="#23d18b"'],
  ['2', 'opacity="0.6"'],
  ['1', 'font-weight="bold"'],
  ['4', 'text-decoration="underline"'],
  ['3', 'font-style="italic"'],
  ['7', 'fill="#1e1e1e"'],
])('the look that %s asks for is that of its characters alone', (numbers, look) => {
  const [before = '', styled = '', after = ''] = pictureOf(`x${ESC}${numbers}my${ESC}0mz`, 10, '').match(/<text .*/g)!;
  expect(styled.split('>')[0]).toContain(look);
  expect([before, after].map((line) => line.split('>')[0]?.includes(look))).toEqual([false, false]);
});

test('a look goes on in the next line, and a background is drawn behind blanks too', () => {
  const picture = pictureOf(`${ESC}48;2;1;2;3ma\n  ${ESC}49m b`, 10, '');
  expect([...picture.matchAll(/<rect [^>]*fill="#010203"/g)]).toHaveLength(2);
  expect(textsOf(picture)).toEqual(['a', ' b']);
});
