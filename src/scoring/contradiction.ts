/**
 * Similar is not the same. Two texts of nearly the same words may say opposite things; vectors hardly see it. Here it is
 * decided, by rules, whether one text could stand for the other. In doubt it could not: keeping a turn costs some tokens,
 * losing one costs what it said.
 */
import { factsOf, type Facts, type Quantity, stemOf } from './facts.ts';

/** Why a memory does not hold what a turn says. */
export type Difference = 'number' | 'name' | 'order' | 'negation' | 'opposite' | 'word';

/** Words that exclude each other. */
const OPPOSITES: readonly (readonly [string, string])[] = (
  'enable disable,enabled disabled,on off,true false,before after,add remove,add delete,keep remove,keep delete,keep drop,' +
  'allow deny,allow block,increase decrease,start stop,open close,open closed,accept reject,include exclude,show hide,min max,' +
  'minimum maximum,first last,new old,sync async,synchronous asynchronous,public private,required optional,left right,up down,' +
  'tab space,development production,staging production,dev prod,success failure,pass fail,more less,more fewer,higher lower,' +
  'upper lower,above below,local remote,read write,encode decode,lock unlock,attach detach,internal external,valid invalid,' +
  'ascending descending,client server,frontend backend,input output,safe unsafe,mutable immutable,with without,always never'
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

/** A word that one text only negates and the other only affirms. */
function isTurnedAround(one: Facts, other: Facts): boolean {
  for (const stem of one.negated) {
    if (!one.affirmed.has(stem) && other.affirmed.has(stem) && !other.negated.has(stem)) return true;
  }
  return false;
}

function areOpposite(turn: Facts, memory: Facts): boolean {
  const stems = (facts: Facts): Set<string> => new Set([...facts.words].map(stemOf));
  const [one, other] = [stems(turn), stems(memory)];
  return OPPOSITES.some(
    ([a, b]) =>
      (one.has(a) && other.has(b) && !one.has(b) && !other.has(a)) ||
      (one.has(b) && other.has(a) && !one.has(a) && !other.has(b)),
  );
}

/** `configure` and `configuration`: much the same beginning. */
function lookAlike(one: string, other: string): boolean {
  const longest = Math.max(one.length, other.length);
  let common = 0;
  while (common < longest && one[common] === other[common]) common += 1;
  return common >= 4 && common * 2 >= longest;
}

/** The same sentence with one word replaced by another ("deploys use npm", "deploys use pnpm"). */
function isOneWordReplaced(turn: Facts, memory: Facts): boolean {
  const [gone, ...moreGone] = [...turn.stems].filter((stem) => !memory.stems.has(stem));
  if (gone === undefined || moreGone.length > 0) return false;
  const [come, ...moreCome] = [...memory.stems].filter((stem) => !turn.stems.has(stem));
  if (come === undefined || moreCome.length > 0) return false;
  return !lookAlike(gone, come);
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
  if (turn.negates !== memory.negates || isTurnedAround(turn, memory) || isTurnedAround(memory, turn))
    return 'negation';
  if (areOpposite(turn, memory)) return 'opposite';
  return isOneWordReplaced(turn, memory) ? 'word' : undefined;
}

/** The same for texts; both masked. */
export function differenceOf(turn: string, memory: string): Difference | undefined {
  return differenceBetween(factsOf(turn), factsOf(memory));
}
