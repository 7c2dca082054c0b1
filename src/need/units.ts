/** The material of a whole-message selection: one thing for each unit, which is taken as it is or not at all. */
import type { Item } from '../compaction/strategy.ts';
import { type Material, MESSAGE_FRAME } from './material.ts';
import type { Place, Thing } from './things.ts';

/** Regroups what was read into units. Their stubs cost what their messages cost. */
export function unitMaterialOf(material: Material, items: readonly Item[]): Material {
  const numbers = new Map<number, number>();
  const things: (Thing & { readonly places: Place[] })[] = [];
  const tokens: number[] = [];
  const features: Set<number>[] = [];
  const unitOf = items.map(({ unit, message, tokens: own }) => {
    let number = numbers.get(unit);
    if (number === undefined) {
      number = things.length;
      numbers.set(unit, number);
      things.push({ kind: 'other', places: [], tool: 'other', file: undefined, isError: false, fixed: true });
      tokens.push(0);
      features.push(new Set());
    }
    things[number]!.places.push({ message, part: 0 });
    // Opening a message adds its frame.
    tokens[number]! += own - MESSAGE_FRAME;
    return number;
  });
  const add = (message: number, list: readonly number[]): void => {
    for (const feature of list) features[unitOf[message]!]!.add(feature);
  };
  material.hunks.forEach((hunk) => add(material.texts[hunk.text]!.message, hunk.features));
  material.stubs.forEach((stub, thing) => add(material.things[thing]!.places[0]!.message, stub.features));
  return {
    ...material,
    things,
    stubs: things.map((_, unit) => ({ tokens: tokens[unit]!, features: [...features[unit]!] })),
    texts: [],
    hunks: [],
    thinking: material.thinking.map(() => 0),
  };
}
