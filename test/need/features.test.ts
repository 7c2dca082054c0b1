import { describe, expect, test } from 'vitest';
import { Features, type LineKind, type Sighting } from '../../src/need/features.ts';

const NONE: ReadonlySet<number> = new Set();

function at(kind: LineKind, extra: Partial<Sighting> = {}): Sighting {
  return { place: 'result', kind, ageTokens: 0, file: undefined, ...extra };
}

/** Names of what is worth anything, with its worth. */
function worthOf(features: Features, query = NONE, talk = NONE, ratio = 1): Map<string, number> {
  const worth = features.worth(ratio, query, talk);
  return new Map([...worth].map((value, feature) => [features.nameOf(feature), value]));
}

const CODE = 'const limit = readLimit(4000);';

describe('lines of code', () => {
  test.each<[why: string, kinds: LineKind[], isWorth: boolean]>([
    ['read', ['read'], true],
    ['written', ['written'], true],
    ['replaced by an edit', ['read', 'replaced'], false],
    ['replaced, and then put back', ['read', 'replaced', 'edited'], true],
    ['never seen but as replaced', ['replaced'], false],
    ['printed by a command', ['plain'], false],
  ])('%s', (_why, kinds, isWorth) => {
    const features = new Features();
    for (const kind of kinds) features.see(CODE, 0, at(kind));
    expect((worthOf(features).get(CODE) ?? 0) > 0).toBe(isWorth);
  });

  test('short ones and rules of dashes are none', () => {
    const features = new Features();
    expect(features.see('return x;', 0, at('read'))).toEqual([]);
    expect(features.see('---------------------', 0, at('read'))).toEqual([]);
  });

  test('those that the agent wrote count more than those it read', () => {
    const [written, read] = [new Features(), new Features()];
    written.see(CODE, 0, at('written'));
    read.see(CODE, 0, at('read'));
    expect(worthOf(written).get(CODE)).toBeGreaterThan(worthOf(read).get(CODE)!);
  });

  test('of the file at hand count more, files of parallel calls alike, data files less', () => {
    const features = new Features();
    const lines = { 'old.ts': 300, 'a.ts': 100, 'b.ts': 100, 'data.json': 100 };
    for (const [file, ageTokens] of Object.entries(lines)) {
      features.see(`some long line in ${file}`, 0, at('read', { file, ageTokens }));
    }
    const worth = worthOf(features, NONE, NONE, 0.1);
    const of = (file: string): number => worth.get(`some long line in ${file}`)!;
    expect(of('a.ts')).toBe(of('b.ts'));
    expect(of('a.ts')).toBeGreaterThan(of('old.ts') * 2);
    expect(of('data.json')).toBeLessThan(of('a.ts') / 2);
  });
});

describe('lines of a failed call', () => {
  test('are the first, and those that speak of the failure among the first dozen', () => {
    const features = new Features();
    const sees = (line: string, index: number): boolean => features.see(line, index, at('failed')).length > 0;
    expect(sees('> build', 0)).toBe(true);
    expect(sees('some words of no matter', 1)).toBe(false);
    expect(sees('it cannot be done', 2)).toBe(true);
    expect(sees('it failed late again', 40)).toBe(false);
  });
});

describe('identifiers', () => {
  test('count more where they stood in more kinds of places, and less with age', () => {
    const features = new Features();
    features.see('one_name', 0, at('plain', { place: 'shell' }));
    features.see('two_name', 0, at('plain', { place: 'shell' }));
    features.see('two_name', 0, at('plain', { place: 'input' }));
    features.see('old_name', 0, at('plain', { place: 'shell', ageTokens: 5_000 }));
    const worth = worthOf(features);
    expect(worth.get('two_name')).toBeGreaterThan(worth.get('one_name')!);
    expect(worth.get('old_name')).toBeLessThan(worth.get('one_name')!);
  });

  test('that the query names count more than those the agent speaks of, and both more than others', () => {
    const features = new Features();
    for (const name of ['asked_name', 'said_name', 'other_name']) features.see(name, 0, at('plain'));
    const worth = worthOf(features, features.within('about asked_name'), features.within('about said_name'));
    expect(worth.get('asked_name')).toBeGreaterThan(worth.get('said_name')!);
    expect(worth.get('said_name')).toBeGreaterThan(worth.get('other_name')!);
  });

  test('that never stood alone count little', () => {
    const features = new Features();
    features.see('src/some_folder/main.ts', 0, at('plain'));
    const worth = worthOf(features);
    expect(worth.get('some_folder')).toBeLessThan(worth.get('some_folder/main.ts')! / 2);
    features.see('some_folder', 0, at('plain'));
    expect(worthOf(features).get('some_folder')).toBe(worth.get('some_folder/main.ts'));
  });

  test('are one feature however often they stand there', () => {
    const features = new Features();
    expect(features.see('a some_name b', 0, at('plain'))).toEqual(features.see('c some_name d', 5, at('plain')));
    expect(features.count).toBe(1);
  });
});

test("chitta's own marks hold nothing", () => {
  const features = new Features();
  expect(features.see('[chitta:gap #abcdefg 12345 lines]', 0, at('read'))).toEqual([]);
  expect(features.count).toBe(0);
});

test('a text that is not of the conversation adds nothing', () => {
  const features = new Features();
  features.see(CODE, 0, at('read'));
  const { count } = features;
  expect([...features.within(`some new_name\n  ${CODE}`)].map((feature) => features.nameOf(feature))).toContain(CODE);
  expect(features.count).toBe(count);
});
