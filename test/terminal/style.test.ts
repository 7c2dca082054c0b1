import { expect, test } from 'vitest';
import { styleFor } from '../../src/terminal/style.ts';

const terminal = { isTTY: true, columns: 120 };

test.each([
  ['a terminal', terminal, {}, true],
  ['a pipe', {}, {}, false],
  ['a terminal with NO_COLOR', terminal, { NO_COLOR: '1' }, false],
  ['a terminal with an empty NO_COLOR', terminal, { NO_COLOR: '' }, true],
  ['a dumb terminal', terminal, { TERM: 'dumb' }, false],
  ['a pipe in a session with colours', { isTTY: false }, { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, false],
])('colour on %s: %#', (_what, stream, env, color) => {
  const style = styleFor(stream, env);
  expect(style.color).toBe(color);
  expect(style.paint('red', 'x')).toBe(color ? '\u001b[31mx\u001b[39m' : 'x');
  expect(style.paint(['bold', 'dim'], 'x').includes('\u001b[')).toBe(color);
});

test.each([
  [terminal, 120],
  [{}, 80],
  [{ isTTY: true, columns: 0 }, 80],
])('the width of %o is %d', (stream, width) => {
  expect(styleFor(stream, {}).width).toBe(width);
});
