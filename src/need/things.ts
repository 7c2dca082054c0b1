/** What a conversation consists of when one looks inside messages: texts, and tool calls together with their results. */
import type { Part } from '../messages/parts.ts';
import { isFileKey, type ToolKind, toolKindOf } from './tools.ts';

/** Where a part stands. */
export interface Place {
  readonly message: number;
  readonly part: number;
}

/** A call and its result, or one part that belongs to no call. Opened as a whole, then filled. */
export interface Thing {
  readonly kind: 'text' | 'call' | 'media' | 'other';
  readonly places: readonly Place[];
  readonly tool: ToolKind;
  /** The file that the call works on. */
  readonly file: string | undefined;
  readonly isError: boolean;
  /** Stays as it is or not at all. */
  readonly fixed: boolean;
}

type Draft = { -readonly [Key in keyof Thing]: Thing[Key] } & { readonly places: Place[] };

/** What is known of one call's id: halves that wait for the other, oldest first, and pairs by the message of their call. */
interface Known {
  readonly waiting: Draft[];
  next: number;
  /** Whether calls wait, or results; never both. */
  areCalls: boolean;
  readonly pairs: { readonly call: number; readonly draft: Draft }[];
}

/** Brings calls and results together, as `pairUp` and `unitsOf` do with the messages they stand in. */
class Pairing {
  readonly #byId = new Map<string, Known>();

  /** The half that a new one completes; without any, the new one waits, as `draft` makes it. */
  meet(id: string, isCall: boolean, place: Place, draft: () => Draft): Draft {
    let known = this.#byId.get(id);
    if (known === undefined) {
      known = { waiting: [], next: 0, areCalls: isCall, pairs: [] };
      this.#byId.set(id, known);
    }
    const half = known.areCalls === isCall ? undefined : known.waiting[known.next];
    if (half === undefined) {
      known.areCalls = isCall;
      const made = draft();
      known.waiting.push(made);
      return made;
    }
    known.next += 1;
    known.pairs.push({ call: isCall ? place.message : half.places[0]!.message, draft: half });
    half.places.push(place);
    return half;
  }

  /** Joins each half that is left to the nearest earlier pair of its id, else to the first. Says which it joined. */
  joinSurplus(): ReadonlySet<Draft> {
    const joined = new Set<Draft>();
    for (const { waiting, next, pairs } of this.#byId.values()) {
      let at = 0;
      for (const half of pairs.length === 0 ? [] : waiting.slice(next)) {
        while (at + 1 < pairs.length && pairs[at + 1]!.call <= half.places[0]!.message) at += 1;
        const { draft } = pairs[at]!;
        draft.places.push(...half.places);
        draft.fixed ||= half.fixed;
        draft.isError ||= half.isError;
        joined.add(half);
      }
    }
    return joined;
  }
}

/** Parts of a message in the order in which they are paired: calls before results, wherever they stand. */
function inOrder(parts: readonly Part[], message: number): readonly (readonly [Part, Place])[] {
  const placed = parts.map((part, index): readonly [Part, Place] => [part, { message, part: index }]);
  const firstResult = parts.findIndex(({ kind }) => kind === 'result');
  if (firstResult < 0 || parts.findLastIndex(({ kind }) => kind === 'call') < firstResult) return placed;
  return [...placed.filter(([{ kind }]) => kind === 'call'), ...placed.filter(([{ kind }]) => kind !== 'call')];
}

/**
 * The things of a conversation in order of their first part; thinking belongs to none. A call takes the first free result of
 * its id; a surplus half goes with a pair of its id, a half without any is a thing. So no thing reaches beyond a unit.
 */
export function thingsOf(parts: readonly (readonly Part[])[]): readonly Thing[] {
  const drafts: Draft[] = [];
  const pairing = new Pairing();
  const make = (kind: Thing['kind'], place: Place): Draft => {
    const draft: Draft = { kind, places: [place], tool: 'other', file: undefined, isError: false, fixed: false };
    drafts.push(draft);
    return draft;
  };
  parts.forEach((list, message) => {
    for (const [part, place] of inOrder(list, message)) {
      const { kind, callId: id = '' } = part;
      if (kind === 'thinking') continue;
      if (kind !== 'call' && kind !== 'result') {
        make(kind, place).fixed = part.fixed;
        continue;
      }
      const draft = pairing.meet(id, kind === 'call', place, () => make('call', place));
      draft.fixed ||= part.fixed;
      draft.isError ||= part.isError === true;
      if (kind === 'result') continue;
      draft.tool = toolKindOf(part.name ?? '');
      draft.file ??= part.fields.find(({ key }) => isFileKey(key))?.text;
    }
  });
  const joined = pairing.joinSurplus();
  return joined.size === 0 ? drafts : drafts.filter((draft) => !joined.has(draft));
}
