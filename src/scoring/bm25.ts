/** Okapi BM25 over texts at hand: how well each answers a query, by the words that they share. */

import { STOP_WORDS } from './vocabulary.ts';

// Its usual constants.
const [SATURATION, LENGTH_SHARE] = [1.2, 0.75];

const WORD = /[\p{L}\p{N}_]{2,}/gu;

/** Telling words of the query with their places in a list. */
function termsOf(query: string): Map<string, number> {
  const terms = new Map<string, number>();
  for (const [word] of query.toLowerCase().matchAll(WORD)) {
    if (!terms.has(word) && !STOP_WORDS.has(word)) terms.set(word, terms.size);
  }
  return terms;
}

/** A score ≥ 0 for each text; 0: no word in common. Linear in texts and query, but for one step a text and a word that it has. */
export function bm25(texts: readonly string[], query: string): number[] {
  const terms = termsOf(query);
  const having = Array.from(terms, () => 0);
  const bags = texts.map((text) => {
    const counts = new Map<number, number>();
    let length = 0;
    for (const [word] of text.toLowerCase().matchAll(WORD)) {
      length += 1;
      const term = terms.get(word);
      if (term !== undefined) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    for (const term of counts.keys()) having[term] = (having[term] ?? 0) + 1;
    return { counts, length };
  });
  const usual = bags.reduce((sum, { length }) => sum + length, 0) / Math.max(1, bags.length) || 1;
  return bags.map(({ counts, length }) => {
    const damping = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / usual);
    let score = 0;
    for (const [term, count] of counts) {
      const texted = having[term] ?? 0;
      const rarity = Math.log(1 + (bags.length - texted + 0.5) / (texted + 0.5));
      score += (rarity * count * (SATURATION + 1)) / (count + damping);
    }
    return score;
  });
}
