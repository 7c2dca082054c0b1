import { expect, test } from 'vitest';
import type { Message } from '../../src/messages/types.ts';
import { auditSummary, summaryOf } from '../../src/session/audit.ts';

const said = (role: string, content: string): Message => ({ role, content });

test.each([
  ['the summary alone', '<analysis>a</analysis>\n<summary>\nb\n</summary>', '\nb\n'],
  ['without its end', '<analysis>a</analysis><summary>b', 'b'],
  ['without tags', 'b', 'b'],
  ['without what was thought', '<analysis>a</analysis> b', ' b'],
  ['with the tag in its text', '<summary>see </summary> here</summary>', 'see </summary> here'],
  ['nothing', '', ''],
])('of a reply, %s goes into the context', (_, reply, summary) => {
  expect(summaryOf(reply)).toBe(summary);
});

test.each<[string, string, string, boolean]>([
  ['said in other words', 'Never drop any data.', 'Data must never be dropped.', true],
  ['left out', 'Never drop any data.', 'The column was renamed.', false],
  ['with another number', 'Keep at most 5 backups.', 'Keep at most 7 backups.', false],
  ['without its name', 'Do not touch src/api.ts.', 'Some files must not be touched.', false],
  ['with its name', 'Do not touch src/api.ts.', 'src/api.ts is not to be touched.', true],
])('a constraint that is %s', (_, constraint, summary, kept) => {
  const { constraints } = auditSummary([said('user', constraint)], summary);
  expect(constraints).toEqual({ checked: 1, lost: kept ? [] : [constraint] });
});

test('a file counts as named by its last part', () => {
  const call = { type: 'tool_use', id: 't', name: 'Edit', input: { file_path: '/work/src/tables.sql' } };
  const messages: Message[] = [{ role: 'assistant', content: [call] }];
  expect(auditSummary(messages, 'Edited tables.sql.').identifiers.lost).toEqual([]);
  expect(auditSummary(messages, 'Edited a file.').identifiers.lost).toEqual(['/work/src/tables.sql']);
});

test('secrets are masked in what is told as lost', () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const { constraints } = auditSummary([said('user', `Never print ${token} anywhere.`)], 'Nothing.');
  expect(constraints.lost.join()).toContain('[masked:');
});
