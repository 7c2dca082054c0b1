import { describe, expect, test } from 'vitest';
import { hotContext, type HotDeps, hotJson } from '../../src/actions/hot.ts';

const SESSION = [
  { role: 'user', content: 'Log in with a passkey.\nStart with the tests, DB_PASSWORD=hunter2.' },
  { role: 'assistant', content: 'I look at the tests.' },
];

const DEPS: HotDeps = {
  readSession: async () => SESSION,
  readDirectives: async () => [{ id: 4, text: 'small commits', status: 'accepted', replaces: undefined, createdMs: 1 }],
  readCharter: async () => ({ file: '/p/AGENTS.md', text: '# Rules\n\nThe token is DB_PASSWORD=hunter2.\n' }),
};

const NOTHING: HotDeps = {
  readSession: async () => [],
  readDirectives: async () => [],
  readCharter: async () => undefined,
};

test('joins what is worked on, the directives and the charter, masked', async () => {
  const { text, charterFile, problems } = await hotContext({}, DEPS);
  expect(text).toBe(
    '## Focus\n- Log in with a passkey.\n\n## Directives\n- small commits\n\n## Charter\n# Rules\n\nThe token is DB_PASSWORD=[masked:password]',
  );
  expect([charterFile, problems]).toEqual(['/p/AGENTS.md', []]);
});

describe('a focus that is given', () => {
  test('stands in place of the session, which is not read then', async () => {
    const readSession = async (): Promise<never> => {
      throw new Error('must not be read');
    };
    const { text, problems } = await hotContext(
      { focus: '#12 the login\nDB_PASSWORD=hunter2' },
      { ...NOTHING, readSession },
    );
    expect(text).toBe('## Focus\n- #12 the login\n- DB_PASSWORD=[masked:password]');
    expect(problems).toEqual([]);
  });

  test('may be empty: then there is none', async () => {
    expect((await hotContext({ focus: '' }, DEPS)).text).toMatch(/^## Directives\n/);
  });
});

test('what cannot be read is left out and reported', async () => {
  const fail = async (): Promise<never> => {
    throw new Error('no luck');
  };
  const result = await hotContext({}, { ...DEPS, readSession: fail, readDirectives: fail });
  expect(result.text).toMatch(/^## Charter\n/);
  expect(result.problems).toEqual(['the session cannot be read: no luck', 'the directives cannot be read: no luck']);
});

test('as JSON has the documented fields', async () => {
  expect(hotJson(await hotContext({ budget: 30 }, DEPS))).toEqual({
    text: expect.stringContaining('## Focus'),
    tokens: expect.any(Number),
    budget: 30,
    focus: { given: 1, shown: 1, cut: false },
    directives: { active: 1, shown: [4] },
    charter: { file: '/p/AGENTS.md', lines: 3, shown: expect.any(Number) },
    problems: [],
  });
  expect(hotJson(await hotContext({}, NOTHING))).toMatchObject({ text: '', tokens: 0, charter: { file: null } });
});
