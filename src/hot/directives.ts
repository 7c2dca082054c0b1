/** Which directives hold, read off a ledger that only ever grows. */

/**
 * What an entry says: a directive is `proposed` or `accepted`; a later entry that names it in `replaces` changes it
 * (`amended`, with the new text, or `accepted`), or ends it (`revoked`, `superseded`).
 */
export type DirectiveStatus = 'proposed' | 'accepted' | 'amended' | 'revoked' | 'superseded';

export interface Directive {
  readonly id: number;
  readonly text: string;
  readonly status: DirectiveStatus;
  /** The entry whose place this one takes. */
  readonly replaces: number | undefined;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
}

/** Tells the entry at the beginning of the chain that an entry ends; a ring of entries counts as one directive. */
function originsIn(entries: readonly Directive[]): (id: number) => number {
  const replaces = new Map<number, number>();
  for (const { id, replaces: older } of entries) if (older !== undefined) replaces.set(id, older);
  const known = new Map<number, number>();
  return (id) => {
    const path = new Set<number>();
    let at = id;
    while (!path.has(at) && !known.has(at)) {
      path.add(at);
      const next = replaces.get(at);
      if (next === undefined) break;
      at = next;
    }
    const origin = known.get(at) ?? at;
    for (const one of path) known.set(one, origin);
    return origin;
  };
}

function newestFirst(a: Directive, b: Directive): number {
  return b.createdMs - a.createdMs || b.id - a.id;
}

/**
 * The directives that hold: accepted or amended ones, newest first. An amended one stands in for its origin, however many
 * amendments lie between. The newest entry about a directive decides, but for a proposal: until it is accepted, what it
 * would replace goes on. What was revoked or superseded never comes back by itself. The same objects; linear but for the
 * sorting; any order of entries, unknown ids and rings in `replaces` are fine.
 */
export function activeDirectives<Entry extends Directive>(entries: readonly Entry[]): Entry[] {
  const originOf = originsIn(entries);
  const decided = new Set<number>();
  return [...entries].sort(newestFirst).filter(({ id, status }) => {
    if (status === 'proposed') return false;
    const origin = originOf(id);
    if (decided.has(origin)) return false;
    decided.add(origin);
    return status === 'accepted' || status === 'amended';
  });
}

/** The active directive that entry `id` began, changed or is; undefined if there is no such entry, or it holds no longer. */
export function activeFor<Entry extends Directive>(entries: readonly Entry[], id: number): Entry | undefined {
  const originOf = originsIn(entries);
  if (!entries.some((entry) => entry.id === id)) return undefined;
  return activeDirectives(entries).find((active) => originOf(active.id) === originOf(id));
}
