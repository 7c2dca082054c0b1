/**
 * Rules found in a prompt: what a person says to hold beyond the next step ("always …", "never …", "from now on …", "use X instead of
 * Y"). They are only ever proposed, so that a wrong one costs a look and a missed one a command; where it is in doubt nothing is
 * proposed. English. Pure; linear.
 */
import { type Sentence, sentencesOf } from './prose.ts';
import { isImperative } from './verbs.ts';

/** Which rule found it. */
export type ProposalRule = 'always' | 'never' | 'from-now-on' | 'instead' | 'each-time';

export interface Proposal {
  /** The sentence, as it was typed. */
  readonly text: string;
  readonly rule: ProposalRule;
}

const MIN_WORDS = 3;
const MAX_CHARS = 300;
/** A prompt with more than these is pasted: a person's own list of rules is shorter. */
const MAX_PROPOSALS = 8;

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** What may stand before a request without being its subject. */
const LEADS = set(
  `please pls ok okay so also then now again and but or plus therefore hey yes no yep well right just remember note important rule reminder let's lets`,
);
const CLAUSE_ENDS = set(', : ; ( – — … -');
const QUESTION_STARTS = set(
  `why what how where who whom which whose should could can would does did is are was were will has may shall isn't aren't don't didn't doesn't won't can't couldn't shouldn't wouldn't`,
);
const MODALS = set(`should must shall need ought have 'll will`);
/** Who is spoken to. Without a modal "you always …" is a complaint. */
const ADDRESSEES = set('you we');
const SAYING = set(
  `say says said saying tells told states stated reads claims claimed suggests suggested recommends recommended wrote writes thinks thought mentions mentioned insists`,
);
const HEDGES = set('maybe perhaps possibly might wonder wondering unsure hypothetically suppose imagine');
const ONE_OFF = set('here now today once temporarily currently tonight');
const PLACES = set(
  `function functions file test tests line lines case class method module component endpoint script snippet block loop query call handler page step task one time pr commit branch`,
);
/** The whole of what is worked on: a rule for it is one that stands. */
const WHOLES = set('repo repository project codebase workspace team package monorepo folder app code');
const FROM_NOW_ON: readonly (readonly string[])[] = [
  'from now on',
  'from now onwards',
  'from here on',
  'from this point on',
  'from today on',
  'going forward',
  'moving forward',
  'henceforth',
  'in future',
  'in the future',
].map((phrase) => phrase.split(' '));
const EACH_TIME: readonly (readonly string[])[] = [
  'whenever you',
  'every time you',
  'each time you',
  'before every',
  'before each',
  'after every',
  'after each',
].map((phrase) => phrase.split(' '));
const CHOOSING = set('use prefer write call name say run pick choose import return throw log');

type Words = readonly string[];

function startsAt(words: Words, at: number, phrase: readonly string[]): boolean {
  return phrase.every((word, index) => words[at + index] === word);
}

/** Whether a clause begins there: nothing but leads between it and the beginning of the sentence or a break. */
function isClauseStart(words: Words, at: number): boolean {
  const before = words[at - 1];
  if (before === undefined || CLAUSE_ENDS.has(before)) return true;
  return before === 'and' || before === 'but' || before === 'so' || (LEADS.has(before) && isClauseStart(words, at - 1));
}

/** Whether somebody is told so: `you must`, `we should`, `you need to`, `you have to`. */
function isToldBefore(words: Words, at: number): boolean {
  const [before = '', second = '', third = ''] = [words[at - 1], words[at - 2], words[at - 3]];
  if (before === 'to') return MODALS.has(second) && ADDRESSEES.has(third);
  return MODALS.has(before) && before !== 'have' && before !== 'need' && ADDRESSEES.has(second);
}

/** `I want you to`, `make sure to`, `remember to`. */
function isUrgedBefore(words: Words, at: number): boolean {
  return words[at - 1] === 'to' && words.slice(Math.max(0, at - 5), at - 1).some((word) => URGING.has(word));
}
const URGING = set('you sure remember careful');

function isInProject(words: Words): boolean {
  return words.some(
    (word, index) => word === 'here' || (WHOLES.has(word) && /^(?:this|our|the)$/.test(words[index - 1] ?? '')),
  );
}

/** The word that `always` or `never` is about. */
function verbAfter(words: Words, at: number): string {
  const next = words[at + 1] ?? '';
  return next === 'ever' || next === 'again' ? (words[at + 2] ?? '') : next;
}

function isAdverbRule(words: Words, at: number): boolean {
  if (!isImperative(verbAfter(words, at))) return false;
  if (isClauseStart(words, at) || isToldBefore(words, at) || isUrgedBefore(words, at)) return true;
  return words[at - 1] === 'we' && isInProject(words);
}

/** Whether the clause that begins there tells to do something, or not to. */
function isRequestAt(words: Words, start: number): boolean {
  let at = start;
  const isLead = (word = ''): boolean =>
    CLAUSE_ENDS.has(word) || (LEADS.has(word) && !(word === 'no' && words[at + 1] !== ','));
  while (isLead(words[at])) at += 1;
  const [first = '', second = '', third = ''] = [words[at], words[at + 1], words[at + 2]];
  if (isImperative(first)) return !(first === 'do' && second === 'you');
  if (first === "don't" || first === 'dont') return isImperative(second) || second === 'ever';
  if (first === 'always' || first === 'never' || first === 'only') return isImperative(second);
  if (ADDRESSEES.has(first))
    return MODALS.has(second) || (isImperative(second) && second !== 'have') || second === 'only';
  if (first === 'no') return second !== '' && third !== '';
  if (first === 'all' || first === 'every' || first === 'each' || first === 'any') {
    return words
      .slice(at, at + 8)
      .some((word) => word === 'must' || word === 'should' || word === 'need' || word === 'needs');
  }
  return false;
}

function clauseStarts(words: Words): number[] {
  return words.flatMap((_, at) => (at === 0 || CLAUSE_ENDS.has(words[at - 1] ?? '') ? [at] : []));
}

/** Where in a sentence a rule stands. */
function fromNowOnIn(words: Words): number | undefined {
  for (const phrase of FROM_NOW_ON) {
    const at = words.findIndex((_, index) => startsAt(words, index, phrase));
    if (at < 0) continue;
    const isFront = isClauseStart(words, at);
    // "in the future" at the end of a sentence says when, not that it holds.
    if (phrase[0] === 'in' && !(isFront && (at === 0 || words[at - 1] !== ','))) continue;
    if (isFront && isRequestAt(words, at + phrase.length)) return at;
    if (phrase[0] === 'in') continue;
    const start = clauseStarts(words.slice(0, at)).find((one) => isRequestAt(words, one));
    if (start !== undefined) return start;
  }
  return undefined;
}

function eachTimeIn(words: Words): number | undefined {
  const at = words.findIndex((_, index) => EACH_TIME.some((phrase) => startsAt(words, index, phrase)));
  if (at < 0) return undefined;
  return clauseStarts(words).find((start) => (start < at || start > at + 1) && isRequestAt(words, start));
}

/** Whether a sentence is about one place or moment only. */
function isOneOff(words: Words): boolean {
  return words.some((word, index) => {
    if (ONE_OFF.has(word)) return true;
    const before = words[index - 1] ?? '';
    if (before === 'this' || before === 'that' || before === 'these' || before === 'those') return !WHOLES.has(word);
    const isWithin = /^(?:in|inside|within|for|at|on|of)$/;
    if (PLACES.has(word)) return words.slice(Math.max(0, index - 4), index).some((one) => isWithin.test(one));
    return isWithin.test(before) && before !== 'of' && (word === '`' || /[a-z0-9_][./][a-z_]|\(\)$|_/.test(word));
  });
}

function insteadIn(words: Words): number | undefined {
  const at = words.findIndex(
    (word, index) =>
      (word === 'instead' && words[index + 1] === 'of') || (word === 'rather' && words[index + 1] === 'than'),
  );
  const isPreferred = words.some((word, index) => word === 'prefer' && isClauseStart(words, index));
  if (at < 0 && !isPreferred) return undefined;
  const end = at < 0 ? words.length : at;
  const told = words
    .slice(0, end)
    .findIndex((word, index) => CHOOSING.has(word) && (isClauseStart(words, index) || isToldBefore(words, index)));
  return told < 0 || isOneOff(words) ? undefined : told;
}

/** Whether what stands there is somebody else's, told without quotation marks; "I told you" are one's own words. */
function isReported(words: Words, at: number): boolean {
  return words.slice(0, at).some((word, index) => SAYING.has(word) && !/^(?:i|i've|i'd)$/.test(words[index - 1] ?? ''));
}

function isQuestion({ words, isQuestion: isMarked }: Sentence): boolean {
  const start = words.find((word) => !LEADS.has(word) && !CLAUSE_ENDS.has(word)) ?? '';
  // "Don't ever …" is none.
  return (
    isMarked ||
    (QUESTION_STARTS.has(start) && start !== "don't") ||
    (start === 'do' && /^(?:you|we|i)$/.test(words[1] ?? ''))
  );
}

function ruleOf(words: Words): { readonly rule: ProposalRule; readonly at: number } | undefined {
  for (const [at, word] of words.entries()) {
    if ((word === 'always' || word === 'never') && isAdverbRule(words, at)) return { rule: word, at };
    const isDont = word === "don't" || word === 'dont' || (word === 'not' && words[at - 1] === 'do');
    if (isDont && words[at + 1] === 'ever' && isImperative(words[at + 2] ?? '')) return { rule: 'never', at };
  }
  for (const [rule, find] of FINDERS) {
    const at = find(words);
    if (at !== undefined) return { rule, at };
  }
  return undefined;
}

const FINDERS: readonly (readonly [ProposalRule, (words: Words) => number | undefined])[] = [
  ['from-now-on', fromNowOnIn],
  ['instead', insteadIn],
  ['each-time', eachTimeIn],
];

/** The rules that a prompt states, in order, each text once; none where there are so many that they must be pasted. */
export function proposalsIn(prompt: string): Proposal[] {
  const proposals = new Map<string, Proposal>();
  for (const sentence of sentencesOf(prompt)) {
    const { text, words } = sentence;
    if (words.length < MIN_WORDS || text.length > MAX_CHARS || isQuestion(sentence)) continue;
    if (words.some((word) => HEDGES.has(word))) continue;
    const found = ruleOf(words);
    if (found !== undefined && !isReported(words, found.at)) proposals.set(text, { text, rule: found.rule });
    if (proposals.size > MAX_PROPOSALS) return [];
  }
  return [...proposals.values()];
}
