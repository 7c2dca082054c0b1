import fc from 'fast-check';
import { expect, test } from 'vitest';
import { notesIn } from '../../src/foreign/notes.ts';

test('takes items and paragraphs apart, with the heading above them', () => {
  const file = [
    '---',
    'title: rules',
    '---',
    '# The project',
    '',
    'It is written in Go',
    'and deployed by hand.',
    '',
    '## Tests ##',
    'Always:',
    '- run `make test`',
    '  before a commit',
    '  - with -race',
    '* never skip them',
    '',
    '<!-- a comment',
    '- not a note -->',
    '@docs/other.md',
    '---',
    'Start it like this:',
    '',
    '```sh',
    '# no heading',
    'make run',
    '```',
    '### Port',
    '1. it listens on 8080',
  ].join('\n');
  expect(notesIn(file)).toEqual([
    { line: 6, text: 'It is written in Go and deployed by hand.'.replace(' and', '\nand') },
    { line: 11, text: 'Tests: Always: run `make test`\nbefore a commit\n- with -race' },
    { line: 14, text: 'Tests: Always: never skip them' },
    { line: 20, text: 'Tests: Start it like this:\n```sh\n# no heading\nmake run\n```' },
    { line: 27, text: 'Port: it listens on 8080' },
  ]);
});

test('never throws, and names lines that are there', () => {
  const piece = fc.constantFrom(
    '#',
    '## a',
    '- b',
    '1. c',
    '```',
    '<!--',
    '-->',
    '---',
    '',
    ' ',
    'words and more',
    '| a |',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (lines) => {
      for (const { line, text } of notesIn(lines.join('\n'))) {
        expect(line).toBeGreaterThan(0);
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(text.trim()).not.toBe('');
      }
    }),
  );
});
