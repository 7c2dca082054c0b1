/** Words by what they do in a sentence of a person, for whoever reads prompts by their form. Pure. */

/** The words of a sentence, small letters, punctuation apart. */
export type Words = readonly string[];

/** Words of one line, parted by blanks. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** Phrases of several words each. */
export const phrases = (...all: readonly string[]): readonly Words[] => all.map((phrase) => phrase.split(' '));

/** Whether a phrase stands at that place of a sentence. */
export function startsAt(words: Words, at: number, phrase: Words): boolean {
  return phrase.every((word, index) => words[at + index] === word);
}

export const PUNCTUATION: ReadonlySet<string> = wordSet(', : ; ( ) – — … - .');
/** Words that stand for something said elsewhere: without it the sentence says nothing. */
export const POINTING: ReadonlySet<string> = wordSet(
  `that this it these those he she they them there here what which who mine yours your option options suggestion first second third latter former one ones plan approach above below proposed recommendation proposal same other another`,
);
/** Things whose value is of the moment. */
export const PASSING: ReadonlySet<string> = wordSet(
  `error errors bug bugs issue issues problem problems test tests failure failures line lines output result results task goal answer question reason cause count number total size commit branch pr diff culprit message log step point time date today branch status exit code difference next last only thing idea example case today rest question duration coverage score build run reply todo progress ticket file files`,
);
