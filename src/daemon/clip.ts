/** What of a long text goes to the daemon. Apart from `texts.ts`, so that a client need not load what masks secrets. */

/** Characters kept from each end of a long text. The embedder itself looks at 8 runs of at most 511 tokens from each end, for which 5 characters a token do. */
const END_CHARS = 20_480;

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** The beginning and the end of a long text, at most 40,960 characters; a shorter text as it is. Doing it twice is doing it once. */
export function clipped(text: string): string {
  if (text.length <= 2 * END_CHARS) return text;
  const head = isLow(text.charCodeAt(END_CHARS)) ? END_CHARS - 1 : END_CHARS;
  const tail = text.length - END_CHARS;
  return text.slice(0, head) + text.slice(isLow(text.charCodeAt(tail)) ? tail + 1 : tail);
}
