/**
 * Archived turns of projects with a live session, such as those of an ingested history, get vectors when there is nothing better to
 * do: the newest first, half of the time at most, and of each project as many as the index lists as open, once.
 */
import { performance } from 'node:perf_hooks';
import { isSpoken } from '../scoring/spoken.ts';
import type { Complaints } from './complaints.ts';
import type { Turns } from './parts.ts';
import type { Vectors } from './vectors.ts';

const TOPIC = 'turns could not be given vectors';
const BATCH = 8;
const LEAST_PAUSE_MS = 1_000;
/** Before the first look, and between looks that found nothing to do. */
const IDLE_PAUSE_MS = 10_000;
const STORE_WITHIN_MS = 2_000;
/** A session that asked nothing for so long is over, or nobody is in a hurry. */
const LIVE_MS = 30 * 60_000;

export class TurnFill {
  readonly #vectors: Vectors;
  readonly #turns: Turns;
  readonly #complaints: Complaints;
  readonly #owner = {};
  /** When a session of the project was last heard of. */
  readonly #live = new Map<string, number>();
  readonly #idleMs: number;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: {
    readonly vectors: Vectors;
    readonly turns: Turns;
    readonly complaints: Complaints;
    readonly everyMs?: number | undefined;
  }) {
    this.#vectors = options.vectors;
    this.#turns = options.turns;
    this.#complaints = options.complaints;
    this.#idleMs = options.everyMs ?? IDLE_PAUSE_MS;
  }

  /** A session of the project asks: what is archived of it is followed from now on. */
  live(project: string): void {
    if (this.#closed) return;
    this.#live.delete(project);
    this.#live.set(project, performance.now());
    // Not now: whoever asks comes first.
    this.#timer ??= this.#later(this.#idleMs);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #later(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.#round(), ms).unref();
  }

  async #round(): Promise<void> {
    const startedAt = performance.now();
    let filled = 0;
    try {
      filled = await this.#fill(startedAt);
      this.#complaints.clear(TOPIC);
    } catch (error) {
      this.#complaints.about(TOPIC, error);
    }
    if (this.#closed) return;
    const tookMs = performance.now() - startedAt;
    const pauseMs = filled > 0 ? Math.max(Math.min(LEAST_PAUSE_MS, this.#idleMs), tookMs) : this.#idleMs;
    this.#timer = this.#live.size === 0 ? undefined : this.#later(pauseMs);
  }

  /** How many turns were looked at. */
  async #fill(now: number): Promise<number> {
    for (const [project, at] of this.#live) if (now - at > LIVE_MS) this.#live.delete(project);
    // The one that was heard of last comes first.
    for (const project of [...this.#live.keys()].reverse()) {
      await this.#turns.follow(project, STORE_WITHIN_MS);
      if (this.#closed || !this.#vectors.isReady || !this.#vectors.isIdle) return 0;
      const open = await this.#turns.takeOpen(project, BATCH, STORE_WITHIN_MS);
      if (open.length === 0) continue;
      await this.#embed(project, open);
      return open.length;
    }
    return 0;
  }

  async #embed(project: string, open: Awaited<ReturnType<Turns['takeOpen']>>): Promise<void> {
    const prepared = await this.#vectors.prepare(open.map(({ text }) => text));
    // Those that were embedded meanwhile have theirs, whatever they are.
    const known = await this.#vectors.known(prepared);
    const worth = prepared.filter((_, place) => {
      const turn = open[place];
      return !known[place] && turn !== undefined && isSpoken(turn.role, turn.text);
    });
    const wanted = await this.#vectors.want(worth, 'warm', this.#owner);
    await wanted.complete;
    const made = new Map(worth.map(({ hash }, place) => [hash, wanted.vectors[place]]));
    for (const [place, { id }] of open.entries()) {
      const vector = known[place] ?? made.get(prepared[place]?.hash ?? '');
      if (vector) this.#turns.put(project, id, vector);
    }
  }
}
