import { expect, test } from 'vitest';
import { handleOf } from '../../src/messages/handle.ts';
import type { Message } from '../../src/messages/types.ts';
import { call, episode, prompt } from './session.ts';

const lines = ['const leaseTime = 3000;', 'const pollEvery = 250;', 'const tailSize = 4096;'];
const [asked, answered] = call('Read', { file_path: '/home/me/repo/src/lease/times.ts' }, lines.join('\n'));
const shell = (n: number): Message[] => call('Bash', { command: 'npm test -- --all' }, `${lines[0]} ${n}`);
const context = [asked, answered].filter((message) => message !== undefined);
const edit = call('Edit', { old_string: lines.join('\n'), new_string: '' }, 'ok');

const pointers: [why: string, text: string, reached: number][] = [
  ['nothing in sight', 'nothing', 0],
  ['the handle of the call', `gone: ${handleOf(context[0] ?? { role: '' })}.`, 1],
  ['the handle of the result', `gone: ${handleOf(context[1] ?? { role: '' })}`, 1],
  ['another handle', 'gone: #abcdefg', 0],
  ['the end of the path', 'read lease/times.ts', 1],
  ['the name without its folder', 'read times.ts', 0],
];

test.each(pointers)('with %s in sight', (_why, text, reached) => {
  const { score } = episode(context, edit).scorer.score([prompt(text)], 1_000);
  expect(score).toMatchObject({ editLines: 0, editLinesInReach: reached });
});

test('what is kept is in reach', () => {
  const { score } = episode(context, edit).scorer.score(context, 1_000);
  expect(score).toMatchObject({ editLines: 1, editLinesInReach: 1 });
});

test('a command that several calls share names none of them', () => {
  const future = call(
    'Edit',
    { old_string: [1, 2, 3].map((n) => `${lines[0]} ${n}`).join('\n'), new_string: '' },
    'ok',
  );
  const reach = (count: number): number | null => {
    const runs = Array.from({ length: count }, (_, n) => shell(n + 1)).flat();
    const all = [
      ...runs,
      ...call('Bash', { command: 'cat everything.txt' }, `${lines[0]} 1\n${lines[0]} 2\n${lines[0]} 3`),
    ];
    return episode(all, future).scorer.score([prompt('ran npm test -- --all')], 1_000).score.editLinesInReach;
  };
  expect(reach(1)).toBeCloseTo(1 / 3);
  expect(reach(2)).toBe(0);
});
