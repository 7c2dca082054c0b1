/**
 * Passwords that somebody tells in a sentence: "my password is hunter2". Only what no word of a language looks like is
 * taken: letters with digits, digits alone after a word for passwords, or what stands in quotes. Of one's own password
 * ("my pw: correct-horse") also a single word that ends the line, unless it says how the password is.
 */
import { endsInFiller, isPlaceholder, looksLikeCode, looksLikePath, maskMark } from './literals.ts';

/** The thing, perhaps what it is for, a word that says what it is, and the value, perhaps in quotes. */
const TOLD =
  /\b(passwords?|passphrase|passcode|passwort|kennwort|(?:api |access |secret )key|(?:api |access |auth )?token|secret)((?: (?:for|of|to|on) [^\s"'`]{1,32}(?: [^\s"'`]{1,32}){0,3}?)?(?: (?:is|was|to|be|ist|lautet|war)(?: now| still| just)?:?|:) )((?:\\{0,3}["'`])?)([^\s"'`\\]{4,128})/gi;

/** Closing punctuation of the sentence. */
const CLOSING = /[.,;:!?)\]}]{1,4}$/;
const UNIT =
  /^ (?:\w{1,16} )?(?:characters?|chars?|letters?|digits?|symbols?|bytes?|bits?|tokens?|long|times?|days?|minutes?|hours?|zeichen|stellen)\b/i;
/** Plain words, with a hyphen or apostrophe at most. */
const WORDS = /^[\p{L}\p{M}'’-]+$/u;
const VERSION_OR_MEASURE = /^(?:v?[0-9]{1,4}(?:[.,:/-][0-9]{1,6})*|[0-9]+[a-z]{1,3}|[A-Za-z]+-?[0-9]{1,4})$/i;

/** One's own password, and one word at the end of a line. */
const OWN =
  /\b((?:my|our|mein|unser) (?:[a-z]{2,16} )?(?:passwords?|passphrase|passcode|passwort|kennwort|pw|pwd)(?: (?:for|of|to|on|für) [^\s"'`]{1,32})?(?:(?: (?:is|was|ist|lautet|war))?:| (?:is|was|ist|lautet|war)| =) {1,2})([\p{L}][\p{L}'’_-]{5,63})(?=[.,;!]?[ \t]*(?:$|[\r\n]|\\[nr]))/gimu;
/** In whatever OWN finds, and quicker to find: OWN folds case as Unicode does, which makes it slow. */
const MAY_BE_OWN = /(?:my|our|mein|un[s\u017f]er) (?:[a-z\u017f\u212a]{2,16} )?(?:pa[s\u017f]|pw|[k\u212a]ennwort)/i;
/** What is said of a password: that it is wrong, expired, too-short, read-only. */
const OF_A_PASSWORD =
  /(?:ed|ing|en|ly|able|ible|al|ive|ous|less|ent|ant|ic|ary|only|sensitive|long|short|free|safe|text|based|date|word|words|phrase|empty|weak|strong|wrong|simple|secret|public|private|secure|unique|random|needed|unset|undefined|unknown|lost|gone|known|stored|hashed|correct|incorrect|valid|invalid|missing|there|below|above|falsch|richtig|leer|sicher|unsicher|schwach|stark|geheim|abgelaufen|falsches|required|optional|similar|different|same|another|whatever|something|nothing|already|always|either|none)$/iu;
const TWO_PARTS = /^\p{L}{3,}(?:[-_]\p{L}{3,})+$/u;
const MODIFIER =
  /^(?:non|not|too|well|read|write|case|out|up|ill|pre|auto|self|double|plain|over|under|one|two|multi|semi|user|system|app|auth|the)[-_]/iu;

/** After a colon a value is told; after "is" only what is no usual word: parts that stand together. */
function isOwn(lead: string, value: string): boolean {
  if (isPlaceholder(value) || looksLikeCode(value) || endsInFiller(value) || OF_A_PASSWORD.test(value)) return false;
  if (TWO_PARTS.test(value)) return !MODIFIER.test(value);
  return /[:=] *$/.test(lead) && WORDS.test(value);
}

function isTold(value: string, word: string, quoted: boolean, after: string): boolean {
  if (isPlaceholder(value) || looksLikeCode(value) || looksLikePath(value) || endsInFiller(value)) return false;
  if (/[()<>{}=/]|\.\w{1,4}$|::/.test(value)) return false;
  const isPassword = /^(?:pass|kenn)/i.test(word);
  if (!isPassword) return value.length >= 12 && /[0-9]/.test(value) && /[A-Za-z]/.test(value);
  if (quoted) return !WORDS.test(value) || value.length >= 8;
  if (WORDS.test(value) || UNIT.test(after)) return false;
  if (/^[0-9]+$/.test(value)) return true;
  const isMixed = /[0-9]/.test(value) && /\p{L}/u.test(value);
  return isMixed && (!VERSION_OR_MEASURE.test(value) || /^[A-Za-z]{4,}[0-9]{1,4}$/.test(value));
}

/** Masks passwords told in a sentence; `onMask` is called once for each. Linear. */
export function maskProse(text: string, onMask: () => void): string {
  const told = text.replace(
    TOLD,
    (match, word: string, between: string, quote: string, run: string, at: number, whole: string) => {
      const value = run.replace(CLOSING, '');
      const end = at + word.length + between.length + quote.length + value.length;
      const quoted = quote !== '' && whole.startsWith(quote, end);
      if (value.length < 4 || !isTold(value, word, quoted, whole.slice(end, end + 40))) return match;
      onMask();
      return (
        word +
        between +
        quote +
        maskMark(/^(?:pass|kenn)/i.test(word) ? 'password' : 'secret') +
        run.slice(value.length)
      );
    },
  );
  if (!MAY_BE_OWN.test(told)) return told;
  return told.replace(OWN, (match, lead: string, value: string) => {
    if (!isOwn(lead, value)) return match;
    onMask();
    return lead + maskMark('password');
  });
}
