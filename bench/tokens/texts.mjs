// Texts of every kind an agent reads, made in code from a seed; languages.json holds the Universal Declaration of Human
// Rights (articles 1 to 3), which is free of copyright, in 52 languages.
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';

/** Small seeded generator (mulberry32): the same texts on every machine. */
function seeded(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (from, to) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    int,
    pick: (list) => list[int(0, list.length - 1)],
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => int(0, 255))),
    many: (count, make, glue = '') => Array.from({ length: count }, make).join(glue),
    chars: (count, alphabet) => Array.from({ length: count }, () => alphabet[int(0, alphabet.length - 1)]).join(''),
  };
}

const WORDS =
  'the server reads a request and writes its answer before closing connection when cache is cold we retry once then report failure to caller because budget for memory was reached while tests still pass on every platform that users run should keep order of messages'.split(
    ' ',
  );
const NAMES =
  'request session buffer token parser index handler config result message client budget worker cache'.split(' ');
const TYPES = ['string', 'number', 'boolean', 'Promise<void>', 'readonly string[]', 'Map<string, number>'];
const SMALL = 'abcdefghijklmnopqrstuvwxyz';
const ALNUM = `${SMALL}${SMALL.toUpperCase()}0123456789`;
const ASCII_SIGNS = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

const capital = (word) => word[0].toUpperCase() + word.slice(1);
const camel = (r) => r.pick(NAMES) + capital(r.pick(NAMES)) + capital(r.pick(NAMES));
const snake = (r) => `${r.pick(NAMES)}_${r.pick(NAMES)}_${r.pick(NAMES)}`;
const path = (r) => `src/${r.pick(NAMES)}/${r.pick(NAMES)}-${r.pick(NAMES)}.${r.pick(['ts', 'py', 'go', 'test.ts'])}`;
const sentence = (r) => `${capital(r.many(r.int(6, 18), () => r.pick(WORDS), ' '))}.`;
const stamp = (r) => `2026-11-${r.int(10, 30)}T${r.int(10, 23)}:${r.int(10, 59)}:${r.int(10, 59)}.${r.int(100, 999)}Z`;
const hex = (r, bytes) => r.bytes(bytes).toString('hex');

function typescript(r) {
  const name = camel(r);
  return `export function ${name}(${r.pick(NAMES)}: ${r.pick(TYPES)}, ${snake(r)}?: ${r.pick(TYPES)}): ${r.pick(TYPES)} {
  const ${r.pick(NAMES)} = await ${camel(r)}.${r.pick(NAMES)}(${r.pick(NAMES)}, { ${r.pick(NAMES)}: ${r.int(0, 999)} });
  if (!${r.pick(NAMES)} || ${name}.length > ${r.int(1, 64)}) throw new Error(\`cannot read \${${r.pick(NAMES)}}\`);
  return ${r.pick(NAMES)}.map((${r.pick(SMALL)}) => ${camel(r)}[${r.int(0, 9)}] ?? '${r.pick(WORDS)}');
}
`;
}

function minified(r) {
  const v = () => r.pick(SMALL);
  return `function ${v()}(${v()},${v()}){var ${v()}=${v()}.${r.pick(NAMES)};return ${v()}?(${v()}=${v()}(${v()}),!0):${v()}[${r.int(0, 9)}]||(${v()}.${camel(r)}=${v()}&&${v()}===${r.int(0, 99)})}`;
}

function python(r) {
  return `    def ${snake(r)}(self, ${r.pick(NAMES)}, *, ${snake(r)}=None):
        """${sentence(r)}"""
        for ${r.pick(SMALL)} in self.${snake(r)}.items():
            if ${r.pick(NAMES)} is not None and len(${snake(r)}) >= ${r.int(1, 99)}:
                self._${snake(r)}.append(f"{${r.pick(NAMES)}!r}: ${r.pick(WORDS)}")
`;
}

const record = (r) => ({
  id: r.int(1, 99_999),
  name: snake(r),
  note: sentence(r),
  tags: [r.pick(NAMES), r.pick(NAMES)],
  at: stamp(r),
  ok: r.next() > 0.5,
  ratio: Number(r.next().toFixed(4)),
});

const EMOJI = ['✅', '🚀', '🎉', '🔥', '⚠️', '✨', '👍🏽', '🇫🇮', '❤️', '👩‍💻', '🐛', '📝', '🤖', '👀', '💡', '🔒'];

/** Kind → text of some 1,000 tokens. `family` says which promise holds for it: prose and code, or an upper bound only. */
const KINDS = {
  prose: ['code', (r) => r.many(60, () => sentence(r), ' ')],
  markdown: [
    'code',
    (r) =>
      r.many(
        14,
        () =>
          `## ${capital(r.pick(WORDS))} ${r.pick(NAMES)}\n\n${sentence(r)} Use \`${camel(r)}()\`:\n\n- **${r.pick(NAMES)}**: ${sentence(r)}\n- [${r.pick(NAMES)}](docs/${path(r)})`,
        '\n\n',
      ),
  ],
  typescript: ['code', (r) => r.many(9, () => typescript(r), '\n')],
  python: ['code', (r) => r.many(14, () => python(r), '\n')],
  'minified javascript': ['code', (r) => r.many(20, () => minified(r))],
  diff: [
    'code',
    (r) =>
      r.many(
        12,
        () =>
          `@@ -${r.int(1, 900)},7 +${r.int(1, 900)},9 @@\n-  ${camel(r)}(${r.pick(NAMES)});\n+  ${camel(r)}(${r.pick(NAMES)}, ${r.int(0, 99)});\n   return ${snake(r)};`,
        '\n',
      ),
  ],
  'camelCase names': ['code', (r) => r.many(150, () => camel(r), '\n')],
  snake_case_names: ['code', (r) => r.many(150, () => snake(r), '\n')],
  paths: ['code', (r) => r.many(80, () => `${path(r)}:${r.int(1, 900)}`, '\n')],
  'shell log': [
    'code',
    (r) =>
      r.many(
        16,
        () =>
          `${stamp(r)} ${r.pick(['INFO', 'WARN', 'ERROR'])} [worker-${r.int(1, 16)}] ${sentence(r)} took=${r.int(1, 4000)}ms id=${hex(r, 8)}`,
        '\n',
      ),
  ],
  'directory listing': [
    'code',
    (r) =>
      r.many(
        30,
        () =>
          `-rw-r--r--  1 root root ${String(r.int(10, 999_999)).padStart(8)} Nov ${r.int(10, 30)} ${r.int(10, 23)}:${r.int(10, 59)} ${path(r)}`,
        '\n',
      ),
  ],
  'colour codes': ['bound', (r) => r.many(80, () => `\u001b[${r.int(31, 36)}m${r.pick(WORDS)}\u001b[0m`, ' ')],
  'json records': ['code', (r) => JSON.stringify(Array.from({ length: 14 }, () => record(r)))],
  'indented json': [
    'code',
    (r) =>
      JSON.stringify(
        Array.from({ length: 12 }, () => record(r)),
        null,
        2,
      ),
  ],
  'json of a script': [
    'code',
    (r) => JSON.stringify({ file_path: path(r), content: r.many(9, () => typescript(r), '\n') }),
  ],
  'json numbers': [
    'bound',
    (r) => JSON.stringify(Array.from({ length: 250 }, () => Number((r.next() * 1000).toFixed(3)))),
  ],
  csv: ['bound', (r) => r.many(60, () => r.many(6, () => String(r.int(0, 9999)), ','), '\n')],
  tsv: ['bound', (r) => r.many(60, () => r.many(6, () => String(r.int(0, 9999)), '\t'), '\n')],
  digits: ['bound', (r) => r.chars(3000, '0123456789')],
  hex: ['bound', (r) => hex(r, 900)],
  'HEX dump': ['bound', (r) => r.many(40, () => r.bytes(16).toString('hex').toUpperCase().replace(/../g, '$& '), '\n')],
  'commit hashes': ['bound', (r) => r.many(40, () => hex(r, 20), '\n')],
  base64: ['bound', (r) => r.bytes(1000).toString('base64')],
  base64url: ['bound', (r) => r.bytes(1000).toString('base64url')],
  'random letters': ['bound', (r) => r.many(250, () => r.chars(r.int(3, 10), SMALL), ' ')],
  'random letters and digits': ['bound', (r) => r.many(80, () => r.chars(r.int(8, 30), ALNUM), ' ')],
  'random signs': ['bound', (r) => r.chars(1500, ASCII_SIGNS)],
  rulers: ['bound', (r) => r.many(250, () => r.pick(['=', '-', '*', '#', '_']).repeat(r.int(20, 80)), '\n')],
  'deep indentation': ['bound', (r) => r.many(400, () => ' '.repeat(r.int(1, 60)) + r.pick(NAMES), '\n')],
  tabs: ['bound', (r) => r.many(400, () => '\t'.repeat(r.int(1, 8)) + r.pick(NAMES), '\n')],
  'blank lines': ['bound', (r) => r.many(400, () => '\n'.repeat(r.int(1, 6)) + r.pick(NAMES))],
  'box drawing': [
    'bound',
    (r) =>
      r.many(
        40,
        () => `│ ${r.pick(WORDS).padEnd(12)} │ ${r.pick(NAMES).padEnd(12)} │\n├${'─'.repeat(14)}┼${'─'.repeat(14)}┤`,
        '\n',
      ),
  ],
  emoji: ['bound', (r) => r.many(300, () => r.pick(EMOJI), r.pick(['', ' ']))],
  'mixed scripts': [
    'bound',
    (r) => r.many(20, () => r.pick(Object.values(languages)).slice(0, 60) + typescript(r).slice(0, 120), '\n'),
  ],
};

/** Language → articles 1 to 3 of the Universal Declaration of Human Rights. */
export const languages = JSON.parse(readFileSync(new URL('./languages.json', import.meta.url), 'utf8'));

/** `variants` texts of each kind. Family `code` is prose and code; `bound` is everything else. */
export function generated(seed = 1, variants = 4) {
  return Object.entries(KINDS).map(([kind, [family, make]]) => ({
    kind,
    family,
    texts: Array.from({ length: variants }, (_, variant) => make(seeded(seed * 1000 + variant))),
  }));
}
