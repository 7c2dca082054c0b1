/** What the user asked to be done or not done: sentences of typed prompts with a rule, a number or a quoted name in them. */
import type { Message } from '../messages/types.ts';
import { isPrompt } from './normalise.ts';
import { blocksOf } from './reading.ts';

const [MIN_SENTENCE, MAX_SENTENCE] = [10, 600];
/** A longer text is a pasted document and no list of rules: its two ends are read. */
const MAX_TEXT = 8_000;
const END_OF_TEXT = 1_000;

const RULE_WORDS = [
  "don'?t",
  'do not',
  'never',
  'always',
  'must',
  "mustn'?t",
  'instead',
  'only',
  "should(?:n'?t)?",
  'without',
  'avoid',
  'prefer',
  'make sure',
  'ensure',
  'keep',
  'not',
];
/** The same in Chinese, Japanese, Korean and Russian. */
const RULE_WORDS_ELSEWHERE = [
  '不要',
  '必须',
  '必須',
  '不能',
  '禁止',
  '务必',
  'しない',
  'でください',
  '必ず',
  '하지',
  '반드시',
  '말고',
  'нельзя',
  'обязательно',
  'никогда',
  'всегда',
  'не ',
];
const MARKS: readonly RegExp[] = [
  new RegExp(`\\b(?:${RULE_WORDS.join('|')})\\b`, 'iu'),
  new RegExp(RULE_WORDS_ELSEWHERE.join('|'), 'iu'),
  /\d{2}/,
  /["'`][^"'`\n]{3,60}["'`]/u,
];

function sentencesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => line.split(/(?<=[.!?。！？])\s+/));
}

/** Each sentence once, in the order it was said. */
export function constraintsOf(context: readonly Message[]): string[] {
  const found = new Set<string>();
  for (const { type, text } of context.filter(isPrompt).flatMap(blocksOf)) {
    if (type !== 'text' || typeof text !== 'string') continue;
    const read = text.length > MAX_TEXT ? `${text.slice(0, END_OF_TEXT)}\n${text.slice(-END_OF_TEXT)}` : text;
    for (const sentence of sentencesOf(read).map((one) => one.trim())) {
      if (sentence.length < MIN_SENTENCE || sentence.length > MAX_SENTENCE) continue;
      if (MARKS.some((mark) => mark.test(sentence))) found.add(sentence);
    }
  }
  return [...found];
}
