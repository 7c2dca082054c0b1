/** What changed in the ledger of directives since somebody last read it. */
import { activeDirectives, type Directive } from './directives.ts';

export interface DirectiveChange {
  readonly id: number;
  readonly text: string;
  /** False: it did, and does not any more. */
  readonly holds: boolean;
}

/** The entry at the beginning of the chain that this one continues. */
function originOf({ id, replaces }: Directive, byId: ReadonlyMap<number, Directive>): number {
  const seen = new Set([id]);
  let [at, next] = [id, replaces];
  while (next !== undefined && !seen.has(next)) {
    at = next;
    seen.add(at);
    next = byId.get(at)?.replaces;
  }
  return at;
}

/**
 * Changes by entries newer than number `told`, in the order of the ledger: what holds now, and what was known and holds no
 * longer. What came and went in between is left out.
 */
export function changesSince(ledger: readonly Directive[], told: number): DirectiveChange[] {
  const active = new Set(activeDirectives(ledger).map(({ id }) => id));
  const byId = new Map(ledger.map((entry) => [entry.id, entry]));
  return ledger.flatMap((entry): DirectiveChange[] => {
    const { id, text, status } = entry;
    if (id <= told) return [];
    if (active.has(id)) return [{ id, text, holds: true }];
    const isEnd = status === 'revoked' || status === 'superseded';
    return isEnd && originOf(entry, byId) <= told ? [{ id, text, holds: false }] : [];
  });
}
