/** The list of what was dropped: short names with the handles that bring them back. */
import { handleOf } from '../messages/handle.ts';
import { writeMark } from '../messages/marks.ts';
import type { Message } from '../messages/types.ts';
import type { Material } from './material.ts';
import type { Selection } from './selection.ts';

/** Of a command, so much says what it was. */
const COMMAND_CHARS = 30;
const PATH_PARTS = 2;

/** A dropped call under its name. */
interface Pointer {
  readonly name: string;
  readonly message: number;
  readonly worth: number;
}

/** How a call is called: the end of its file's path, else the beginning of its first input. */
function nameOf(material: Material, thing: number): string {
  const { file, places } = material.things[thing]!;
  if (file !== undefined)
    return file
      .split(/[\\/]+/)
      .filter(Boolean)
      .slice(-PATH_PARTS)
      .join('/');
  const part = material.parts[places[0]!.message]![places[0]!.part]!;
  const [line = ''] = (part.fields[0]?.text ?? '').trimStart().split('\n', 1);
  const command = line.slice(0, COMMAND_CHARS).trimEnd().toWellFormed();
  return part.kind === 'call' ? command || (part.name ?? '') : '';
}

/** What each dropped call would have been worth, most first, each name once and only if nothing in sight names it already. */
function candidates(material: Material, selection: Selection, worth: Float64Array): readonly Pointer[] {
  const { things, stubs, hunks, texts, features } = material;
  const lost = things.map((_, thing) => new Map<number, number>([[things[thing]!.places[0]!.message, 0]]));
  const add = (thing: number, message: number, list: readonly number[]): void => {
    let sum = lost[thing]!.get(message) ?? 0;
    for (const feature of list) if (!selection.isKept(feature)) sum += worth[feature]!;
    lost[thing]!.set(message, sum);
  };
  stubs.forEach((stub, thing) => add(thing, things[thing]!.places[0]!.message, stub.features));
  hunks.forEach((hunk) => add(hunk.thing, texts[hunk.text]!.message, hunk.features));
  const byName = new Map<string, Pointer>();
  things.forEach(({ kind, file }, thing) => {
    if (kind !== 'call' || selection.isOpen(thing)) return;
    const name = nameOf(material, thing);
    if (name === '') return;
    if (file !== undefined) {
      const inSight = features.within(file);
      if (inSight.size > 0 && [...inSight].every((feature) => selection.isKept(feature))) return;
    }
    // The handle leads to the half that holds more.
    const [message, sum] = [...lost[thing]!].reduce((best, half) => (half[1] > best[1] ? half : best));
    const before = byName.get(name);
    if (before === undefined || sum > before.worth) byName.set(name, { name, message, worth: sum });
  });
  return [...byName.values()]
    .filter((pointer) => pointer.worth > 0)
    .sort((a, b) => b.worth - a.worth || b.message - a.message);
}

/** A message that names dropped calls, as many as `roomTokens` hold; undefined if not even one. */
export function pointersOf(
  material: Material,
  selection: Selection,
  worth: Float64Array,
  messages: readonly Message[],
  roomTokens: number,
  price: (message: Message) => number,
): Message | undefined {
  const list = candidates(material, selection, worth);
  const entries: string[] = [];
  const write = (count: number): Message => {
    for (const { name, message } of list.slice(entries.length, count)) {
      entries.push(`${name} ${handleOf(messages[message]!)}`);
    }
    return { role: 'user', content: writeMark('stub', [], `dropped: ${entries.slice(0, count).join(', ')}`) };
  };
  const isWithin = (count: number): boolean => price(write(count)) <= roomTokens;
  // Longest list that fits: it grows with its entries. Mostly few of many do, so the way up is in doublings.
  let fits = 0;
  let tooMany = 1;
  while (tooMany <= list.length && isWithin(tooMany)) {
    fits = tooMany;
    tooMany *= 2;
  }
  tooMany = Math.min(tooMany, list.length + 1);
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (isWithin(middle)) fits = middle;
    else tooMany = middle;
  }
  return fits === 0 ? undefined : write(fits);
}
