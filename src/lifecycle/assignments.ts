/**
 * What a sentence such as "the port is 8080" gives a value to: told by its form, in English; where it is in doubt it gives none.
 * Pure; linear.
 */
import { factsOf } from '../scoring/facts.ts';
import { PASSING, phrases, POINTING, PUNCTUATION, startsAt, type Words, wordSet } from './words.ts';

const MAX_SUBJECT_WORDS = 5;
const MAX_VALUE_WORDS = 7;
/** Longest first. */
const PREDICATES: readonly Words[] = phrases(
  'is stored in',
  'are stored in',
  'is set to',
  'is called',
  'is named',
  'is now',
  'is at',
  'is in',
  'is on',
  'listens on',
  'runs on',
  'runs at',
  'lives in',
  'live in',
  'lives at',
  'points to',
  'defaults to',
  'is',
);
const ARTICLES = wordSet('the our my a an its');
/** Settings of something: whatever they are said to be is their value. */
const SETTINGS = wordSet(
  `port host hostname url uri endpoint address domain subdomain timeout limit interval region zone bucket table queue topic namespace cluster prefix suffix cookie header flag ttl threshold timezone locale currency encoding charset username role schedule cron retries quota depth width tenant license replica replicas shard partition pool size`,
);
/** Things that have a place or a name. What they "are" is said in passing more often than not. */
const THINGS = wordSet(
  `server service api app database db store cache worker gateway proxy registry schema schemas config configuration settings secret secrets key keys token tokens certificate certificates docs documentation dashboard image container volume package module library migrations fixtures assets templates logs backups session sessions client frontend backend website site repo repository remote pipeline workflow daemon broker migrations orm framework runtime compiler bundler formatter linter root entrypoint directory folder path`,
);
/** In front of a name they make it one of many, or of the moment. */
const OF_THE_MOMENT = wordSet(
  'current new old failing broken wrong next last previous first second latest missing affected slow changed updated stale whole temporary temp actual expected',
);
/** What may stand before the number or name. */
const UNIT_BEFORE = wordSet('port version v number');
/** Settings that are numbers, and what may stand behind one. */
const NUMERIC = wordSet(
  'port timeout limit interval ttl threshold quota depth width retries replicas size version pool',
);
const UNITS = wordSet(
  `ms s second seconds minute minutes min hour hours h day days week weeks byte bytes kb mb gb requests request calls items rows retries attempts tokens characters connections workers per a`,
);
const COMPARING = /\b(?:than|times|slower|faster|larger|smaller|more|less|higher|lower|too|down|up|behind|ahead)\b|%/;
const NAMED_THINGS = wordSet('database db store cache framework runtime compiler bundler orm broker linter formatter');

/** A number, a name in code, or what stands in quotation marks. */
function isValue(word: string): boolean {
  return word === '`' || word === '"' || /\d/.test(word) || /[/_]|\w\.\w|^@/.test(word);
}

/** A sentence in its parts. */
export interface Assignment {
  readonly subject: Words;
  readonly predicate: Words;
  readonly value: Words;
}

function partsOf(words: Words): Assignment | undefined {
  for (let at = 1; at <= Math.min(words.length - 1, MAX_SUBJECT_WORDS + 1); at += 1) {
    const predicate = PREDICATES.find((phrase) => startsAt(words, at, phrase));
    if (predicate === undefined) continue;
    return { subject: words.slice(0, at), predicate, value: words.slice(at + predicate.length) };
  }
  return undefined;
}

/** Whether the subject is something that has a value for long, and the value a number or a name. */
function isHeldForLong({ subject, predicate, value }: Assignment): boolean {
  const named = subject.filter((word) => !ARTICLES.has(word));
  if (named.length === 0 || named.length > MAX_SUBJECT_WORDS) return false;
  const isOff = (word: string): boolean =>
    PASSING.has(word) || POINTING.has(word) || PUNCTUATION.has(word) || OF_THE_MOMENT.has(word) || /^\d/.test(word);
  const isDefault = named.length === 2 && named[0] === 'default' && (named[1] === 'branch' || named[1] === 'version');
  if (!isDefault && named.some((word) => isOff(word))) return false;
  if (value.length === 0 || value.length > MAX_VALUE_WORDS) return false;
  const [first = '', second = ''] = value.filter((word) => !ARTICLES.has(word));
  if (POINTING.has(first) || COMPARING.test(value.join(' '))) return false;
  const noun = named.at(-1) ?? '';
  const isBeing = predicate.length === 1 || predicate[1] === 'now';
  // Where something is, is a name; how much it is at, is of the moment.
  if (/^(?:at|in|on)$/.test(predicate[1] ?? '') && predicate[0] === 'is' && /^\d+$/.test(first)) return false;
  const isNamed = predicate[1] === 'called' || predicate[1] === 'named';
  const isOwn = isDefault || SETTINGS.has(noun);
  const isNumber = /^\d/.test(first) && !/[./:_-]/.test(first);
  // Behind the value nothing follows: "in the old setup" makes it another's.
  if (isNumber)
    return (
      isOwn && NUMERIC.has(noun) && value.length <= MAX_VALUE_WORDS && value.slice(1).every((word) => UNITS.has(word))
    );
  const [only, ...more] = UNIT_BEFORE.has(first) ? value.slice(1) : value;
  const isHeld = isValue(only ?? '') || (isNamed && only?.includes('-') === true);
  if (isHeld && more.length === 0) return isOwn || (THINGS.has(noun) && !isBeing);
  // "The database is Postgres 16", and not "the database is 3 GB".
  return isBeing && NAMED_THINGS.has(noun) && value.length === 2 && /^[a-z][\w-]+$/.test(first) && /^v?\d/.test(second);
}
/** What the words give a value to, and the value; undefined if to nothing that would have it for long. */
export function assignmentIn(words: Words): Assignment | undefined {
  const parts = partsOf(words);
  return parts !== undefined && isHeldForLong(parts) ? parts : undefined;
}

/** The subject by its words and names, so that two sentences about the same thing have the same. */
export function topicOf(text: string, { predicate }: Assignment): string | undefined {
  const at = text
    .toLowerCase()
    .replaceAll('’', "'")
    .indexOf(` ${predicate.join(' ')} `);
  if (at < 0) return undefined;
  const before = text
    .slice(0, at)
    .replace(/^(?:no|actually|correction|sorry|wrong|so|also|and|but|note|fyi|btw|ok|okay)\b[,:]?\s*/i, '');
  const { sequence } = factsOf(before.replaceAll('`', ' '));
  const verb = predicate[0] === 'is' || predicate[0] === 'are' ? [] : [predicate[0] ?? ''];
  const named = [...sequence.filter((word) => !ARTICLES.has(word)), ...verb].join(' ');
  return named === '' ? undefined : named;
}
