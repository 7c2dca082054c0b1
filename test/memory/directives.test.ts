import { describe, expect, test } from 'vitest';
import { beside, directive, MS, opened } from './home.ts';

describe('the ledger of directives', () => {
  test('gives back what was written, oldest first', async () => {
    let clock = 1_000;
    const { memory } = opened(() => (clock += 1));
    const first = await memory.addDirective(directive('Small commits.', { session: 's1' }), MS);
    const second = await memory.addDirective(directive('Smaller.', { status: 'amended', replaces: first.id }), MS);
    expect(await memory.directives('/project', MS)).toEqual([first, second]);
    expect([first, second]).toMatchObject([
      { id: 1, text: 'Small commits.', status: 'accepted', replaces: undefined, session: 's1', createdMs: 1_001 },
      { id: 2, text: 'Smaller.', status: 'amended', replaces: 1, project: '/project', createdMs: 1_002 },
    ]);
  });

  test('is of one project, with what is for every project', async () => {
    const { memory } = opened();
    await memory.addDirective(directive('here'), MS);
    await memory.addDirective(directive('elsewhere', { project: '/other' }), MS);
    await memory.addDirective(directive('everywhere', { project: undefined }), MS);
    const texts = async (project: string | undefined): Promise<string[]> =>
      (await memory.directives(project, MS)).map(({ text }) => text);
    expect(await texts('/project')).toEqual(['here', 'everywhere']);
    expect(await texts(undefined)).toEqual(['everywhere']);
  });

  test('takes no entry that replaces what is not there', async () => {
    const { memory } = opened();
    await expect(memory.addDirective(directive('a', { replaces: 5 }), MS)).rejects.toThrow(/FOREIGN KEY/);
    expect(await memory.directives('/project', MS)).toEqual([]);
  });

  test.each([
    "UPDATE ledger SET status = 'revoked'",
    'DELETE FROM ledger',
    "UPDATE ledger_texts SET text = 'b'",
    "REPLACE INTO ledger (id, status, who, created_ms) VALUES (1, 'revoked', 'rule', 1)",
  ])('only grows, whoever writes to it: %s', async (sql) => {
    const { memory, path } = opened();
    await memory.addDirective(directive('a'), MS);
    const db = beside(path);
    db.pragma('recursive_triggers = ON');
    expect(() => db.exec(sql)).toThrow(/only grows|FOREIGN KEY/);
    expect(await memory.directives('/project', MS)).toMatchObject([{ text: 'a', status: 'accepted' }]);
  });

  test('holds well-formed text without secrets', async () => {
    const { memory } = opened();
    const stored = await memory.addDirective(directive('use DB_PASSWORD=hunter2 \ud800'), MS);
    expect(stored.text).toBe('use DB_PASSWORD=[masked:password] \ufffd');
    expect(await memory.directives('/project', MS)).toEqual([stored]);
  });
});
