/** Whether a stored text is surely about what a prompt is about: strict, since what is put beside a prompt for nothing costs tokens. */
import { identifiersOf } from '../need/identifiers.ts';
import { factsOf } from './facts.ts';

/**
 * Likeness at which a text is taken for relevant by itself, and at which it is with something in common. Measured (bench/relevance): of
 * 1,360 pairs that have nothing to do with each other none is above 0.41; half of the prompts that ask in the words of a memory are above 0.63.
 */
const SURE_COSINE = 0.5;
const LIKELY_COSINE = 0.35;
/** Words in common that will do with that likeness; without vectors, and then what share of the text's they must be. */
const SHARED_WORDS = 2;
const MANY_SHARED_WORDS = 3;
const MANY_SHARED_SHARE = 0.5;

/** A compound of small letters alone may as well be a word of the language. */
const PLAIN_COMPOUND = /^[a-z]+-[a-z]+$/;

/** Names in a text that tell what it is about, in order, at most `max`. Numbers and phrases are none. */
export function tellingNames(text: string, max: number): string[] {
  const names = new Set<string>();
  for (const line of text.split('\n')) {
    for (const { key, kind, isPart } of identifiersOf(line)) {
      if (names.size === max) return [...names];
      if (!isPart && kind !== 'number' && kind !== 'quoted' && !PLAIN_COMPOUND.test(key)) names.add(key);
    }
  }
  return [...names];
}

const MAX_NAMES = 200;

/** Tells by text and likeness (undefined: there are no vectors) what is about the same as the prompt. Linear in both texts. */
export function relevanceTo(prompt: string): (text: string, cosine: number | undefined) => boolean {
  const { stems } = factsOf(prompt);
  const names = new Set(tellingNames(prompt, MAX_NAMES));
  return (text, cosine) => {
    if (cosine !== undefined && cosine >= SURE_COSINE) return true;
    const own = factsOf(text).stems;
    const shared = [...own].filter((stem) => stems.has(stem)).length;
    const sharesName = tellingNames(text, MAX_NAMES).some((name) => names.has(name));
    if (cosine !== undefined) return cosine >= LIKELY_COSINE && (sharesName || shared >= SHARED_WORDS);
    return sharesName || (shared >= MANY_SHARED_WORDS && shared >= MANY_SHARED_SHARE * own.size);
  };
}
