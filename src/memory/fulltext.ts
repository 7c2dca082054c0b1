/**
 * Full-text queries from any text. FTS5 has a query language of its own (AND, NEAR, column:, *, "); none of what is
 * asked ever reaches it but runs of letters and digits, each in quotes.
 */

/** More words make a query slower, not better: the rarest decide. */
const MAX_TERMS = 32;
/** A longer query is a pasted file; its beginning says what it is about. */
const MAX_CHARS = 4_096;

/** Neighbours looked for as one name, and the shortest words that are. */
const MAX_JOINED = 8;
const LEAST_JOINED = 3;
const HUMP = /(?<=\p{Ll})(?=\p{Lu})/u;

/** Words that stand in nearly every text: they cost a walk through the index and tell nothing apart. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about all an and any are as at be been but by can could did do does for from get had has have how i if in into is it its ' +
    'me my no not of on or our should so that the their them then there these they this to us use was we were what when ' +
    'where which who why will with would you your'
  ).split(' '),
);

function wordsOf(chunk: string): string[] {
  return chunk.match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? [];
}

/**
 * Beginnings of names such as `retryLimit`, which are one word to the index, from words that stand side by side. Without a last `y`,
 * which the index stores as `i` at the end of a word and as it is within one.
 */
function joinedOf(words: readonly string[]): string[] {
  const joined = words.flatMap((word, place) => {
    const next = words[place + 1] ?? '';
    return word.length < LEAST_JOINED || next.length < LEAST_JOINED ? [] : [`"${word}${next.replace(/y$/, '')}"*`];
  });
  return joined.slice(0, MAX_JOINED);
}

/**
 * An FTS5 expression that finds rows with any of the text's words; a compound such as `src/login.ts` or `max_retries` counts
 * once more as a phrase, and so does a name such as `retryLimit` in its words, which also find the name. undefined if there is no word
 * in it. Linear.
 */
export function matchExpression(text: string): string | undefined {
  const words = new Set<string>();
  const phrases = new Set<string>();
  for (const chunk of text.slice(0, MAX_CHARS).split(/\s+/u)) {
    const parts = wordsOf(chunk);
    if (parts.length > 1) phrases.add(parts.join(' '));
    for (const part of parts) {
      words.add(part.toLowerCase());
      const humps = part.split(HUMP);
      if (humps.length > 1) phrases.add(humps.join(' '));
    }
  }
  const telling = [...words].filter((word) => !STOP_WORDS.has(word));
  const plain = [...(telling.length > 0 ? telling : words), ...phrases].map((term) => `"${term}"`);
  const terms = [...plain, ...joinedOf(telling)].slice(0, MAX_TERMS);
  return terms.length === 0 ? undefined : terms.join(' OR ');
}

/** An expression that finds rows with the text as it is written: its words, one behind the other. undefined if there is none in it. */
export function phraseExpression(text: string): string | undefined {
  const words = wordsOf(text.slice(0, MAX_CHARS)).slice(0, MAX_TERMS);
  return words.length === 0 ? undefined : `"${words.join(' ')}"`;
}

/** An expression that finds rows with all of the text's telling words, of 32 at most. undefined if there is none in it. */
export function allExpression(text: string): string | undefined {
  const words = new Set(wordsOf(text.slice(0, MAX_CHARS)).map((word) => word.toLowerCase()));
  const telling = [...words].filter((word) => !STOP_WORDS.has(word)).slice(0, MAX_TERMS);
  return telling.length === 0 ? undefined : telling.map((word) => `"${word}"`).join(' AND ');
}
