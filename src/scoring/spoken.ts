/** Which archived turns say something in words: what people asked for, and what the assistant said. Pure. */

/** What a turn is shows at its beginning. */
const BEGINNING = 400;
/** A longer one was printed, or pasted. */
const MAX_CHARS = 8_000;
const LEAST_WORDS = 4;
/** Letters among what is no space: less in listings, code and logs (on recorded sessions: a third of the results of tools have so many). */
const LEAST_LETTERS = 0.85;

/** A call stands in a turn's text as its name and its input; what is said before it stands before it. */
const CALL = /^\S+ \{/;
const WORDS = /\p{L}{2,}/gu;
const LETTERS = /[\p{L}\p{M}]/gu;
const NO_SPACES = /\S/gu;

/**
 * Whether a turn is worth finding by what it means. The archive does not tell a prompt from the result of a tool, which has the same
 * role: then it goes by the letters. Linear in the beginning of the text.
 */
export function isSpoken(role: string, text: string): boolean {
  if (role === 'tool' || text.length > MAX_CHARS) return false;
  const beginning = text.slice(0, BEGINNING);
  if (CALL.test(beginning) || (beginning.match(WORDS)?.length ?? 0) < LEAST_WORDS) return false;
  if (role === 'assistant') return true;
  const letters = beginning.match(LETTERS)?.length ?? 0;
  return letters >= LEAST_LETTERS * (beginning.match(NO_SPACES)?.length ?? 0);
}
