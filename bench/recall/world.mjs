// Projects with what is remembered and what was said in their sessions, and questions about it whose answers are known. The same for the
// same seed; no text from anywhere.
import { random } from '../data.mjs';
import { draw, FAMILIES, redrawn, SUBJECTS } from './families.mjs';

const PROJECTS = ['/work/alpha', '/work/beta', '/work/gamma'];
/** Of all facts that there could be, those that a project has; and of these, remembered, said in a session, or remembered anew after they changed. */
const KNOWN_SHARE = 0.4;
const MEMORY_SHARE = 0.5;
const CHANGED_SHARE = 0.2;
/** Turns about the same parts that answer nothing. */
const IDLE_TURNS = 250;
const QUESTIONS_EACH = 45;

const IDLE = [
  (s, n) => `I read the code of ${s} again and it looks fine so far, ${n} lines.`,
  (s) => `Let me look at ${s} before I change anything.`,
  (s, n) => `All ${n} checks of ${s} pass now, going on with the next step.`,
  (s) => `Can you tidy up the comments in ${s}, they are out of date.`,
  (s, n) => `Edited ${s}: ${n} insertions, ${n % 7} deletions.`,
  (s) => `Renamed a local in ${s}, nothing else changed there.`,
  (s, n) => `warning: ${n} unused imports near ${s}`,
];

/** Nothing of the kind stands anywhere. */
const FOREIGN = [
  'Which font do the printed letters use?',
  'how do we translate the onboarding screens into Welsh',
  'Who painted the mural in the lobby?',
  'what is the licence of the photos on the landing page',
  'Is there a dark theme for the dashboard charts?',
  'how many chairs fit into the meeting room',
  'Which GPU trains the recommender?',
  'did the penetration testers find anything in the mobile app',
  'what does the Kubernetes ingress annotate',
  'Where is the keyboard shortcut for zooming defined?',
  'how is the accessibility of colour contrast measured',
  'Which vendor prints the shirts?',
  'what happens to the beta waiting list',
  'Did legal sign the contract with the translators?',
  'how do I flash the firmware of the scanner',
  'Which bluetooth profile does the headset speak?',
  'what is the refund policy for cancelled flights',
  'does the compiler inline recursive closures',
  'Which ontology do the biologists prefer?',
  'how deep is the swimming pool of the hotel',
  'Where do we book the train to the conference?',
  'what colour has the logo on the mugs',
  'Is the elevator maintained by the landlord?',
  'how was the neural net quantised for the watch',
];

/** The same for the kinds that are held out. */
const FOREIGN_HELD = [
  'Which wine goes with the dinner of the investors?',
  'how tall is the antenna on the roof',
  'who trims the hedges around the car park',
  'what is the boiling point of the solvent',
  'Does the violin need new strings?',
  'how many laps has the marathon',
  'Which vaccine do travellers to Peru take?',
  'did anybody feed the fish in the aquarium',
  'what grammar does the Prolog tutorial teach',
  'Is the bicycle in the cellar insured?',
  'where was the trailer of the film shot',
  'Which sonata did the pianist choose?',
];

const shuffled = (list, next) =>
  list
    .map((value) => ({ value, place: next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value);

/** One letter is missing, doubled or swapped with its neighbour; not the first. */
function mistyped(word, next) {
  const at = 1 + Math.floor(next() * (word.length - 2));
  const [head, tail] = [word.slice(0, at), word.slice(at)];
  return [head + tail.slice(1), head + tail.charAt(0) + tail, head + tail.charAt(1) + tail.charAt(0) + tail.slice(2)][
    Math.floor(next() * 3)
  ];
}

/** Everything about one project; ids are places in `memories` and `turns` of the whole world. */
function furnish(project, families, next, world) {
  const known = [];
  const unknown = [];
  for (const family of families) {
    for (const s of SUBJECTS) {
      if (next() > KNOWN_SHARE) {
        unknown.push({ family, fact: draw(family, s, next), project });
        continue;
      }
      const fact = draw(family, s, next);
      const one = { family, fact, project, memory: undefined, old: undefined, turn: undefined };
      if (next() < MEMORY_SHARE) {
        if (next() < CHANGED_SHARE) {
          const [field] = Object.keys(family.value);
          const before = redrawn(family, fact, field, next);
          one.old = world.memories.push({ project, text: family.say(before) }) - 1;
          // What was said then is still in the archive.
          one.oldTurn = world.turns.push({ project, role: 'assistant', text: family.told(before) }) - 1;
        }
        one.memory = world.memories.push({ project, text: family.say(fact), supersedes: one.old }) - 1;
      } else {
        one.turn = world.turns.push({ project, role: 'assistant', text: family.told(fact) }) - 1;
      }
      known.push(one);
    }
  }
  for (let i = 0; i < IDLE_TURNS; i++) {
    const [s, idle] = [SUBJECTS[Math.floor(next() * SUBJECTS.length)], IDLE[Math.floor(next() * IDLE.length)]];
    world.turns.push({
      project,
      role: i % 3 === 0 ? 'user' : 'assistant',
      text: idle(s, 2 + Math.floor(next() * 400)),
    });
  }
  return { known, unknown };
}

/** `held`: with the kinds that nothing was chosen by, and with no others. */
export function makeWorld({ seed, held = false }) {
  const next = random(seed);
  const families = FAMILIES.filter((family) => (family.held === true) === held);
  const world = { memories: [], turns: [], questions: [] };
  for (const project of PROJECTS) {
    const { known, unknown } = furnish(project, families, next, world);
    const ask = (kind, text, one, id) => {
      const { memory, turn, old, oldTurn } = one ?? {};
      world.questions.push({ kind, text, project, memory, turn, old, oldTurn, id, half: world.questions.length % 2 });
    };
    const some = (test) => shuffled(known.filter(test), next).slice(0, QUESTIONS_EACH);
    for (const one of some(() => true)) ask('words', one.family.ask(one.fact), one);
    for (const one of some(() => true)) ask('other words', one.family.other(one.fact), one);
    for (const one of some(({ family }) => family.id !== undefined))
      ask('identifier', `where did ${one.family.id(one.fact)} come up`, one, one.family.id(one.fact));
    for (const one of some(({ family }) => family.loose !== undefined))
      ask('parts of a name', one.family.loose(one.fact), one, one.family.id(one.fact));
    for (const one of some(() => true))
      ask('mistyped', one.family.ask(one.fact).replace(one.fact.s, mistyped(one.fact.s, next)), one);
    for (const one of some(({ old }) => old !== undefined)) ask('changed since', one.family.ask(one.fact), one);
    for (const { family, fact } of shuffled(unknown, next).slice(0, QUESTIONS_EACH)) ask('close by', family.ask(fact));
    for (const text of held ? FOREIGN_HELD : FOREIGN) ask('foreign', text);
  }
  return world;
}
