/**
 * The memories nearest to given vectors: an index in memory that follows the store, for a process that stays. It decides
 * which rows may count, looks up what they say, and leaves the judgement to scoring/coverage.
 */
import type { MemoryOrigin } from '../ports/memories.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import { coverageOf, NEAREST } from '../scoring/coverage.ts';
import { withoutProvenance } from '../scoring/novelty.ts';
import { deadlineIn, giveWay } from './deadline.ts';
import { type VectorHit, VectorIndex, type VectorQuery } from './vector-index.ts';

/** Rows per step of following the store: a few milliseconds each. */
const PAGE_ROWS = 250;
/** Comparing what texts say gives way after so long: a turn of some pages takes a millisecond. */
const SLICE_MS = 8;

/** Who may be found by whom: a query finds rows up to its own level. */
const TRUST: { readonly onPurpose: 0; readonly traced: 1; readonly untraced: 2 } = {
  // By a person or the model: covers anything.
  onPurpose: 0,
  // By chitta, from messages that are known: covers other messages.
  traced: 1,
  // By chitta, nobody knows from what: found by recall, never covers.
  untraced: 2,
};

/** A message to be covered. */
export interface CoverageTurn {
  /** Masked. */
  readonly text: string;
  readonly vector: Float32Array | undefined;
  /** Id of the message. Without one, what chitta made by itself may be made from this very message and does not count. */
  readonly sourceId: string | undefined;
}

export interface Nearest {
  /**
   * Takes over what changed in the store, at least one step of it. False: there is more, but the deadline has come; the next
   * call goes on. Rejects as the store does; what was taken over stays.
   */
  refresh(deadlineMs: number): Promise<boolean>;
  /** Coverage of each turn, 0..1, by memories of the project and global ones; undefined without a vector. */
  coverage(
    turns: readonly CoverageTurn[],
    project: string | undefined,
    deadlineMs: number,
  ): Promise<(number | undefined)[]>;
  /** The memories most like a query, best first. */
  similar(vector: Float32Array, project: string | undefined, limit: number): Promise<VectorHit[]>;
  /** Likeness of a memory to a vector; undefined if it has none. */
  cosineTo(id: number, vector: Float32Array): number | undefined;
  /** Vectors held. */
  size(): number;
}

function trustOf(origin: MemoryOrigin, traced: boolean): number {
  if (origin !== 'auto') return TRUST.onPurpose;
  return traced ? TRUST.traced : TRUST.untraced;
}

/** An index over the vectors of one model; empty until refreshed. */
export function nearestMemories(store: MemoryDatabase, model: string, dim: number): Nearest {
  let index = new VectorIndex(dim);
  let storeId: string | undefined;
  let revision = 0;
  // Scope 0 is every project's. A project without rows gets no number of its own.
  const scopes = new Map<string, number>();
  const NOWHERE = 0xffff_ffff;
  const scopeOf = (project: string | undefined): number =>
    project === undefined ? NOWHERE : (scopes.get(project) ?? NOWHERE);
  const scopeFor = (project: string | undefined): number => {
    if (project === undefined) return 0;
    const scope = scopes.get(project) ?? scopes.size + 1;
    scopes.set(project, scope);
    return scope;
  };

  async function textsOf(found: readonly VectorHit[][], deadlineMs: number): Promise<Map<number, string>> {
    const ids = new Set(found.flatMap((hits) => hits.map(({ id }) => id)));
    const memories = ids.size === 0 ? [] : await store.memoriesById([...ids], deadlineMs);
    // It may have been superseded since the index followed.
    const active = memories.filter(({ status }) => status === 'active');
    return new Map(active.map(({ id, kind, text }) => [id, kind === 'novel' ? withoutProvenance(text) : text]));
  }

  return {
    refresh: async (deadlineMs) => {
      const deadline = deadlineIn(deadlineMs);
      for (;;) {
        const changes = await store.changesSince(model, revision, PAGE_ROWS, deadline.left());
        if (changes.storeId !== storeId) {
          const wasOther = storeId !== undefined;
          storeId = changes.storeId;
          if (wasOther) {
            index = new VectorIndex(dim);
            revision = 0;
            continue;
          }
        }
        for (const row of changes.rows) {
          if (row.vector === undefined) index.remove(row.id);
          else index.put(row.id, row.vector, scopeFor(row.project), trustOf(row.origin, row.traced));
          revision = row.revision;
        }
        if (changes.rows.length < PAGE_ROWS) return true;
        if (deadline.left() === 0) return false;
        await giveWay();
      }
    },
    coverage: async (turns, project, deadlineMs) => {
      const deadline = deadlineIn(deadlineMs);
      const ids = turns.flatMap(({ sourceId }) => sourceId ?? []);
      const madeFrom = ids.length === 0 ? undefined : await store.madeFrom(ids, deadline.left());
      const asked = turns.flatMap(({ vector, sourceId }, turn): (VectorQuery & { turn: number })[] => {
        if (vector === undefined) return [];
        const own = sourceId === undefined ? undefined : madeFrom?.get(sourceId);
        const trust = sourceId === undefined ? TRUST.onPurpose : TRUST.traced;
        return [{ turn, vector, scope: scopeOf(project), trust, except: own && new Set(own) }];
      });
      const found = await index.search(asked, NEAREST);
      const texts = await textsOf(found, deadline.left());
      const covered = turns.map((): number | undefined => undefined);
      let sliceEnds = performance.now() + SLICE_MS;
      for (const [query, { turn }] of asked.entries()) {
        const near = (found[query] ?? []).flatMap(({ id, cosine }) => {
          const text = texts.get(id);
          return text === undefined ? [] : [{ cosine, text }];
        });
        covered[turn] = coverageOf(turns[turn]?.text ?? '', near);
        if (performance.now() < sliceEnds) continue;
        await giveWay();
        sliceEnds = performance.now() + SLICE_MS;
      }
      return covered;
    },
    similar: async (vector, project, limit) => {
      const query = { vector, scope: scopeOf(project), trust: TRUST.untraced };
      return (await index.search([query], limit))[0] ?? [];
    },
    cosineTo: (id, vector) => index.cosineTo(id, vector),
    size: () => index.size,
  };
}
