/**
 * What belongs to what. A memory of several sentences may have every word of a turn and still say something else: "A listens on 1. B
 * listens on 2." and "A listens on 2. B listens on 1." So a sentence of the turn is held against those of the memory one by one.
 */
import { differenceBetween } from './contradiction.ts';
import { factsOf, type Facts } from './facts.ts';

/** Longer texts are not compared sentence by sentence: that costs the square. */
const MOST_SENTENCES = 24;
const MOST_CHARS = 4_000;
/** A sentence of the memory is about the same if it has so much of what the turn's sentence names. */
const SAME_MATTER = 0.5;

const SENTENCE_END = /[.!?;](?=\s)|\n/u;

function sentencesOf(text: string): string[] {
  return text.split(SENTENCE_END).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** What a sentence names: meaningful words, names and numbers. */
function namedIn({ stems, names, quantities }: Facts): Set<string> {
  return new Set([...stems, ...names, ...quantities.map(({ value }) => value)]);
}

/**
 * Whether a sentence of the turn has in the memory another in its place, which says something else of the same, while what the turn says
 * of it stands there in yet another. False for single sentences, and for long texts: then only the whole texts can be compared.
 */
export function isBoundOtherwise(turn: string, memory: string): boolean {
  if (turn.length > MOST_CHARS || memory.length > MOST_CHARS) return false;
  const theirs = sentencesOf(memory);
  if (theirs.length < 2 || theirs.length > MOST_SENTENCES) return false;
  const mine = sentencesOf(turn);
  if (mine.length > MOST_SENTENCES) return false;
  const sentences = theirs.map(factsOf).map((facts) => ({ facts, named: namedIn(facts) }));
  const everything = new Set(sentences.flatMap(({ named }) => [...named]));
  return mine.map(factsOf).some((facts) => {
    const named = namedIn(facts);
    const lacking = (other: ReadonlySet<string>): string[] => [...named].filter((thing) => !other.has(thing));
    const same = sentences.filter((other) => lacking(other.named).length <= (1 - SAME_MATTER) * named.size);
    if (same.some((other) => differenceBetween(facts, other.facts) === undefined)) return false;
    return same.some(
      (other) =>
        lacking(other.named).some((thing) => everything.has(thing)) &&
        [...other.named].some((thing) => !named.has(thing)),
    );
  });
}
