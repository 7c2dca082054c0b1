/**
 * In which order what was found for a question stands, memories and archived turns in one list, and whether any of it is about the
 * question at all. By words and, where they are known, by likenesses. Pure. Figures as chosen by bench/recall.
 */
import { type Match, matchingOf } from './matching.ts';

/** What likeness counts for beside words. */
const LIKENESS_SHARE = 0.6;
/** What words count for where likeness is not known. */
const WORDS_ALONE = 0.5;
/** What a turn counts for beside a memory: it rather says what once was. */
const TURN_SHARE = 0.9;
/** So many of one kind stand in a row at most while there are others: where only words speak for a turn, they may speak too low. */
const MOST_IN_A_ROW = 2;

/** By likeness, or by its share of the question's words (those that nothing has count here), a text is about the question. */
const ABOUT_COSINE = 0.4;
const ABOUT_SHARE = 0.25;
/** So many words in common are enough in a long question. */
const ABOUT_WORDS = 4;

export interface FoundText {
  readonly text: string;
  /** Likeness to the question; undefined where it is not known. */
  readonly cosine: number | undefined;
}

export interface FoundTurn extends FoundText {
  /** Places of memories, among those that were found, that it is much like. */
  readonly like: readonly number[];
}

export interface Ranked {
  readonly kind: 'memory' | 'turn';
  /** Among those of its kind, as they were given. */
  readonly place: number;
  readonly score: number;
}

export interface RankRequest {
  readonly query: string;
  readonly memories: readonly FoundText[];
  readonly turns: readonly FoundTurn[];
  /** Whether likenesses of memories are known at all. Without any, a memory is worth its words. */
  readonly embedding: boolean;
}

function scoreOf({ share }: Match, cosine: number | undefined, wordsCount: number): number {
  if (cosine === undefined) return wordsCount * share;
  return LIKENESS_SHARE * cosine + (1 - LIKENESS_SHARE) * share;
}

function isAbout({ share, held }: Match, known: number, cosine: number | undefined): boolean {
  if (cosine !== undefined && cosine >= ABOUT_COSINE) return true;
  return held === undefined || held >= ABOUT_WORDS || share * known >= ABOUT_SHARE;
}

function haveTermInCommon({ terms }: Match, other: Match): boolean {
  for (const term of terms) if (other.terms.has(term)) return true;
  return false;
}

/** Equal ones stay in the order in which they were found. */
function best(list: readonly Ranked[]): readonly Ranked[] {
  return list.toSorted((a, b) => b.score - a.score);
}

/** Two lists, each best first, as one: the better of both heads next, but never more than a few of one list in a row. */
function merged(one: readonly Ranked[], other: readonly Ranked[]): Ranked[] {
  const all: Ranked[] = [];
  let [here, there, row] = [0, 0, 0];
  for (;;) {
    const [mine, theirs] = [one[here], other[there]];
    if (mine === undefined || theirs === undefined) return [...all, ...one.slice(here), ...other.slice(there)];
    const last = all.at(-1)?.kind;
    const better = theirs.score > mine.score ? theirs : mine;
    const next = row === MOST_IN_A_ROW && better.kind === last ? (better === mine ? theirs : mine) : better;
    row = next.kind === last ? row + 1 : 1;
    if (next === mine) here += 1;
    else there += 1;
    all.push(next);
  }
}

/**
 * Best first; nothing if nothing is about the question. A turn that is much like a memory, and about the same word of the question, stands behind
 * that memory by its score: both say the same, or the memory says what became of it.
 */
export function ranked({ query, memories, turns, embedding }: RankRequest): readonly Ranked[] {
  const { matches, known } = matchingOf(
    query,
    [...memories, ...turns].map(({ text }) => text),
  );
  const [ofMemories, ofTurns] = [matches.slice(0, memories.length), matches.slice(memories.length)];
  const likenesses = [...memories, ...turns].map(({ cosine }) => cosine);
  if (!matches.some((match, place) => isAbout(match, known, likenesses[place]))) return [];
  const rankedMemories = ofMemories.map((match, place): Ranked => {
    const score = scoreOf(match, memories[place]?.cosine, embedding ? WORDS_ALONE : 1);
    return { kind: 'memory', place, score };
  });
  const rankedTurns = ofTurns.map((match, place): Ranked => {
    const turn = turns[place];
    const byWords = scoreOf(match, undefined, WORDS_ALONE);
    const own = Math.max(byWords, TURN_SHARE * scoreOf(match, turn?.cosine, WORDS_ALONE));
    const ahead = (turn?.like ?? []).flatMap((at) => {
      const other = ofMemories[at];
      return other !== undefined && haveTermInCommon(match, other) ? (rankedMemories[at]?.score ?? []) : [];
    });
    return { kind: 'turn', place, score: Math.min(own, ...ahead) };
  });
  return merged(best(rankedMemories), best(rankedTurns));
}
