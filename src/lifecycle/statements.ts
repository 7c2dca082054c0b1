/**
 * What a person says in a prompt that holds beyond it: decisions, corrections, rules, values of things, roles of files. Told by the
 * form of the sentence, in English; where it is in doubt nothing is taken. Pure; linear.
 */
import { proposalsIn } from '../ledger/proposals.ts';
import { type Sentence, sentencesOf } from '../ledger/prose.ts';
import type { MemoryKind } from '../ports/memories.ts';
import { assignmentIn, topicOf } from './assignments.ts';
import { PASSING, phrases, POINTING, PUNCTUATION, startsAt, type Words, wordSet } from './words.ts';

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

const LEADS = wordSet(
  'please ok okay so also then and but hey yes well right note remember fyi btw by the way for reference',
);
const CORRECTING = wordSet('no nope actually wrong correction sorry');
const HEDGES = wordSet(
  `maybe perhaps possibly might could would should if unless suppose imagine assume probably guess think seems unsure either or whether until unless like example e.g when while`,
);
const NEGATIONS = wordSet('not no never none nothing cannot neither nor without');
const DECIDING: readonly Words[] = phrases(
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
);
const ROLES = wordSet('is holds contains handles implements defines owns wraps');
const PATH =
  /^(?:[\w.@-]+\/)+[\w.@-]+$|^[\w-]+\.(?:[cm]?[jt]sx?|py|go|rs|java|rb|php|cs|cpp|c|h|kt|swift|sql|sh|ya?ml|toml|json|md)$/i;

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

function pathBefore(text: string): string | undefined {
  const first = text.trim().split(/\s/, 1)[0] ?? '';
  const bare = first.replaceAll('`', '');
  return PATH.test(bare) ? bare : undefined;
}

const WHOLE = wordSet('the our all every a an');

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

const JUDGING = wordSet('wrong right whatever something anything everything flow bad good poorly well');
const DOING = wordSet(
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
  if (assignment === undefined || isNegated(rest)) return undefined;
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
