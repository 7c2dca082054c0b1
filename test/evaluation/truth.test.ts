import { expect, test } from 'vitest';
import { answer, call, episode, keysOf, prompt, workedEpisode } from './session.ts';

const read = (content: string): ReturnType<typeof call> => call('Read', { file_path: '/r/notes.md' }, content);

test('an identifier that first comes back in a tool’s input was needed', () => {
  expect(keysOf(workedEpisode())).toEqual(
    expect.arrayContaining(['RETRY_LIMIT', 'lock/acquire.ts', 'ledger/open.ts', 'lock-queue.ts']),
  );
});

test('what a user or a result named again first was not needed', () => {
  const context = read('use leaseTime and pollEvery');
  expect(keysOf(episode(context, [prompt('set leaseTime'), ...call('Grep', { pattern: 'leaseTime' }, '')]))).toEqual(
    [],
  );
  expect(
    keysOf(episode(context, [...call('Bash', {}, 'pollEvery'), ...call('Grep', { pattern: 'pollEvery' }, '')])),
  ).toEqual([]);
});

test('what comes back in words is prose, until it comes back in a tool’s input', () => {
  const context = read('use leaseTime');
  const { truth } = episode(context, [answer('leaseTime it is')]);
  expect(truth.identifiers.map(({ key, use }) => [key, use])).toEqual([['leaseTime', 'prose']]);
  const later = episode(context, [answer('leaseTime it is'), ...call('Grep', { pattern: 'leaseTime' }, '')]);
  expect(later.truth.identifiers.map(({ use }) => use)).toEqual(['tool']);
});

test('an identifier in many messages is common, one in the newest tenth is late', () => {
  const filler = 'some plain words and again some plain words. '.repeat(60);
  const often = [1, 2, 3, 4].flatMap((n) => read(`leaseTime ${n}`));
  const context = [...often, ...read('pollEvery'), ...read(filler), ...read('tailSize')];
  const future = call('Grep', { pattern: 'leaseTime pollEvery tailSize' }, '');
  const byKey = new Map(episode(context, future).truth.identifiers.map((one) => [one.key, one]));
  expect(byKey.get('leaseTime')).toMatchObject({ rare: false });
  expect(byKey.get('pollEvery')).toMatchObject({ rare: true, late: false });
  expect(byKey.get('tailSize')).toMatchObject({ rare: true, late: true });
});

test('a part of a longer name and a guessable name are no truths', () => {
  const context = read('leaseTime and worker.leaseTime and pollEvery');
  const future = call('Grep', { pattern: 'worker.leaseTime|pollEvery' }, '');
  expect(keysOf(episode(context, future))).toEqual(['worker.leaseTime', 'pollEvery']);
  expect(keysOf(episode(context, future, (key) => key === 'pollEvery'))).toEqual(['worker.leaseTime']);
});

test('lines that an edit replaces were needed, unless they were seen again before it', () => {
  const lines = ['const leaseTime = 3000;', 'const pollEvery = 250;'];
  const edit = call('Edit', { file_path: '/r/a.ts', old_string: lines.join('\n'), new_string: '' }, 'ok');
  const context = read(lines.join('\n'));
  expect(episode(context, edit).truth).toMatchObject({ editLines: lines, edits: [lines] });
  const [first = ''] = lines;
  expect(episode(context, [...read(first), ...edit]).truth).toMatchObject({ editLines: lines.slice(1), edits: [] });
});

test('edits in a list count, and lines apart in the context make no whole edit', () => {
  const lines = ['const leaseTime = 3000;', 'const pollEvery = 250;'];
  const between = Array.from({ length: 6 }, (_, n) => `// something in between, number ${n}`);
  const edit = call('MultiEdit', { edits: [{ old_string: lines.join('\n'), new_string: '' }] }, 'ok');
  const { truth } = episode(read([lines[0], ...between, lines[1]].join('\n')), edit);
  expect(truth).toMatchObject({ editLines: lines, edits: [] });
});

test('an error line was needed if two of its rare words come back', () => {
  const { truth } = workedEpisode();
  expect(truth.errors).toEqual(['Error: LedgerTimeout after waitForRelease in lock-queue.ts']);
  expect(truth.failures).toEqual(['Error: LedgerTimeout after waitForRelease in lock-queue.ts']);
});

test('a file that speaks of errors is no error, and a refusal is no failure', () => {
  const context = [
    ...read('Error: LedgerTimeout after waitForRelease'),
    ...call('Bash', {}, "The user doesn't want to proceed with this tool use", true),
  ];
  const { truth } = episode(context, [answer('LedgerTimeout waitForRelease')]);
  expect(truth).toMatchObject({ errors: [], failures: [] });
});

test('constraints are the sentences of typed prompts with a rule, a number or a quoted name, each once', () => {
  const { truth } = episode(
    [
      prompt('Thanks for that. Never touch the schema! Wait 30 seconds.\nRename it to "ledger book" please'),
      prompt('Never touch the schema!'),
      prompt('<system-reminder>Always do this</system-reminder>'),
      answer('I must say no.'),
    ],
    [],
  );
  expect(truth.constraints).toEqual([
    'Never touch the schema!',
    'Wait 30 seconds.',
    'Rename it to "ledger book" please',
  ]);
});
