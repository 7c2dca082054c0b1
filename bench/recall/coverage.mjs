// Whether a turn that counts as covered has its facts in the memory: turns beside memories that say the same, and beside memories that
// only look like it.
import { random } from '../data.mjs';
import { draw, FAMILIES, redrawn, SUBJECTS } from './families.mjs';

/** Turns of a kind of fact. */
const SUBJECTS_EACH = 5;

/** Values of two facts, changed over; the parts that they are about stay. */
const swapped = (one, other) => [
  { ...other, s: one.s },
  { ...one, s: other.s },
];

/**
 * Groups of { trap, holds, turn, memories }: each group has a project of its own, so that nothing else in it says what a trap must not
 * say. `holds`: the memories say all that the turn says.
 */
export function makeCases({ seed, held = false }) {
  const next = random(seed);
  const families = FAMILIES.filter((family) => (family.held === true) === held);
  const cases = [];
  const add = (trap, holds, turn, ...memories) => cases.push({ trap, holds, turn, memories });
  for (const [place, family] of families.entries()) {
    const companion = families[(place + 1) % families.length];
    for (let i = 0; i < SUBJECTS_EACH; i++) {
      const [s, t] = [
        SUBJECTS[(place * 5 + i * 2) % SUBJECTS.length],
        SUBJECTS[(place * 5 + i * 2 + 1) % SUBJECTS.length],
      ];
      const { say, again, not } = family;
      const fact = draw(family, s, next);
      const [field] = Object.keys(family.value);
      const other = { ...redrawn(family, fact, field, next), s: t };
      const more = draw(companion, s, next);
      add('the same', true, say(fact), say(fact));
      add('reworded', true, say(fact), again(fact));
      add('reworded', true, again(fact), say(fact));
      add('and more', true, say(fact), `${again(fact)} ${companion.say(more)}`);
      add('in two memories', true, `${say(fact)} ${companion.say(more)}`, again(fact), companion.again(more));
      for (const [changed, kind] of Object.entries(family.kinds)) {
        add(`another ${kind}`, false, say(fact), say(redrawn(family, fact, changed, next)));
        add(`another ${kind}`, false, say(fact), again(redrawn(family, fact, changed, next)));
      }
      add('negation', false, say(fact), not(fact));
      add('negation', false, not(fact), say(fact));
      add('negation', false, again(fact), not(fact));
      add('about another part', false, say(fact), say({ ...fact, s: t }));
      add('about another part', false, say(fact), again({ ...fact, s: t }));
      const [mine, theirs] = swapped(fact, other);
      add('swapped', false, `${say(fact)} ${say(other)}`, `${say(mine)} ${say(theirs)}`);
      add('swapped', false, `${say(fact)} ${say(other)}`, `${again(mine)} ${again(theirs)}`);
      add('swapped', false, say(fact), `${say(mine)} ${say(theirs)}`);
      add('one of two facts', false, `${say(fact)} ${companion.say(more)}`, say(fact));
      add('one of two facts', false, `${companion.say(more)} ${say(fact)}`, again(fact));
      add(
        'one of two facts',
        false,
        `${say(fact)} ${companion.say(more)}`,
        again(fact),
        companion.say(redrawn(companion, more, Object.keys(companion.value)[0], next)),
      );
    }
  }
  return cases;
}
