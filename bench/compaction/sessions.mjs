// Sessions of a given size, as JSON.
import { session } from '../retention/sessions.mjs';

/** Messages and characters per token of these sessions, as chitta estimates them. */
const TOKENS_PER_MESSAGE = 190;
const CHARS_PER_TOKEN = 3.9;

/** JSON of the messages of one session of about so many tokens. */
export function sessionText(tokens) {
  const made = session({ seed: 7, count: Math.ceil((tokens * 1.2) / TOKENS_PER_MESSAGE) });
  const texts = [];
  let chars = 0;
  for (const message of made) {
    if (chars >= tokens * CHARS_PER_TOKEN) break;
    const text = JSON.stringify(message);
    chars += text.length;
    texts.push(text);
  }
  return `[${texts.join(',')}]`;
}
