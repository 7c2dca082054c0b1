/** Limits a user set in passing ("never …", "without …", "only …"): the sentences that a summary loses first. */

/** Words that make a sentence a rule, in the languages most often met; `\b` does not hold beyond ASCII. */
const RULE =
  /\b(?:never|always|must|mustn't|do not|don't|dont|only|without|instead of|prefer|avoid|make sure|no longer|at most|at least|keep(?!-)|stick to|not allowed|forbidden|required)\b|(?:^|\s)(?:niemals|immer|nur|ohne|nicht|jamais|toujours|sans|nunca|siempre|solo|sin|никогда|всегда|только|без|нельзя)(?=\s|$)|하지 ?마|말고|반드시|절대|必ず|しないで|禁止|不要|必须|只能/i;

const MIN_CHARS = 8;
const MAX_CHARS = 240;
/** A longer "sentence" is pasted material. */
const MAX_SENTENCE_CHARS = 400;
/** Prompts longer than this are read to here: a rule stands near the beginning, pasted logs after it. */
const MAX_READ_CHARS = 20_000;

/** The sentences of one prompt that read like a rule, in order, each at most `MAX_CHARS` long before quoting. */
export function limitsIn(prompt: string): string[] {
  const found: string[] = [];
  for (const line of prompt.slice(0, MAX_READ_CHARS).split('\n')) {
    for (const part of line.split(/(?<=[.!?;])\s|(?<=[。！？])/)) {
      const sentence = part.trim();
      if (sentence.length < MIN_CHARS || sentence.length > MAX_SENTENCE_CHARS) continue;
      // A question asks, it does not rule.
      if (/[?？]$/.test(sentence) || !RULE.test(sentence)) continue;
      found.push(sentence);
    }
  }
  return found;
}

/** Longest limit quoted. */
export const MAX_LIMIT_CHARS: number = MAX_CHARS;
