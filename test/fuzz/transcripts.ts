/** Arbitrary transcripts as bytes: rows as Claude Code writes them, written in many ways, then damaged byte by byte. */
import fc from 'fast-check';
import { linesOf, type RawRow, TranscriptBuilder, uuidOf } from '../support/transcript.ts';

/** What text in a transcript may hold that something could trip over. */
const SNIPPETS = [
  'Fix `src/app.ts`, never touch port 5432.',
  'const a_b = readColumn(42);\nconst c_d = 0xdeadbeef;\n',
  '[chitta:restored]\n> x\n[/chitta:restored]',
  '[chitta:gap #abcdefg 3 lines]',
  '[/chitta:recall]',
  '\u001b[31mred\u001b]0;title\u0007',
  '\ud800',
  'é漢🙂\u202e',
  'export API_KEY=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789',
  '<system-reminder>x</system-reminder>',
  'This session is being continued from a previous conversation',
  '-----BEGIN PRIVATE KEY-----\nMIIE',
  '{"role":"user"}',
  '\u0000\u0001\u2028',
  '/tmp/../etc/passwd --flag=1 https://example.com/a?b=c',
] as const;

const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...SNIPPETS) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...SNIPPETS), { maxLength: 4 }).map((list) => list.join('\n')) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.tuple(fc.string({ maxLength: 6 }), fc.nat(400)).map(([one, times]) => one.repeat(times)) },
);

type Step = (made: TranscriptBuilder, at: number) => void;

const content = fc.oneof(text, fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(null, [], '', 7, [null], [{}]));
const id = fc.nat(6).map((n) => `t${n}`);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: text.map(
      (words): Step =>
        (made) =>
          void made.prompt(words),
    ),
  },
  {
    weight: 4,
    arbitrary: text.map(
      (words): Step =>
        (made, at) =>
          void made.text(`m${at}`, words),
    ),
  },
  {
    weight: 4,
    arbitrary: id.map(
      (call): Step =>
        (made, at) =>
          void made.call(`m${at >> 1}`, call),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(id, text).map(
      ([call, words]): Step =>
        (made) =>
          void made.result(call, words),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Step>((made) => void made.progress()) },
  {
    weight: 1,
    arbitrary: content.map(
      (prompt): Step =>
        (made) =>
          void made.queued(prompt),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat(5).map((kept): Step => (made) => {
      made.compaction(made.rows.slice(-kept).map(uuidOf));
    }),
  },
  {
    weight: 1,
    arbitrary: content.map(
      (odd): Step =>
        (made) =>
          void made.prompt(odd),
    ),
  },
  {
    weight: 1,
    arbitrary: content.map(
      (odd): Step =>
        (made, at) =>
          void made.assistant(`m${at}`, odd),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<RawRow>(
        { isSidechain: true },
        { isMeta: true },
        { uuid: 'twice' },
        { uuid: 7 },
        { timestamp: 'never' },
        { parentUuid: 'twice' },
        { type: 'message', role: 'user', message: undefined },
        { message: 'text' },
      )
      .map(
        (extra): Step =>
          (made) =>
            void made.prompt('odd', extra),
      ),
  },
  {
    weight: 1,
    arbitrary: fc.jsonValue({ maxDepth: 4 }).map(
      (value): Step =>
        (made) =>
          void made.add({ value }),
    ),
  },
  // A resume writes the history again.
  {
    weight: 1,
    arbitrary: fc.nat(6).map(
      (n): Step =>
        (made) =>
          void made.rows.push(...made.rows.slice(-n)),
    ),
  },
);

/** How rows become bytes. */
type Writing = (rows: readonly RawRow[]) => Buffer;

const messagesOf = (rows: readonly RawRow[]): unknown[] => rows.flatMap(({ message }) => message ?? []);
const WRITINGS: readonly Writing[] = [
  linesOf,
  (rows) => Buffer.from(rows.map((row) => `${JSON.stringify(row)}\r\n`).join('')),
  (rows) => Buffer.from(rows.map((row) => JSON.stringify(row)).join('')),
  (rows) => Buffer.from(`\uFEFF${rows.map((row) => JSON.stringify(row)).join('\n')}`),
  (rows) => Buffer.from(JSON.stringify(rows)),
  (rows) => Buffer.from(JSON.stringify(rows, undefined, 1)),
  (rows) => Buffer.from(JSON.stringify({ messages: messagesOf(rows) })),
  (rows) => Buffer.from(JSON.stringify({ type: 'session', messages: messagesOf(rows) })),
  (rows) => Buffer.from(JSON.stringify(messagesOf(rows))),
];
const writing = fc.oneof(
  { weight: 6, arbitrary: fc.constant(linesOf) },
  { weight: 3, arbitrary: fc.constantFrom(...WRITINGS) },
);

/** Transcripts as their writers leave them: lines most often, sometimes one document. */
export const transcriptBytes: fc.Arbitrary<Buffer> = fc
  .tuple(fc.array(step, { maxLength: 16 }), writing)
  .map(([steps, write]) => {
    const made = new TranscriptBuilder();
    steps.forEach((run, at) => run(made, at));
    return write(made.rows);
  });

/** Bytes that mean something where they land. */
const INSERTS = [
  '\n',
  '\n\n{"',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  '"}',
  ',',
  '\0',
  '\0\0\0\0\0\0\0\0',
  '\uFEFF',
  '\\ud800',
  '\\u0000',
  'null',
  '1e999',
  '[[[[[[[[[[[[',
  '{"a":{"a":{"a":',
  '"type":"system","subtype":"compact_boundary",',
  '"__proto__":{},',
  '"role":"user",',
  '"uuid":"x",',
  '{"type":"user","message":{"role":"user","content":"glued"}}',
  '#',
  '//',
] as const;

interface Mutation {
  readonly kind: 'flip' | 'set' | 'insert' | 'cut' | 'double' | 'truncate' | 'behead' | 'swap';
  /** Where, and how far, as shares of the whole. */
  readonly at: number;
  readonly length: number;
  readonly byte: number;
  readonly text: string;
}

const share = fc.double({ min: 0, max: 1, noNaN: true });
const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom<Mutation['kind'][]>(
    'flip',
    'set',
    'insert',
    'insert',
    'cut',
    'double',
    'truncate',
    'behead',
    'swap',
  ),
  at: share,
  length: share,
  byte: fc.oneof(fc.nat(255), fc.constantFrom(0, 0x0a, 0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0xff, 0xed, 0xc0)),
  text: fc.constantFrom(...INSERTS),
});

function mutated(bytes: Buffer, { kind, at, length, byte, text: inserted }: Mutation): Buffer {
  const from = Math.floor(at * bytes.length);
  // Most damage is small; the cube leaves some that is not.
  const to = Math.min(bytes.length, from + 1 + Math.floor(length ** 3 * bytes.length));
  const before = bytes.subarray(0, from);
  switch (kind) {
    case 'flip':
    case 'set': {
      const copy = Buffer.from(bytes);
      if (from < copy.length) copy[from] = kind === 'set' ? byte : copy[from]! ^ (1 << (byte & 7));
      return copy;
    }
    case 'insert':
      return Buffer.concat([before, Buffer.from(inserted), bytes.subarray(from)]);
    case 'cut':
      return Buffer.concat([before, bytes.subarray(to)]);
    case 'double':
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
    case 'truncate':
      return before;
    case 'behead':
      return bytes.subarray(from);
    case 'swap':
      return Buffer.concat([bytes.subarray(to), bytes.subarray(from, to), before]);
  }
}

/** `bytes` as they come, and damaged in up to six places. */
export function damaged(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  return fc
    .tuple(bytes, fc.oneof(fc.constant<Mutation[]>([]), fc.array(mutation, { minLength: 1, maxLength: 6 })))
    .map(([whole, mutations]) => mutations.reduce(mutated, whole));
}

/** Texts with everything that something could trip over. */
export const anyText: fc.Arbitrary<string> = text;
