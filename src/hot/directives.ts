/** Which directives hold, read off a ledger that only ever grows. */

/**
 * What an entry says: a directive is `proposed` or `accepted`; a later entry that names it in `replaces` changes it
 * (`amended`, with the new text, or `accepted`), or ends it (`revoked`, `superseded`, `expired`). `removed` says that the
 * text of the entry it names was taken away.
 */
export type DirectiveStatus = 'proposed' | 'accepted' | 'amended' | 'revoked' | 'superseded' | 'expired' | 'removed';

export interface Directive {
  readonly id: number;
  /** Empty: it was taken away. */
  readonly text: string;
  readonly status: DirectiveStatus;
  /** The entry whose place this one takes. */
  readonly replaces: number | undefined;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
}

/** For each id, tells the entry at the beginning of the chain that an entry ends; a ring of entries counts as one directive. */
export function originsIn(entries: readonly Directive[]): (id: number) => number {
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

function isYes({ status }: Directive): boolean {
  return status === 'accepted' || status === 'amended';
}

/** Whether an entry says what becomes of the one that it names: a proposal waits, and what was removed changes no other entry. */
function decides({ status }: Directive): boolean {
  return status !== 'proposed' && status !== 'removed';
}

/** The entries that only turn a proposal down: what it would have replaced goes on. */
function refusalsIn(entries: readonly Directive[]): ReadonlySet<Directive> {
  const proposals = new Set(entries.filter(({ status }) => status === 'proposed').map(({ id }) => id));
  for (const entry of entries) if (isYes(entry) && entry.replaces !== undefined) proposals.delete(entry.replaces);
  return new Set(
    entries.filter((entry) => decides(entry) && !isYes(entry) && proposals.has(entry.replaces ?? Number.NaN)),
  );
}

/**
 * The directives that hold: accepted or amended ones, newest first. An amended one stands in for its origin, however many
 * amendments lie between. The newest entry about a directive decides, but for a proposal: until it is accepted, what it
 * would replace goes on. What was revoked, superseded or has expired never comes back by itself, and a rule whose text was
 * removed holds no longer. The same objects; linear but for the sorting; any order of entries, unknown ids and rings in
 * `replaces` are fine.
 */
export function activeDirectives<Entry extends Directive>(entries: readonly Entry[]): Entry[] {
  const originOf = originsIn(entries);
  const refusals = refusalsIn(entries);
  const decided = new Set<number>();
  return [...entries].sort(newestFirst).filter((entry) => {
    if (!decides(entry) || refusals.has(entry)) return false;
    const origin = originOf(entry.id);
    if (decided.has(origin)) return false;
    decided.add(origin);
    return isYes(entry) && entry.text !== '';
  });
}

/** The proposals that nobody has answered, newest first. The same objects. */
export function openProposals<Entry extends Directive>(entries: readonly Entry[]): Entry[] {
  const answered = new Set(entries.filter(decides).map(({ replaces }) => replaces));
  return entries
    .filter(({ id, status, text }) => status === 'proposed' && text !== '' && !answered.has(id))
    .sort(newestFirst);
}

/** Every entry about the directive that entry `id` began, changed or is, in the order of the ledger; empty if there is none. */
export function chainOf<Entry extends Directive>(entries: readonly Entry[], id: number): Entry[] {
  const originOf = originsIn(entries);
  if (!entries.some((entry) => entry.id === id)) return [];
  return entries.filter((entry) => originOf(entry.id) === originOf(id)).sort((a, b) => a.id - b.id);
}
