/** Where a text stops being JSON. JSON.parse names the place only for some mistakes, and differently from Node to Node. */

const TOKEN: RegExp =
  /(?<value>"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-f]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null)|(?<mark>[{}[\],:])/iuy;

/** What may stand next: `value-or-end` after `[`, `key-or-end` after `{`. */
type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end';

function after(expected: Expected, token: string, open: string[]): Expected | undefined {
  const inside = open.at(-1);
  if (token === ']' || token === '}') {
    const fits = token === ']' ? inside === '[' : inside === '{';
    const mayEnd = expected === 'comma-or-end' || expected === (token === ']' ? 'value-or-end' : 'key-or-end');
    if (!fits || !mayEnd) return undefined;
    open.pop();
    return 'comma-or-end';
  }
  switch (expected) {
    case 'colon':
      return token === ':' ? 'value' : undefined;
    case 'comma-or-end':
      return token === ',' && inside !== undefined ? (inside === '{' ? 'key' : 'value') : undefined;
    case 'key':
    case 'key-or-end':
      return token.startsWith('"') ? 'colon' : undefined;
    default:
      if (token === ',' || token === ':') return undefined;
      if (token !== '{' && token !== '[') return 'comma-or-end';
      open.push(token);
      return token === '{' ? 'key-or-end' : 'value-or-end';
  }
}

/** Offset of the first character that does not fit; the text's length if it ends too early. For texts JSON.parse refused. */
function offsetOfError(text: string): number {
  const open: string[] = [];
  let expected: Expected = 'value';
  let offset = 0;
  for (;;) {
    while (/[ \t\r\n]/.test(text.charAt(offset))) offset++;
    TOKEN.lastIndex = offset;
    const token: string | undefined = TOKEN.exec(text)?.[0];
    const next: Expected | undefined = token === undefined ? undefined : after(expected, token, open);
    if (token === undefined || next === undefined) return offset;
    expected = next;
    offset += token.length;
  }
}

/** `line 3, column 7` (from 1) of the first mistake in a text that JSON.parse refused. Linear. */
export function placeOfJsonError(text: string): string {
  const lines = text.slice(0, offsetOfError(text)).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}
