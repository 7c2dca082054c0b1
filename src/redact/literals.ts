/**
 * Which values are no secrets although they stand where one could: placeholders, references to the environment,
 * types, code. Everything here is linear in the length of the value.
 */

/** What chitta writes in place of a secret; `kind` is lower case letters and hyphens. */
export function maskMark(kind: string): string {
  return `[masked:${kind}]`;
}

const WORDS_OF_PLACEHOLDERS = new Set(
  (
    'null none nil undefined true false yes no on off string str number int integer bool boolean object any unknown void ' +
    'bytes uint8array arraybuffer text uuid required optional hidden todo tbd changeme change-me change_me placeholder example redacted masked ' +
    'default empty unset missing password passwd token secret key value bearer basic'
  ).split(' '),
);

/** A reference, not a value: `$NAME`, `${…}`, `$(…)`, `<…>`, `{{…}}`, `%NAME%`, `%s`, `@file`, `process.env.X`, `vars.X`. */
const REFERENCE =
  /^(?:\$[A-Za-z_({]|<|\{|%[A-Za-z_(]|\[masked:|\[redacted|\(redacted|process\.|import\.|os\.|env\.|env\(|ENV\[|secrets\.|vars\.|var\.|config\.|settings\.|this\.|self\.|args\.|data\.|System\.)/i;

/** Of a package whose name ends in a word for a secret; a date with its year is none. */
const VERSION = /^[~^]?[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}$/;
const STARTS_LIKE_EXAMPLE = /^(?:your|insert|enter|put|replace|fake|dummy|sample|example)[-_ ]/i;
const ONLY_FILLER = /^[xX*.\-_•#?]+$/;
const CROSSED_OUT = /^[xX*.]+$/;
const CROSSED_OUT_LENGTH = 8;

/** True for text that only stands in for a secret: `<your-token>`, `xxxx`, `${TOKEN}`, `process.env.API_KEY`, `string`. */
export function isPlaceholder(value: string): boolean {
  return (
    value === '' ||
    REFERENCE.test(value) ||
    ONLY_FILLER.test(value) ||
    STARTS_LIKE_EXAMPLE.test(value) ||
    VERSION.test(value) ||
    value.endsWith('...') ||
    value.endsWith('***') ||
    value.endsWith('…') ||
    WORDS_OF_PLACEHOLDERS.has(value.toLowerCase())
  );
}

/** True for a token of known prefix whose body was crossed out: `ghp_xxxxxxxxxxxx`. */
export function endsInFiller(token: string): boolean {
  return CROSSED_OUT.test(token.slice(-CROSSED_OUT_LENGTH));
}

const MIN_RANDOM_LENGTH = 8;
const MIN_RANDOM_LETTERS = 20;

/** True when a value looks drawn at random rather than written by a person: letters with digits, or long mixed case. */
export function looksRandom(value: string): boolean {
  if (value.length < MIN_RANDOM_LENGTH || /\s/.test(value)) return false;
  const letters = /[A-Za-z]/.test(value);
  if (letters && /[0-9]/.test(value)) return true;
  return letters && value.length >= MIN_RANDOM_LETTERS && isUneven(value);
}

/** Upper and lower case take turns in a random text half of the time, in a name made of words a third of the time. */
const MIN_TURNS = 0.4;

function isUneven(value: string): boolean {
  const turns = value.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;
  return turns >= MIN_TURNS * value.length;
}

/** True for unquoted text that is program code: a call, an index, a member of something. */
export function looksLikeCode(value: string): boolean {
  return CALL.test(value) || MEMBER.test(value) || NUMBERED_MEMBER.test(value);
}

const CALL = /^(?:[A-Za-z_$][A-Za-z0-9_$.:]*!?)?[([]/;
const MEMBER = /^[A-Za-z_$]+(?:\??\.[A-Za-z_$]+)+$/;
const NUMBERED_MEMBER = /^[a-z][A-Za-z_]*[0-9]{1,5}\.(?:[a-z][A-Za-z]*|[A-Z][A-Za-z0-9]*)$/;

/** A name of two words or more, as types and variables have: of 12 random bytes in base64 one in a thousand looks so. */
const NAME_OF_WORDS = /^_?[A-Za-z][a-z]+(?:[A-Z]+[a-z]{2,})+$/;

/** True for a name such as `AuthInfo` or `overridesAuth`. */
export function isNameOfWords(value: string): boolean {
  return NAME_OF_WORDS.test(value);
}

/** True for an address; a secret in it is looked for by itself. */
export function isAddress(value: string): boolean {
  return /^[a-z][a-z0-9+.-]{1,16}:\/\//i.test(value);
}

/** True for a file path: a key *file* is named in the open, its content is the secret. */
export function looksLikePath(value: string): boolean {
  if (!/^(?:\/|\.\.?\/|~\/|[A-Za-z]:[\\/]|file:)/.test(value)) return false;
  // A base64 secret may begin with a slash; a path of that length has a dot, a hyphen or an underscore in it.
  return !(value.length >= 32 && /^[A-Za-z0-9+/=]+$/.test(value) && /[0-9]/.test(value) && /[A-Z]/.test(value));
}
