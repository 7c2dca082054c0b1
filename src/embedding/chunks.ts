/** Cuts the tokens of a text into runs that a model can take at once. Pure; token numbers in, token numbers out. */

/** Runs per text at most. A longer text is represented by its first and last 8 runs: about 4,000 tokens with the default model. */
export const MAX_CHUNKS = 16;

/** Room in characters for one token when a huge text is cut before it is tokenised: prose needs 4.5, code 3. 20,000 take about 25 ms. */
const CHARACTERS_PER_TOKEN = 5;

const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** The first part of a text, long enough for so many tokens; never ends inside a surrogate pair. */
export function headOf(text: string, tokens: number): string {
  const length = tokens * CHARACTERS_PER_TOKEN;
  return text.slice(0, isLow(text.charCodeAt(length)) ? length - 1 : length);
}

/** The last part of a text, long enough for so many tokens; never starts inside a surrogate pair. */
export function tailOf(text: string, tokens: number): string {
  const from = Math.max(0, text.length - tokens * CHARACTERS_PER_TOKEN);
  return text.slice(isLow(text.charCodeAt(from)) ? from + 1 : from);
}

/** Whether a text is so long that its head and tail of so many tokens each do for it: a log of 50 MB then costs what one of 50 kB does. */
export function isHuge(text: string, tokens: number): boolean {
  return text.length > 2 * tokens * CHARACTERS_PER_TOKEN;
}

/**
 * The tokens in runs of at most `size`, in order, none lost, as even as possible; more than `MAX_CHUNKS` runs are cut to as many
 * from the start and the end. No tokens, no runs.
 */
export function chunksOf(ids: readonly number[], size: number): number[][] {
  const most = size * MAX_CHUNKS;
  const half = most / 2;
  const kept = ids.length > most ? [...ids.slice(0, half), ...ids.slice(-half)] : ids;
  const count = Math.ceil(kept.length / size);
  // Even runs: a rest of three tokens would have a vector of its own that says nothing.
  return Array.from({ length: count }, (_, index) =>
    kept.slice(Math.floor((kept.length * index) / count), Math.floor((kept.length * (index + 1)) / count)),
  );
}
