import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Restorable, writeRestoration } from '../../src/session/restoration.ts';

const EMPTY: Restorable = {
  snapshot: { goals: [], limits: [], files: [], todos: [], failures: [], commands: [] },
  directives: [],
  names: [],
  pointers: [],
  passages: [],
  charterFile: undefined,
};

test('is empty where there is nothing to give back', () => {
  expect(writeRestoration(EMPTY, 10_000)).toBe('');
});

test('is never longer than asked, whatever there is', () => {
  const text = fc.string({ unit: 'binary', maxLength: 400 });
  const made = fc.record({
    snapshot: fc.record({
      goals: fc.array(text),
      limits: fc.array(text),
      files: fc.array(fc.record({ path: text, use: fc.constantFrom('edited' as const, 'read' as const) })),
      todos: fc.array(fc.record({ text, state: fc.constantFrom('pending' as const, 'in_progress' as const) })),
      failures: fc.array(fc.record({ call: text, error: text })),
      commands: fc.array(text),
    }),
    directives: fc.array(text),
    names: fc.array(text),
    pointers: fc.array(fc.record({ path: text, handle: fc.constant('#aaaaaaa') })),
    passages: fc.array(
      fc.record({ handle: fc.constant('#aaaaaaa'), label: text, file: text, text, score: fc.double({ noNaN: true }) }),
    ),
    charterFile: fc.option(text, { nil: undefined }),
  });
  fc.assert(
    fc.property(made, fc.integer({ min: 0, max: 4_000 }), (from, maxChars) => {
      const block = writeRestoration(from, maxChars);
      expect(block === '' || block.length <= maxChars).toBe(true);
    }),
  );
});

test('an entry that has no room keeps none of the others out', () => {
  const block = writeRestoration({ ...EMPTY, directives: ['x'.repeat(9_000), 'answer in English'] }, 3_000);
  expect(block).toContain('- answer in English');
});

test('the file of rules is named', () => {
  expect(writeRestoration({ ...EMPTY, charterFile: '/p/AGENTS.md' }, 3_000)).toContain('/p/AGENTS.md');
});
