/**
 * The archived turns nearest to a question: an index in memory, of the projects that were asked about, over vectors that were made
 * for other ends, as when a session was followed. A turn's text is not kept; what the store no longer has is not found.
 */
import type { MemoryDatabase } from '../ports/memory.ts';
import type { TurnRange, TurnText, TurnTexts } from '../ports/turns.ts';
import { isSpoken } from '../scoring/spoken.ts';
import { deadlineIn, giveWay } from './deadline.ts';
import { type VectorHit, VectorIndex } from './vector-index.ts';

/** Ids per step of following the store: a few milliseconds each. */
const STEP_IDS = 64;
/** Longer texts are what tools printed; and of these only parts are embedded, so that their vectors would be hard to find. */
const MAX_BYTES = 40_960;
/** Turns of a project that are looked at, the newest. */
const MAX_TURNS = 50_000;
/** With more vectors the index starts over: about 80 MB with the default model. */
const MAX_VECTORS = 100_000;
/** Turns of a project that may get a vector when there is nothing better to do, the newest. */
const MAX_OPEN = 2_000;

/** What the index needs of others. */
export interface TurnSources {
  readonly store: Pick<MemoryDatabase, 'turnTexts'>;
  readonly dim: number;
  /** The vectors of texts that were embedded before, in order. Called with a few at a time. */
  readonly vectorsOf: (texts: readonly string[]) => readonly (Float32Array | undefined)[];
  readonly bounds?: Partial<Record<'maxTurns' | 'maxVectors' | 'maxOpen', number>>;
}

export interface NearestTurns {
  /** Takes over what is new of a project, at least one step of it, the newest first. False: there is more. Rejects as the store does. */
  refresh(project: string, deadlineMs: number): Promise<boolean>;
  /** The turns of a project most like a question, best first. */
  similar(vector: Float32Array, project: string, limit: number): Promise<VectorHit[]>;
  /**
   * Takes up to `count` turns that have no vector yet and should have one, the newest first. They are not given again: those that get
   * none now are done without.
   */
  takeOpen(project: string, count: number, deadlineMs: number): Promise<readonly TurnText[]>;
  vectorOf(id: number): Float32Array | undefined;
  put(project: string, id: number, vector: Float32Array): void;
  /** Vectors held. */
  size(): number;
}

interface Followed {
  readonly project: string;
  readonly scope: number;
  /** Ids above `bottom` and up to `top` were looked at; −1 before the first look. */
  top: number;
  bottom: number;
  /** Turns looked at. */
  count: number;
  /** Without a vector, the newest last. */
  open: number[];
}

/** An index that is empty until it is told of a project. */
export function nearestTurns({ store, dim, vectorsOf, bounds = {} }: TurnSources): NearestTurns {
  const { maxTurns = MAX_TURNS, maxVectors = MAX_VECTORS, maxOpen = MAX_OPEN } = bounds;
  let index = new VectorIndex(dim);
  let followed = new Map<string, Followed>();
  let storeId: string | undefined;

  function startOver(): void {
    index = new VectorIndex(dim);
    followed = new Map();
  }

  function take(state: Followed, turns: readonly TurnText[], isNew: boolean): void {
    const vectors = vectorsOf(turns.map(({ text }) => text));
    const open: number[] = [];
    for (const [place, { id, role, text }] of turns.entries()) {
      const vector = vectors[place];
      if (vector !== undefined) index.put(id, vector, state.scope, 0);
      // What has just been said may be about to be embedded.
      else if (isNew || isSpoken(role, text)) open.push(id);
    }
    state.count += turns.length;
    state.open = isNew ? [...state.open, ...open].slice(-maxOpen) : [...open, ...state.open].slice(-maxOpen);
  }

  /** Undefined where the index started over meanwhile. */
  async function read(
    state: Followed,
    range: Pick<TurnRange, 'above' | 'upTo'>,
    ms: number,
  ): Promise<TurnTexts | undefined> {
    const { project } = state;
    const texts = await store.turnTexts({ project, ...range, maxBytes: MAX_BYTES }, ms);
    if (texts.storeId !== storeId) startOver();
    storeId = texts.storeId;
    return followed.get(project) === state ? texts : undefined;
  }

  /** One step; true if there is no more. */
  async function step(state: Followed, ms: number): Promise<boolean> {
    const { top, bottom } = state;
    const above = await read(state, { above: top, upTo: top < 0 ? top : top + STEP_IDS }, ms);
    if (above === undefined) return false;
    if (top < 0) {
      // The first look: from here on up what is new, and down what was there.
      state.top = state.bottom = above.newest;
    } else if (top < above.newest) {
      take(state, above.turns, true);
      state.top = Math.min(top + STEP_IDS, above.newest);
    } else if (bottom > 0 && state.count < maxTurns) {
      const upTo = bottom;
      const below = await read(state, { above: Math.max(0, upTo - STEP_IDS), upTo }, ms);
      if (below === undefined) return false;
      take(state, below.turns, false);
      state.bottom = Math.max(0, upTo - STEP_IDS);
    } else {
      return true;
    }
    if (index.size > maxVectors) startOver();
    return false;
  }

  return {
    refresh: async (project, deadlineMs) => {
      const deadline = deadlineIn(deadlineMs);
      for (;;) {
        const known = followed.get(project);
        const state = known ?? { project, scope: followed.size + 1, top: -1, bottom: 0, count: 0, open: [] };
        if (known === undefined) followed.set(project, state);
        if (await step(state, deadline.left())) return true;
        if (deadline.left() === 0) return false;
        await giveWay();
      }
    },
    similar: async (vector, project, limit) => {
      const scope = followed.get(project)?.scope;
      if (scope === undefined) return [];
      return (await index.search([{ vector, scope, trust: 0 }], limit))[0] ?? [];
    },
    takeOpen: async (project, count, deadlineMs) => {
      const state = followed.get(project);
      const ids = state?.open.splice(-count).reverse() ?? [];
      const turns: TurnText[] = [];
      for (const id of ids) {
        const range = { project, above: id - 1, upTo: id, maxBytes: MAX_BYTES };
        turns.push(...(await store.turnTexts(range, deadlineMs)).turns);
      }
      return turns;
    },
    vectorOf: (id) => index.vectorOf(id),
    put: (project, id, vector) => {
      const scope = followed.get(project)?.scope;
      if (scope !== undefined) index.put(id, vector, scope, 0);
    },
    size: () => index.size,
  };
}
