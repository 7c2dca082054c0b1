import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partsOf } from '../../src/messages/parts.ts';
import { searchTextOf } from '../../src/messages/search-text.ts';
import { shownPlaces, shownText } from '../../src/messages/shown.ts';
import type { Message } from '../../src/messages/types.ts';
import { viewOf } from '../../src/messages/view.ts';
import { openAiRequest, thinkingRequest } from '../support/requests.ts';

const edit: Message = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'I change it.\nNow.' },
    { type: 'tool_use', id: '1', name: 'Read', input: { file_path: 'src/a.ts' } },
    {
      type: 'tool_use',
      id: '2',
      name: 'Edit',
      input: { file_path: 'src/a.ts', edits: [{ old_string: 'a\nb', new_string: 'say "c"\n\nd' }], all: true },
    },
  ],
};

function shown(message: Message): string {
  return shownText(searchTextOf(viewOf(message)), message.role);
}

test('a call whose input has lines of its own is shown line by line, a short one as JSON', () => {
  expect(shown(edit)).toBe(
    [
      'I change it.',
      'Now.',
      'Read {"file_path":"src/a.ts"}',
      'Edit',
      'file_path: src/a.ts',
      'edits.0.old_string:',
      'a',
      'b',
      'edits.0.new_string:',
      'say "c"',
      '',
      'd',
      'all: true',
    ].join('\n'),
  );
  expect(shownPlaces(edit, viewOf(edit))).toEqual({ starts: [[0], [2], [4, 6, 9]], totalLines: 13 });
});

test.each([
  ['what only an assistant says', 'user', 'Edit {"a":"b\\nc"}'],
  ['what is no JSON any more', 'assistant', 'Edit {"a":"b\\nc"'],
  ['no name in front', 'assistant', '{"a":"b\\nc"}'],
])('%s stays as it is', (_, role, text) => {
  expect(shownText(text, role)).toBe(text);
});

test('results stand one behind the other, and nothing is placed where marks would shift it', () => {
  const result = (id: string, content: string): { type: string } & Record<string, unknown> => ({
    type: 'tool_result',
    tool_use_id: id,
    content,
  });
  const message: Message = { role: 'user', content: [result('1', 'a\nb'), result('2', 'c')] };
  expect(shownPlaces(message, viewOf(message))).toEqual({ starts: [[0], [2]], totalLines: 3 });
  const marked: Message = { role: 'user', content: [result('1', '[chitta:gap 3 lines]\nb')] };
  expect(shownPlaces(marked, viewOf(marked))).toBeUndefined();
});

describe('every text of a message stands where it is said to stand', () => {
  test.each([
    ['Anthropic', thinkingRequest],
    ['OpenAI', openAiRequest],
  ])('%s', (_, request) => {
    fc.assert(
      fc.property(request, (messages) => {
        for (const message of messages) {
          const lines = shown(message).split('\n');
          const places = shownPlaces(message, viewOf(message));
          expect(places?.totalLines ?? 0).toBe(shown(message) === '' ? (places?.totalLines ?? 0) : lines.length);
          partsOf(message).forEach(({ kind, fields }, part) => {
            if (kind === 'thinking' || kind === 'other') return;
            fields.forEach(({ text }, field) => {
              const start = places?.starts[part]?.[field];
              if (start === undefined) return;
              const own = text.split('\n');
              // One that is a single line stands behind its key, or in JSON.
              const isThere =
                own.length > 1
                  ? own.every((line, at) => lines[start + at] === line)
                  : lines[start]?.includes(kind === 'call' ? JSON.stringify(text).slice(1, -1) : text);
              expect(isThere).toBe(true);
            });
          });
        }
      }),
      { numRuns: 200 },
    );
  });
});

test('what is shown of a deep input is no multiple of it, and a key stands on one line', () => {
  const levels = 400;
  let input: unknown = 'leaf\nof two lines';
  for (let level = 0; level < levels; level += 1) input = { [`key ${'k'.repeat(500)}\n${level}`]: input, leaf: 'one' };
  const call = `Write ${JSON.stringify(input)}`;
  const shown = shownText(call, 'assistant');
  expect(shown.length).toBeLessThan(call.length * 2);
  // The name, a line for each leaf, and for the one of two lines two more.
  expect(shown.split('\n')).toHaveLength(1 + levels + 3);
});
