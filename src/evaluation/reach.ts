/**
 * What is not kept but can be got back: the turn that holds it is named in sight, by its handle, or by the file or command
 * it was about.
 */
import { handleOf } from '../messages/handle.ts';
import type { Block, Message } from '../messages/types.ts';
import { blocksOf, type Reading } from './reading.ts';

/** Arguments that say which file a call was about, and what other calls were about; the best first. */
const FILES = ['file_path', 'notebook_path'] as const;
const SUBJECTS = ['command', 'pattern', 'query', 'url', 'prompt'] as const;
/** Of what is no path so many characters are a name, and fewer than the least are none. */
const [MAX_NAME, MIN_NAME] = [30, 8];

/** A call with its result, or a text: what would be got back as one. */
interface Carrier {
  readonly names: readonly string[];
  readonly handles: readonly string[];
}

function lastParts(path: string): string[] {
  const parts = path.split(/[\\/]/).filter((part) => part !== '');
  const tail = parts.slice(-2);
  return [...new Set([tail.join('/'), tail.join('\\')])];
}

function textUnder(input: ReadonlyMap<string, unknown>, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = input.get(key);
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return undefined;
}

/** How one speaks of a call: by the end of its path, or the beginning of its command. */
function namesOf(call: Block): { readonly file: boolean; readonly names: readonly string[] } {
  const input = new Map<string, unknown>(Object.entries(call['input'] ?? {}));
  const path = textUnder(input, FILES);
  if (path !== undefined) return { file: true, names: lastParts(path) };
  const [line = ''] = (textUnder(input, SUBJECTS) ?? '').split('\n', 1);
  return { file: false, names: line.length < MIN_NAME ? [] : [line.slice(0, MAX_NAME)] };
}

/** Names of calls. What several calls of no file have in common, such as `npm test`, names none of them. */
class CallNames {
  readonly #byId = new Map<unknown, readonly string[]>();

  constructor(context: readonly Message[]) {
    const calls = context
      .flatMap(blocksOf)
      .filter(({ type }) => type === 'tool_use')
      .map((call) => ({ id: call['id'], ...namesOf(call) }));
    const uses = new Map<string, number>();
    for (const { names } of calls) for (const name of names) uses.set(name, (uses.get(name) ?? 0) + 1);
    for (const { id, file, names } of calls) {
      this.#byId.set(
        id,
        names.filter((name) => file || uses.get(name) === 1),
      );
    }
  }

  of(id: unknown): readonly string[] {
    return this.#byId.get(id) ?? [];
  }
}

/** Everything that holds one of the lines. */
function carriersOf(
  context: readonly Message[],
  lines: ReadonlySet<string>,
  reading: Reading,
): ReadonlyMap<string, readonly Carrier[]> {
  const found = new Map<string, Carrier[]>();
  const names = new CallNames(context);
  const askedIn = new Map<unknown, Message>();
  for (const message of context) {
    for (const block of blocksOf(message)) {
      const id = block.type === 'tool_result' ? block['tool_use_id'] : block['id'];
      if (block.type === 'tool_use') askedIn.set(id, message);
      const wanted = new Set(reading.lines(block).filter((line) => lines.has(line)));
      if (wanted.size === 0) continue;
      const messages = new Set([askedIn.get(id) ?? message, message]);
      const carrier = { names: names.of(id), handles: [...messages].map(handleOf) };
      for (const line of wanted) {
        const carriers = found.get(line);
        if (carriers === undefined) found.set(line, [carrier]);
        else carriers.push(carrier);
      }
    }
  }
  return found;
}

/** Where the lines of one context are to be found. */
export class Reach {
  readonly #carriers: ReadonlyMap<string, readonly Carrier[]>;

  constructor(context: readonly Message[], lines: ReadonlySet<string>, reading: Reading) {
    this.#carriers = carriersOf(context, lines, reading);
  }

  /** Tells of each line whether something that holds it is named in `text`. */
  from(text: string): (line: string) => boolean {
    const handles = new Set(text.match(/#[a-z2-7]{7}(?![a-z2-7])/g));
    const asked = new Map<string, boolean>();
    const isNamed = (name: string): boolean => {
      const known = asked.get(name);
      if (known !== undefined) return known;
      const found = text.includes(name);
      asked.set(name, found);
      return found;
    };
    return (line) =>
      (this.#carriers.get(line) ?? []).some(
        (carrier) => carrier.handles.some((handle) => handles.has(handle)) || carrier.names.some(isNamed),
      );
  }
}
