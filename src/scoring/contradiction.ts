/**
 * Similar is not the same. Two texts of nearly the same words may say opposite things; vectors hardly see it. Here it is
 * decided, by rules, whether one text could stand for the other. In doubt it could not: keeping a turn costs some tokens,
 * losing one costs what it said.
 */
import { factsOf, type Facts, type Quantity, stemOf } from './facts.ts';

/** Why a memory does not hold what a turn says. */
export type Difference = 'number' | 'name' | 'order' | 'negation' | 'opposite' | 'word' | 'more';

/** Words that exclude each other. */
const OPPOSITES: readonly (readonly [string, string])[] = (
  'enable disable,enabled disabled,on off,true false,before after,add remove,add delete,keep remove,keep delete,keep drop,' +
  'allow deny,allow block,increase decrease,start stop,open close,open closed,accept reject,include exclude,show hide,min max,' +
  'minimum maximum,first last,new old,sync async,synchronous asynchronous,public private,required optional,left right,up down,' +
  'tab space,development production,staging production,dev prod,success failure,pass fail,more less,more fewer,higher lower,' +
  'upper lower,above below,local remote,read write,encode decode,lock unlock,attach detach,internal external,valid invalid,' +
  'ascending descending,client server,frontend backend,input output,safe unsafe,mutable immutable,with without,always never,may must,can must,all some,fast slow,allow forbid,success error'
)
  .split(',')
  .map((pair): [string, string] => {
    const [one = '', other = ''] = pair.split(' ');
    return [stemOf(one), stemOf(other)];
  });

/** A path in a memory is also found by so many of its last parts. */
const PATH_ENDS = 4;

function holdsQuantities(turn: readonly Quantity[], memory: readonly Quantity[]): boolean {
  const units = new Map<string, Set<string | undefined>>();
  for (const { value, unit } of memory) {
    const known = units.get(value);
    if (known === undefined) units.set(value, new Set([unit]));
    else known.add(unit);
  }
  // A number without a unit may be the same one.
  return turn.every(({ value, unit }) => {
    const known = units.get(value);
    return known !== undefined && (unit === undefined || known.has(unit) || known.has(undefined));
  });
}

/** As written, as a plain word, or as the end of a longer path. */
function holdsNames(turn: readonly string[], memory: Facts): boolean {
  const known = new Set(memory.names);
  for (const name of memory.names) {
    let start = name.length;
    for (let part = 0; part < PATH_ENDS && start > 0; part += 1) {
      start = name.lastIndexOf('/', start - 1);
      if (start < 0) break;
      known.add(name.slice(start + 1));
    }
  }
  return turn.every((name) => known.has(name) || memory.words.has(name));
}

/** Words in place of words; more of them is another way of saying it. */
const MOST_REPLACED = 4;
/** Words of its own from which on a turn says more; one alone is often only emphasis. */
const LEAST_MORE = 2;
/** Longer texts are not rearrangements of each other by chance, and comparing them costs the square. */
const MOST_REARRANGED = 64;

/** Whether the things both texts hold first come up in another order ("from 1 to 2", "from 2 to 1"). */
function inOtherOrder(one: readonly string[], other: readonly string[]): boolean {
  const places = new Map<string, number>();
  other.forEach((value, place) => {
    if (!places.has(value)) places.set(value, place);
  });
  let last = -1;
  const seen = new Set<string>();
  for (const value of one) {
    const place = places.get(value);
    if (place === undefined || seen.has(value)) continue;
    seen.add(value);
    if (place < last) return true;
    last = place;
  }
  return false;
}

/** What one text only negates and the other only affirms. */
function turnedIn(one: Facts, other: Facts): string[] {
  return [...one.negated].filter(
    (stem) => !one.affirmed.has(stem) && other.affirmed.has(stem) && !other.negated.has(stem),
  );
}

/**
 * Whether the texts negate different things. A negation reaches over what follows it, so "don't use X here" and "X is not
 * used here" do not negate the same words; where both texts negate something in common, as often as each other, only a swap
 * counts ("use X, not Y" and "use Y, not X").
 */
function isTurnedAround(one: Facts, other: Facts): boolean {
  const [here, there] = [turnedIn(one, other).length > 0, turnedIn(other, one).length > 0];
  if (here && there) return true;
  const sameMatter = one.negations === other.negations && [...one.negated].some((stem) => other.negated.has(stem));
  return (here || there) && !sameMatter;
}

/** `reversible` and `irreversible`. */
const NEGATIVE_PREFIXES: readonly string[] = ['un', 'in', 'im', 'ir', 'il', 'dis', 'non'];
/** Shorter words begin so by chance ("input", "union"). */
const LEAST_ROOT = 4;

function hasNegativeOf(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  for (const stem of one) {
    if (other.has(stem)) continue;
    for (const prefix of NEGATIVE_PREFIXES) {
      const root = stem.startsWith(prefix) ? stem.slice(prefix.length) : '';
      if (root.length >= LEAST_ROOT && other.has(root) && !one.has(root)) return true;
    }
  }
  return false;
}

function areOpposite(turn: Facts, memory: Facts): boolean {
  const stems = (facts: Facts): Set<string> => new Set([...facts.words].map(stemOf));
  const [one, other] = [stems(turn), stems(memory)];
  return (
    hasNegativeOf(one, other) ||
    hasNegativeOf(other, one) ||
    OPPOSITES.some(
      ([a, b]) =>
        (one.has(a) && other.has(b) && !one.has(b) && !other.has(a)) ||
        (one.has(b) && other.has(a) && !one.has(a) && !other.has(b)),
    )
  );
}

/** Two things that both texts name have changed places around a word of direction ("tabs over spaces"). */
function isOtherWayRound(one: Facts, other: Facts): boolean {
  const [here, there] = [new Set(one.sequence), new Set(other.sequence)];
  for (const [direction, mine] of one.relations) {
    const theirs = other.relations.get(direction);
    if (theirs === undefined) continue;
    const moved = [...mine].some((stem) => !theirs.has(stem) && there.has(stem));
    if (moved && [...theirs].some((stem) => !mine.has(stem) && here.has(stem))) return true;
  }
  return false;
}

/**
 * The same words in another order ("the server calls the client"), unless only two neighbouring parts changed places ("before a
 * commit, run the linter").
 */
function isRearranged({ sequence: one }: Facts, { sequence: other }: Facts): boolean {
  if (one.length !== other.length || one.length > MOST_REARRANGED) return false;
  if (one.toSorted().join(' ') !== other.toSorted().join(' ')) return false;
  let [from, to] = [0, one.length];
  while (from < to && one[from] === other[from]) from += 1;
  while (to > from && one[to - 1] === other[to - 1]) to -= 1;
  const [mine, theirs] = [one.slice(from, to), other.slice(from, to)];
  const { length } = mine;
  return length > 0 && !mine.some((_, start) => mine.every((word, at) => word === theirs[(start + at) % length]));
}

/** `configure` and `configuration`: much the same beginning. */
function lookAlike(one: string, other: string): boolean {
  const longest = Math.max(one.length, other.length);
  let common = 0;
  while (common < longest && one[common] === other[common]) common += 1;
  return common >= 4 && common * 2 >= longest;
}

/** The same sentence with something put in place of something else ("deploys use npm", "deploys use pnpm"). */
function isReplaced(gone: readonly string[], come: readonly string[]): boolean {
  if (gone.length === 0 || come.length === 0 || gone.length + come.length > MOST_REPLACED) return false;
  return !gone.some((one) => come.some((other) => lookAlike(one, other)));
}

/** Without the letter that stems lose at their ends: `tim` and `out` are `timeout`. */
function bare(word: string): string {
  return word.replaceAll('e', '');
}

/** Two words in a row as one, with what they are made of. */
function joinedOf({ sequence }: Facts): Map<string, readonly string[]> {
  return new Map(sequence.slice(1).map((word, at) => [bare(`${sequence[at]}${word}`), [sequence[at] ?? '', word]]));
}

/** Meaningful words of a text that the other lacks, joined or apart ("timeout", "time out"). */
function missingIn(one: Facts, other: Facts): string[] {
  const missing = [...one.stems].filter((stem) => !other.words.has(stem) && !other.stems.has(stem));
  if (missing.length === 0) return missing;
  const stems = new Set([...other.stems].map(bare));
  const apart = new Set([...joinedOf(one)].flatMap(([joined, parts]) => (stems.has(joined) ? parts : [])));
  const joined = joinedOf(other);
  return missing.filter((stem) => !apart.has(stem) && !joined.has(bare(stem)));
}

/** Whether the turn says something of its own: more that the memory lacks than the memory puts in its place. */
function saysMore(turn: Facts, gone: readonly string[], come: readonly string[]): boolean {
  if (gone.length - come.length >= LEAST_MORE) return true;
  return gone.length > LEAST_MORE && gone.length * 2 > turn.stems.size;
}

/**
 * What keeps `memory` from standing for `turn`, or undefined if nothing does. Not symmetric: the memory may say more than the
 * turn, never less.
 */
export function differenceBetween(turn: Facts, memory: Facts): Difference | undefined {
  if (!holdsQuantities(turn.quantities, memory.quantities)) return 'number';
  if (!holdsNames(turn.names, memory)) return 'name';
  const values = ({ quantities }: Facts): string[] => quantities.map(({ value }) => value);
  if (inOtherOrder(values(turn), values(memory)) || inOtherOrder(turn.names, memory.names)) return 'order';
  const [mine, theirs] = [turn.negations, memory.negations];
  if (mine > theirs || (mine === 0 && theirs > 0) || isTurnedAround(turn, memory)) return 'negation';
  if (areOpposite(turn, memory)) return 'opposite';
  if (isOtherWayRound(turn, memory) || isRearranged(turn, memory)) return 'order';
  const gone = missingIn(turn, memory);
  const come = missingIn(memory, turn);
  const known = new Set(turn.names);
  const names = memory.names.filter((name) => !known.has(name));
  if (isReplaced(gone, [...come, ...names])) return 'word';
  if (turn.words.has('only') && !memory.words.has('only') && come.length + names.length > 0) return 'opposite';
  return saysMore(turn, gone, come) ? 'more' : undefined;
}

/** The same for texts; both masked. */
export function differenceOf(turn: string, memory: string): Difference | undefined {
  return differenceBetween(factsOf(turn), factsOf(memory));
}
