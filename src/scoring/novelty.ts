/** Which sentences of a turn on its way out are worth a memory of their own: told by their words, English only. */
import { differenceBetween } from './contradiction.ts';
import { factsOf } from './facts.ts';

/** What a sentence is, in the order in which it is looked for: a correction often sounds like a wish as well. */
export type Novelty = 'correction' | 'decision' | 'preference' | 'fact';

/** A text of the same meaningful words, nearly all of them, says the same. */
const SAME_SHARE = 0.8;

/** Whole words, in lower case, without punctuation. */
const PHRASES: Readonly<Record<Novelty, readonly string[]>> = {
  correction: [
    'that is wrong',
    'thats wrong',
    'is not right',
    'isnt right',
    'that is not what',
    'thats not what',
    'not what i',
    'i meant',
    'no actually',
    'actually no',
    'correction',
    'my mistake',
    'i was wrong',
    'you were wrong',
    'should have been',
    'not supposed to',
  ],
  decision: [
    'we decided',
    'i decided',
    'decision',
    'lets go with',
    'let us go with',
    'going with',
    'we will go with',
    'well go with',
    'we agreed',
    'agreed to',
    'we chose',
    'i chose',
    'settled on',
    'from now on',
    'instead of',
  ],
  preference: [
    'prefer',
    'prefers',
    'preferred',
    'always',
    'never',
    'i want',
    'i would like',
    'id like',
    'id rather',
    'please do not',
    'please dont',
    'do not use',
    'dont use',
    'must',
    'must not',
    'mustnt',
    'make sure',
    'avoid',
    'only use',
    'should be',
    'should not',
    'shouldnt',
  ],
  fact: [
    'root cause',
    'turns out',
    'the reason',
    'lives in',
    'is in',
    'are in',
    'is stored in',
    'are stored in',
    'is located',
    'is called',
    'runs on',
    'listens on',
    'depends on',
    'is set to',
    'the default is',
    'defaults to',
    'requires',
    'is written in',
    'is deployed',
    'is configured in',
    'are configured in',
    'works by',
  ],
};

/** What a text is, or undefined if it does not sound like anything to be kept. Linear. */
export function noveltyOf(text: string): Novelty | undefined {
  const words = text
    .toLowerCase()
    .replace(/['’]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .join(' ');
  const spoken = ` ${words} `;
  for (const novelty of ['correction', 'decision', 'preference', 'fact'] as const) {
    if (PHRASES[novelty].some((phrase) => spoken.includes(` ${phrase} `))) return novelty;
  }
  return undefined;
}

/** Whether two texts say the same, so that one of them is enough. Numbers, names and negation always make them two. */
export function areDuplicates(one: string, other: string): boolean {
  const [here, there] = [factsOf(one), factsOf(other)];
  if (differenceBetween(here, there) !== undefined || differenceBetween(there, here) !== undefined) return false;
  const common = [...here.stems].filter((stem) => there.stems.has(stem)).length;
  const all = here.stems.size + there.stems.size - common;
  return all === 0 ? one === other : common >= SAME_SHARE * all;
}

const PROVENANCE = /^\[(?:correction|decision|preference|fact) by [a-z]+\] /;

/** The text of a memory made from a turn: what it is and who said it, then the words. */
export function withProvenance(text: string, novelty: Novelty, role: string): string {
  return `[${novelty} by ${role}] ${text}`;
}

/** The words alone. */
export function withoutProvenance(text: string): string {
  return text.replace(PROVENANCE, '');
}
