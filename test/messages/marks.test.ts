import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasMarks, isMark, stripMarks, writeBlock, writeMark } from '../../src/messages/marks.ts';

const kind = fc.constantFrom('gap' as const, 'stub' as const, 'cut' as const);
const block = fc.constantFrom('guide' as const, 'restored' as const, 'recall' as const);

describe('marks', () => {
  test('name the handles first, then the note', () => {
    expect(writeMark('gap', ['#abcdefg', '#hijklmn'], '2 messages')).toBe('[chitta:gap #abcdefg #hijklmn 2 messages]');
  });

  test('whatever the note says, a mark is one line that is recognised and stripped', () => {
    fc.assert(
      fc.property(kind, fc.string({ unit: 'binary' }), (which, note) => {
        const mark = writeMark(which, ['#abcdefg'], note);
        expect(mark).not.toContain('\n');
        expect(isMark(mark)).toBe(true);
        expect(stripMarks(`before\n${mark}\nafter`)).toBe('before\nafter');
      }),
    );
  });

  test('whatever a block holds, nothing of it is left and nothing around it is lost', () => {
    fc.assert(
      fc.property(block, fc.string({ unit: 'binary' }), (which, body) => {
        expect(stripMarks(`before ${writeBlock(which, body)} after`)).toBe('before  after');
      }),
    );
  });

  test('whatever tags a block holds, it runs neither into the one before it nor into the one behind it', () => {
    const tags = ['guide', 'restored', 'recall', 'hot'].flatMap((name) => [`[chitta:${name}]`, `[/chitta:${name}]`]);
    const body = fc.array(fc.constantFrom(...tags, '[', '/chitta:hot]', 'words', '\n')).map((list) => list.join(''));
    fc.assert(
      fc.property(body, body, body, (one, two, three) => {
        const text = `a${writeBlock('recall', one)}b${writeBlock('restored', two)}c${writeBlock('hot', three)}d`;
        expect(stripMarks(text)).toBe('abcd');
        expect(writeBlock('hot', one)).toHaveLength(writeBlock('hot', '').length + one.length);
      }),
    );
  });

  test('a block that never ends loses its tag only', () => {
    expect(stripMarks('a [chitta:recall] b')).toBe('a  b');
  });

  test.each(['[chitta:gap', 'see [chitta:gap #a] here', '[chitta:unknown #a]', '[other:gap]'])(
    '%s is no mark',
    (line) => {
      expect(isMark(line)).toBe(false);
    },
  );

  test('text without marks is handed back as it is', () => {
    const text = 'nothing of ours\n[1] [2]';
    expect(hasMarks(text)).toBe(false);
    expect(stripMarks(text)).toBe(text);
  });

  test('a megabyte of opening tags is read in one pass', () => {
    const text = '[chitta:recall]'.repeat(70_000);
    expect(stripMarks(text)).toBe('');
  });
});
