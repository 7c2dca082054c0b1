/** What changed in the ledger of directives since somebody last read it. */
import { activeDirectives, type Directive, originsIn } from './directives.ts';

export interface DirectiveChange {
  readonly id: number;
  readonly text: string;
  /** False: it did, and does not any more. */
  readonly holds: boolean;
}

/**
 * Changes by entries newer than number `told`, in the order of the ledger: what holds now, and what was known and holds no
 * longer. What came and went in between is left out, as is what was only ever proposed, or has lost its text.
 */
export function changesSince(ledger: readonly Directive[], told: number): DirectiveChange[] {
  const originOf = originsIn(ledger);
  const active = new Set(activeDirectives(ledger).map(({ id }) => id));
  const known = new Set(activeDirectives(ledger.filter(({ id }) => id <= told)).map(({ id }) => originOf(id)));
  return ledger.flatMap(({ id, text, status }): DirectiveChange[] => {
    if (id <= told || text === '') return [];
    if (active.has(id)) return [{ id, text, holds: true }];
    const isEnd = status === 'revoked' || status === 'superseded' || status === 'expired';
    return isEnd && known.has(originOf(id)) ? [{ id, text, holds: false }] : [];
  });
}
