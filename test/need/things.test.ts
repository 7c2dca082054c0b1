import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pairUp } from '../../src/messages/pairs.ts';
import { type Part, partsOf } from '../../src/messages/parts.ts';
import { unitsOf } from '../../src/messages/units.ts';
import { viewOf } from '../../src/messages/view.ts';
import { type Thing, thingsOf } from '../../src/need/things.ts';
import { brokenConversation } from '../support/conversation.ts';

/** Parts by a letter and an id: `c` calls, `r` results, `t` texts, `h` thinking. */
function parts(...messages: string[]): Part[][] {
  const kinds = { c: 'call', r: 'result', t: 'text', h: 'thinking' } as const;
  return messages.map((message) =>
    [...message.matchAll(/([crth])(\d?)/g)].map(([, letter = 't', callId = '']): Part => {
      const kind = kinds[letter as keyof typeof kinds]; // the expression knows no other letters
      return { kind, callId, fields: [], mediaCount: 0, fixed: kind === 'thinking' };
    }),
  );
}

function placesOf(things: readonly Thing[]): string[] {
  return things.map(({ places }) => places.map(({ message, part }) => `${message}.${part}`).join(' '));
}

describe('thingsOf', () => {
  test.each<[why: string, messages: string[], things: string[]]>([
    ['a text is a thing, thinking is none', ['ht'], ['0.1']],
    ['a call goes with its result', ['c1', 'r1'], ['0.0 1.0']],
    ['parallel calls are things of their own', ['c1c2', 'r2r1'], ['0.0 1.1', '0.1 1.0']],
    ['an id that comes back is another call', ['c1', 'r1', 'c1', 'r1'], ['0.0 1.0', '2.0 3.0']],
    ['two calls of one id in a message take results in order', ['c1c1', 'r1r1'], ['0.0 1.0', '0.1 1.1']],
    ['a result may stand before its call', ['r1', 'c1'], ['0.0 1.0']],
    ['a second result goes with the pair', ['c1', 'r1', 'r1'], ['0.0 1.0 2.0']],
    [
      'a surplus result is the first answer to an id that comes back',
      ['c1', 'r1', 'r1', 'c1', 'r1'],
      ['0.0 1.0', '2.0 3.0 4.0'],
    ],
    ['calls that were never answered go with the pair of their id', ['c1', 'c1', 'r1'], ['0.0 2.0 1.0']],
    ['halves without any other stay alone', ['c1', 'r2'], ['0.0', '1.0']],
    ['calls come first in a message that also answers', ['c1', 'r1c1', 'r1'], ['0.0 1.0', '1.1 2.0']],
  ])('%s', (_why, messages, expected) => {
    expect(placesOf(thingsOf(parts(...messages)))).toEqual(expected);
  });

  test('no thing reaches beyond a unit, and every part is in one', () => {
    fc.assert(
      fc.property(brokenConversation(), (messages) => {
        const units = unitsOf(messages.length, pairUp(messages.map(viewOf)));
        const all = messages.map(partsOf);
        const things = thingsOf(all);
        for (const { places } of things) {
          expect(new Set(places.map(({ message }) => units[message])).size).toBe(1);
        }
        const count = all.flat().filter(({ kind }) => kind !== 'thinking').length;
        expect(things.flatMap(({ places }) => places)).toHaveLength(count);
      }),
      { numRuns: 300 },
    );
  });

  test('a thing knows its tool, its file and whether it failed', () => {
    const messages = [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Edit', input: { file_path: '/a/b.ts' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'no such text', is_error: true }] },
    ];
    expect(thingsOf(messages.map(partsOf))).toMatchObject([{ tool: 'edit', file: '/a/b.ts', isError: true }]);
  });
});
