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

/** Halves that wait for the other, oldest first, by the id of their call. */
class Halves {
  readonly #byId = new Map<string, { readonly drafts: Draft[]; next: number }>();

  put(id: string, draft: Draft): void {
    const halves = this.#byId.get(id);
    if (halves === undefined) this.#byId.set(id, { drafts: [draft], next: 0 });
    else halves.drafts.push(draft);
  }

  take(id: string): Draft | undefined {
    const halves = this.#byId.get(id);
    return halves === undefined ? undefined : halves.drafts[halves.next++];
  }
}

/**
 * The things of a conversation in order of their first part; thinking belongs to none. A call takes the first free result of
 * its id, as `pairUp` does; a surplus half of a known id goes with the newest pair of it, a half without any is a thing.
 */
export function thingsOf(parts: readonly (readonly Part[])[]): readonly Thing[] {
  const drafts: Draft[] = [];
  const openCalls = new Halves();
  const earlyResults = new Halves();
  const newest = new Map<string, Draft>();
  const make = (kind: Thing['kind'], place: Place): Draft => {
    const draft: Draft = { kind, places: [place], tool: 'other', file: undefined, isError: false, fixed: false };
    drafts.push(draft);
    return draft;
  };
  const call = (part: Part, id: string, place: Place): Draft => {
    let draft = earlyResults.take(id);
    if (draft === undefined) {
      draft = make('call', place);
      openCalls.put(id, draft);
    } else {
      draft.places.push(place);
    }
    draft.tool = toolKindOf(part.name ?? '');
    draft.file ??= part.fields.find(({ key }) => isFileKey(key))?.text;
    newest.set(id, draft);
    return draft;
  };
  const result = (part: Part, id: string, place: Place): Draft => {
    let draft = openCalls.take(id) ?? newest.get(id);
    if (draft === undefined) {
      draft = make('call', place);
      earlyResults.put(id, draft);
    } else {
      draft.places.push(place);
    }
    draft.isError ||= part.isError === true;
    return draft;
  };
  parts.forEach((list, message) => {
    list.forEach((part, index) => {
      const place = { message, part: index };
      const id = part.callId ?? '';
      let draft: Draft;
      if (part.kind === 'thinking') return;
      if (part.kind === 'call') draft = call(part, id, place);
      else if (part.kind === 'result') draft = result(part, id, place);
      else draft = make(part.kind, place);
      draft.fixed ||= part.fixed;
    });
  });
  return drafts;
}
