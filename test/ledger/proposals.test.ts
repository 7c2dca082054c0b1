import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { proposalsIn } from '../../src/ledger/proposals.ts';

const texts = (prompt: string): string[] => proposalsIn(prompt).map(({ text }) => text);

describe('is proposed', () => {
  test.each([
    // always, never
    ['Always run the tests before you commit.', 'always'],
    ['always use tabs', 'always'],
    ['Never push to main.', 'never'],
    ['never force-push', 'never', 'never force-push to a shared branch'],
    ['Please always answer in English.', 'always'],
    ['ok, and never ever edit the generated files!', 'never'],
    ['You must never touch the migrations.', 'never'],
    ['you should always write a test first', 'always'],
    ['You need to always check the types.', 'always'],
    ['I want you to always explain the plan first.', 'always'],
    ['Make sure to always close the connection.', 'always'],
    ['Remember to never log tokens.', 'never'],
    ["Let's always use pnpm.", 'always'],
    ['In this project we always use ISO dates.', 'always'],
    ['We never mock the database in this repo.', 'never'],
    ['If the build fails, never retry it more than twice.', 'never'],
    ["Don't ever commit secrets.", 'never'],
    ['do not ever amend a published commit', 'never'],
    ['Important: always be explicit about units.', 'always'],
    ['I told you to never delete my branches.', 'never'],
    ['- never add a dependency without asking', 'never'],
    ['3. Always keep commits small.', 'always'],
    ['Note: always quote paths in `sh` scripts.', 'always'],
    ['Always call it "the ledger", never "the log".', 'always'],
    // from now on
    ['From now on, use two spaces.', 'from-now-on'],
    ['from now on all commits must be signed', 'from-now-on'],
    ['Use conventional commits from now on.', 'from-now-on'],
    ['From now on please do not touch vendor/.', 'from-now-on'],
    ["Going forward, don't add comments to tests.", 'from-now-on'],
    ['From now on you only change what I ask for.', 'from-now-on'],
    ['In the future, ask before you install anything.', 'from-now-on'],
    ['From now on no more emojis in commit messages.', 'from-now-on'],
    // instead of
    ['Use pnpm instead of npm.', 'instead'],
    ['Please use `fetch` instead of axios.', 'instead'],
    ['use vitest rather than jest', 'instead'],
    ['Prefer composition over inheritance.', 'instead'],
    ['No, use ISO dates instead of timestamps.', 'instead'],
    ['You should use dayjs instead of moment in this project.', 'instead'],
    // each time
    ['Run the linter before every commit.', 'each-time'],
    ['Whenever you change the schema, add a migration.', 'each-time'],
    ['Every time you finish a step, update the changelog.', 'each-time'],
  ])('%s', (prompt, rule, longer?: string) => {
    expect(proposalsIn(longer ?? prompt).map((one) => one.rule)).toEqual([rule]);
  });

  test('the sentence, as it was typed, on one line, without its bullet', () => {
    expect(texts('Fix the login.\n\n* Never   commit\tto `main`, please.\nThanks!')).toEqual([
      'Never commit to `main`, please.',
    ]);
    expect(
      texts(
        'Before we start, one thing that matters to me a great deal:\nalways run the whole suite of tests before\nyou say that it works. Now fix it.',
      ),
    ).toEqual(['always run the whole suite of tests before you say that it works.']);
  });

  test('each rule of a prompt, in order, once', () => {
    expect(texts('Always use tabs. Fix it. Never use spaces. Always use tabs.')).toEqual([
      'Always use tabs.',
      'Never use spaces.',
    ]);
  });
});

describe('is not proposed:', () => {
  test.each([
    // questions
    ['a question', 'Should we always use tabs?'],
    ['a question about a habit', 'Why do you never run the tests?'],
    ['a question without its mark', 'can you always run the tests before you commit'],
    ['a question that begins like a rule', 'Always use tabs, right?'],
    ['a question about a choice', 'Why did you use npm instead of pnpm'],
    ['a polite question', 'Could you use fetch instead of axios?'],
    // descriptions
    ['what always happens', 'The test always fails on CI.'],
    ['what always happens, without a subject', 'Always fails on CI, works locally.'],
    ['what never happens', 'It never works when I restart.'],
    ['what never happened', 'Never seen this error before.'],
    ['what should never happen', 'This should never happen.'],
    ['what a function must do', 'The parser must always return a list.'],
    ['a habit', 'I always use vim for this.'],
    ['a reproach', 'You always forget the tests.'],
    ['a fact about code', 'We never call it with an empty list.'],
    ['a state', 'The flag is always true there.'],
    ['never mind', 'Never mind, use the old one.'],
    ['nevermind', 'nevermind the tests'],
    ['never again, as a sigh', 'never again'],
    ['an adjective', 'Always happy to help!'],
    ['always the same', 'Always the same error.'],
    ['what happens from now on', 'From now on it fails with a timeout.'],
    ['what is seen in the future', 'We may add that in the future.'],
    ['a plan for the future', 'Add support for this in the future.'],
    ['what was used', 'It uses npm instead of pnpm.'],
    ['what was seen', 'I see a 500 instead of a 404.'],
    ['what happens before every commit', 'The hook runs before every commit.'],
    ['a guess', 'Maybe we should always use tabs.'],
    ['a doubt', 'I wonder if we should always use tabs.'],
    // one-off
    ['a choice for one place', 'Use a map instead of an array here.'],
    ['a choice for one file', 'use const instead of let in this file'],
    ['a choice for one function', 'Use a Set instead of an array in `parseConfig`.'],
    ['a choice for one path', 'Use a Set instead of an array in src/app.ts.'],
    ['a choice for now', 'use sqlite instead of postgres for now'],
    // said by others
    ['what is quoted', 'He said "always use tabs" and left.'],
    ['what is quoted with curly marks', 'The guide has a line “Never push to main.” in it.'],
    ['what somebody says', 'The README says always use tabs.'],
    ['what is code', 'What about `never use this` as a name'],
    ['a quoted line', '> Always use tabs.\n\nI disagree with that.'],
    ['a fenced block', 'See this:\n```\nAlways use tabs.\nNever use spaces.\n```\nWhat does it mean'],
    ['a fenced block that never ends', 'See:\n~~~md\nAlways use tabs.'],
    ['an indented block', 'The file:\n\n    Always use tabs.\n\nis wrong.'],
    ['a heading', '# Always use tabs'],
    // logs
    ['a line of a log', '2026-11-30 10:00:01 Always use the --force option.'],
    ['a level', 'WARN always use https for the registry'],
    ['a level in brackets', '[INFO] never use this in production'],
    ['a warning', 'warning: always use a lockfile'],
    ['a compiler, with its place', 'src/a.ts:12:4: never use any'],
    ['a hint of git', 'hint: never use this option with --all'],
    ['npm', 'npm WARN never use --force'],
    ['a comment', '// always use the cache'],
    ['code', 'const a = never.use(b) instead;'],
    ['a diff', '+Always use tabs.\n-Never use tabs.'],
    ['a shell', '$ always use foo instead of bar'],
    ['a frame', 'at never (src/a.js:1:2)'],
    ['JSON', '"rule": "always use tabs",'],
    ['a tag', '<rule>Always use tabs.</rule>'],
    // other
    ['what somebody told, as a rule', 'They told us: never push to main.'],
    ['too little to say anything', 'Always.'],
    ['nothing', ''],
    ['what is only asked for now', 'Fix the login, then run the tests.'],
    ['a long sentence', `Always use ${'very '.repeat(80)}long names.`],
  ])('%s', (_, prompt) => {
    expect(texts(prompt)).toEqual([]);
  });

  test('anything of a prompt with more rules than a person types', () => {
    const rules = Array.from({ length: 9 }, (_, i) => `- always run step ${i}`);
    expect(texts(rules.slice(0, 8).join('\n'))).toHaveLength(8);
    expect(texts(rules.join('\n'))).toEqual([]);
  });

  test('what stands behind the first 20,000 characters', () => {
    expect(texts(`${'word '.repeat(5_000)}\nAlways use tabs.`)).toEqual([]);
  });
});

const pieces = fc.constantFrom(
  ...'always never use instead of from now on " \' ` ``` - you must “ ” tabs please and whenever'.split(' '),
  '\n',
  '. ',
  '? ',
  ', ',
  '    ',
  '\u{1f600}',
  '\ud800',
);

test('any text is read, and what is found stands in it, well-formed and on one line', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 60 }), (parts) => {
      const prompt = parts.join(' ');
      const flat = prompt.toWellFormed().replaceAll(/\s+/g, ' ');
      for (const { text } of proposalsIn(prompt)) {
        expect(text).not.toMatch(/[\n\r]/);
        expect(text.isWellFormed()).toBe(true);
        // A wrapped line was joined by a blank; fences and blank lines never are.
        expect(flat).toContain(text);
        expect(text.length).toBeLessThanOrEqual(300);
      }
    }),
  );
});

test.each([
  ['quotation marks', '"a '],
  ['apostrophes', " 'a"],
  ['leads', 'please '],
  ['rules without end', 'always use x, '],
  ['backticks', '`'],
  ['openings', '“ '],
  ['points', '. '],
  ['lines', 'a\n'],
])('takes no longer than it should on many %s', (_, piece) => {
  const startedAt = performance.now();
  for (let i = 0; i < 20; i += 1) proposalsIn(piece.repeat(200_000 / piece.length));
  expect(performance.now() - startedAt).toBeLessThan(4_000);
});
