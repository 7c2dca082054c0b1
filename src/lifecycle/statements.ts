/**
 * What a person says in a prompt that holds beyond it: decisions, corrections, rules, values of things, roles of files. Told by the
 * form of the sentence, in English; where it is in doubt nothing is taken. Pure; linear.
 */
import { proposalsIn } from '../ledger/proposals.ts';
import { type Sentence, sentencesOf } from '../ledger/prose.ts';
import type { MemoryKind } from '../ports/memory.ts';
import { factsOf } from '../scoring/facts.ts';

export interface Statement {
  readonly kind: Extract<MemoryKind, 'decision' | 'correction' | 'preference' | 'fact'>;
  /** The sentence, as it was typed. */
  readonly text: string;
  /** What it gives a value to; a later one about the same takes its place. */
  readonly topic: string | undefined;
  /** 0..1 */
  readonly confidence: number;
}

const MIN_WORDS = 3;
const MAX_CHARS = 300;
/** A prompt that says more than this is pasted: a specification, another's notes. */
const MAX_STATEMENTS = 6;
const MAX_SUBJECT_WORDS = 5;
const MAX_VALUE_WORDS = 7;

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const LEADS = set(
  'please ok okay so also then and but hey yes well right note remember fyi btw by the way for reference',
);
const CORRECTING = set('no nope actually wrong correction sorry');
const PUNCTUATION = set(', : ; ( ) – — … - .');
const HEDGES = set(
  `maybe perhaps possibly might could would should if unless suppose imagine assume probably guess think seems unsure either or whether until unless like example e.g when while`,
);
/** Words that stand for something said elsewhere: without it the sentence says nothing. */
const POINTING = set(
  `that this it these those he she they them there here what which who mine yours your option options suggestion first second third latter former one ones plan approach above below proposed recommendation proposal same other another`,
);
/** Things whose value is of the moment. */
const PASSING = set(
  `error errors bug bugs issue issues problem problems test tests failure failures line lines output result results task goal answer question reason cause count number total size commit branch pr diff culprit message log step point time date today branch status exit code difference next last only thing idea example case today rest question duration coverage score build run reply todo progress ticket file files`,
);
const NEGATIONS = set('not no never none nothing cannot neither nor without');
/** Longest first. */
const PREDICATES: readonly (readonly string[])[] = [
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
].map((phrase) => phrase.split(' '));
const DECIDING: readonly (readonly string[])[] = [
  'we decided',
  "we've decided",
  'we have decided',
  'i decided',
  "i've decided",
  'i have decided',
  'we agreed',
  "we've agreed",
  'we settled on',
  "we've settled on",
  'we chose',
  'i chose',
  "let's go with",
  'lets go with',
  'we go with',
  "we'll go with",
  'we will go with',
  "we're going with",
  "i'm going with",
].map((phrase) => phrase.split(' '));
const ROLES = set('is holds contains handles implements defines owns wraps');
const PATH =
  /^(?:[\w.@-]+\/)+[\w.@-]+$|^[\w-]+\.(?:[cm]?[jt]sx?|py|go|rs|java|rb|php|cs|cpp|c|h|kt|swift|sql|sh|ya?ml|toml|json|md)$/i;

type Words = readonly string[];

const startsAt = (words: Words, at: number, phrase: Words): boolean =>
  phrase.every((word, index) => words[at + index] === word);

/** Where the sentence begins that leads lead into, and whether one of them takes something back. */
function opening(words: Words): { at: number; isCorrection: boolean } {
  let at = 0;
  let isCorrection = false;
  while (at < words.length) {
    const word = words[at] ?? '';
    if (CORRECTING.has(word) && (at === 0 || words[at - 1] === ',' || LEADS.has(words[at - 1] ?? ''))) {
      // "No tests are …" takes nothing back.
      if (word === 'no' && words[at + 1] !== ',') break;
      isCorrection = true;
    } else if (!LEADS.has(word) && !PUNCTUATION.has(word)) break;
    at += 1;
  }
  return { at, isCorrection };
}

function isUnsure({ words, isQuestion }: Sentence): boolean {
  return isQuestion || words.some((word) => HEDGES.has(word));
}

function isNegated(words: Words): boolean {
  return words.some((word) => NEGATIONS.has(word) || word.endsWith("n't"));
}

/** A number, a name in code, or what stands in quotation marks. */
function isValue(word: string): boolean {
  return word === '`' || word === '"' || /\d/.test(word) || /[/_]|\w\.\w|^@/.test(word);
}

interface Assignment {
  readonly subject: Words;
  readonly predicate: Words;
  readonly value: Words;
}

function assignmentIn(words: Words): Assignment | undefined {
  for (let at = 1; at <= Math.min(words.length - 1, MAX_SUBJECT_WORDS + 1); at += 1) {
    const predicate = PREDICATES.find((phrase) => startsAt(words, at, phrase));
    if (predicate === undefined) continue;
    return { subject: words.slice(0, at), predicate, value: words.slice(at + predicate.length) };
  }
  return undefined;
}

const ARTICLES = set('the our my a an its');

/** Settings of something: whatever they are said to be is their value. */
const SETTINGS = set(
  `port host hostname url uri endpoint address domain subdomain timeout limit interval region zone bucket table queue topic namespace cluster prefix suffix cookie header flag ttl threshold timezone locale currency encoding charset username role schedule cron retries quota depth width tenant license replica replicas shard partition pool size`,
);
/** Things that have a place or a name. What they "are" is said in passing more often than not. */
const THINGS = set(
  `server service api app database db store cache worker gateway proxy registry schema schemas config configuration settings secret secrets key keys token tokens certificate certificates docs documentation dashboard image container volume package module library migrations fixtures assets templates logs backups session sessions client frontend backend website site repo repository remote pipeline workflow daemon broker migrations orm framework runtime compiler bundler formatter linter root entrypoint directory folder path`,
);
/** In front of a name they make it one of many, or of the moment. */
const OF_THE_MOMENT = set(
  'current new old failing broken wrong next last previous first second latest missing affected slow changed updated stale whole temporary temp actual expected',
);

/** What a sentence such as "the port is 8080" gives a value to: something that has one for long, and a number or a name as the value. */
function isAssignment({ subject, predicate, value }: Assignment): boolean {
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
/** What may stand before the number or name. */
const UNIT_BEFORE = set('port version v number');
/** Settings that are numbers, and what may stand behind one. */
const NUMERIC = set('port timeout limit interval ttl threshold quota depth width retries replicas size version pool');
const UNITS = set(
  `ms s second seconds minute minutes min hour hours h day days week weeks byte bytes kb mb gb requests request calls items rows retries attempts tokens characters connections workers per a`,
);
const COMPARING = /\b(?:than|times|slower|faster|larger|smaller|more|less|higher|lower|too|down|up|behind|ahead)\b|%/;
const NAMED_THINGS = set('database db store cache framework runtime compiler bundler orm broker linter formatter');

/** The subject by its words and names, so that two sentences about the same thing have the same. */
function topicOf(text: string, { predicate }: Assignment): string | undefined {
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

function pathBefore(text: string): string | undefined {
  const first = text.trim().split(/\s/, 1)[0] ?? '';
  const bare = first.replaceAll('`', '');
  return PATH.test(bare) ? bare : undefined;
}

const WHOLE = set('the our all every a an');

/** "src/server.ts holds the routes" */
function roleIn(text: string, words: Words): string | undefined {
  const path = pathBefore(text);
  const verb = words[1] ?? '';
  if (path === undefined || !ROLES.has(verb) || words.length < MIN_WORDS + 1) return undefined;
  const behind = words.slice(2, 6);
  if (behind.some((word) => PASSING.has(word) || POINTING.has(word))) return undefined;
  if (!WHOLE.has(words[2] ?? '')) return undefined;
  return `role of ${path}`;
}

const JUDGING = set('wrong right whatever something anything everything flow bad good poorly well');
const DOING = set(
  `use store keep drop move split rename replace switch write ship support remove add put merge deploy build run host migrate log cache encrypt hash validate expose return accept reject require allow deny name call publish release tag pin bundle test mock inline generate parse serialize send fetch load read limit cap`,
);

function decisionAt(words: Words, at: number): boolean {
  const phrase = DECIDING.find((one) => startsAt(words, at, one));
  if (phrase === undefined) return false;
  const behind = words.slice(at + phrase.length);
  if (
    behind.length < 2 ||
    behind.slice(0, 5).some((word) => POINTING.has(word) || NEGATIONS.has(word) || JUDGING.has(word))
  )
    return false;
  // To do something with what is built, and not "to take a break".
  const isFree = phrase.at(-1) !== 'decided' && phrase.at(-1) !== 'agreed';
  if (behind[0] === 'to') return DOING.has(behind[1] ?? '');
  return isFree || behind[0] === 'on' || behind[0] === 'against';
}

function statementIn(sentence: Sentence, isRule: boolean): Statement | undefined {
  const { text, words } = sentence;
  if (words.length < MIN_WORDS || text.length > MAX_CHARS || text.length === 0) return undefined;
  const { at, isCorrection } = opening(words);
  if (isRule && words.some((word) => /^(?:it|that|this|these|those|them)$/.test(word))) return undefined;
  if (isRule) return { kind: isCorrection ? 'correction' : 'preference', text, topic: undefined, confidence: 0.8 };
  if (isUnsure(sentence)) return undefined;
  if (decisionAt(words, at)) return { kind: 'decision', text, topic: undefined, confidence: 0.8 };
  const rest = words.slice(at);
  const role = at === 0 && !isNegated(rest) ? roleIn(text, rest) : undefined;
  if (role !== undefined) return { kind: 'fact', text, topic: role, confidence: 0.6 };
  const assignment = assignmentIn(rest);
  if (assignment === undefined || isNegated(rest) || !isAssignment(assignment)) return undefined;
  const topic = topicOf(text, assignment);
  if (topic === undefined) return undefined;
  return { kind: isCorrection ? 'correction' : 'fact', text, topic, confidence: isCorrection ? 0.8 : 0.7 };
}

/** The statements of a prompt, in order, each text once; none where there are so many that they must be pasted. */
export function statementsIn(prompt: string): Statement[] {
  const rules = new Set(proposalsIn(prompt).map(({ text }) => text));
  const found = new Map<string, Statement>();
  for (const sentence of sentencesOf(prompt)) {
    const statement = statementIn(sentence, rules.has(sentence.text));
    if (statement !== undefined) found.set(statement.text, statement);
    if (found.size > MAX_STATEMENTS) return [];
  }
  return [...found.values()];
}

/** What a single sentence gives a value to, for a memory that a person or the model stores; undefined if to nothing. */
export function topicOfText(text: string): string | undefined {
  const [only, ...more] = sentencesOf(text);
  if (only === undefined || more.length > 0) return undefined;
  return statementIn(only, false)?.topic;
}
