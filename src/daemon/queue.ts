/**
 * What the embedder works on next. The most urgent kind of work first, and within one kind the clients in turn, so that one with
 * a thousand texts does not hold up another with one. The same text wanted twice is embedded once.
 */
import type { Prepared } from './texts.ts';

/** `recall`: a client that is not compacting; `memory`: memories without vectors; `warm`: ahead of time. */
export type WorkKind = 'query' | 'score' | 'recall' | 'memory' | 'warm';
/** Most urgent first. */
const KINDS: readonly WorkKind[] = ['query', 'score', 'recall', 'memory', 'warm'];

/** One of a kind is begun while fewer than this are at work, of whatever kind. Urgent work need not wait for background work to end: the embedder shares its threads run by run. */
const MOST_AT_WORK: Readonly<Record<WorkKind, number>> = { query: 4, score: 2, recall: 2, memory: 1, warm: 1 };

/** What may wait as background work; the oldest goes first when it is more. */
const MAX_WARM_TEXTS = 2_000;
const MAX_WARM_CHARS = 16_000_000;

/** One text at a time. Rejects when aborted. */
export type EmbedOne = (text: Prepared, kind: WorkKind, signal: AbortSignal) => Promise<Float32Array | undefined>;

/** A wish for a vector. */
export interface Ticket {
  /** undefined: the text has none, or nobody waits for it any more. Never rejects. */
  readonly vector: Promise<Float32Array | undefined>;
  /** Nobody waits any more. `later`: embed it when there is nothing better to do; else it is dropped unless another wants it. */
  leave(what: 'drop' | 'later'): void;
}

interface Wish {
  readonly settle: (vector: Float32Array | undefined) => void;
}

interface Work {
  readonly text: Prepared;
  readonly key: string;
  kind: WorkKind;
  /** Which place in a queue is meant; others with this work in them are old. */
  place: object | undefined;
  readonly wishes: Set<Wish>;
  running: AbortController | undefined;
}

interface Place {
  readonly work: Work;
}

/** Work of one kind, by owner; owners take turns. */
class Turns {
  readonly #byOwner = new Map<unknown, { places: Place[]; at: number }>();

  add(owner: unknown, place: Place): void {
    const line = this.#byOwner.get(owner);
    if (line) line.places.push(place);
    else this.#byOwner.set(owner, { places: [place], at: 0 });
  }

  /** The next that still counts. */
  next(): Work | undefined {
    for (const [owner, line] of this.#byOwner) {
      this.#byOwner.delete(owner);
      let place = line.places[line.at++];
      while (place && place.work.place !== place) place = line.places[line.at++];
      if (line.at < line.places.length) this.#byOwner.set(owner, line);
      if (place) return place.work;
    }
    return undefined;
  }
}

const BACKGROUND: unknown = 'background';

export class EmbedQueue {
  readonly #embed: EmbedOne;
  readonly #turns: Record<WorkKind, Turns> = {
    query: new Turns(),
    score: new Turns(),
    recall: new Turns(),
    memory: new Turns(),
    warm: new Turns(),
  };
  readonly #work = new Map<string, Work>();
  /** Background work that waits, oldest first. */
  readonly #warm = new Set<Work>();
  #warmChars = 0;
  #running = 0;
  #open = false;

  constructor(embed: EmbedOne) {
    this.#embed = embed;
  }

  /** Before this nothing is embedded: the model is being loaded. */
  open(): void {
    this.#open = true;
    this.#begin();
  }

  /** Nothing is begun any more, and nobody has to wait. */
  close(): void {
    this.#open = false;
    for (const work of this.#work.values()) {
      work.running?.abort();
      this.#forget(work);
    }
  }

  get isIdle(): boolean {
    return this.#work.size === 0;
  }

  /** How many texts wait or are at work, by kind. */
  get lengths(): Record<WorkKind, number> {
    const lengths = { query: 0, score: 0, recall: 0, memory: 0, warm: 0 };
    for (const { kind } of this.#work.values()) lengths[kind]++;
    return lengths;
  }

  /** Asks for the vector of a text. `owner` is whoever takes turns with others: a client. */
  want(text: Prepared, kind: WorkKind, owner: unknown): Ticket {
    const work = this.#place(text, kind, owner);
    let wish: Wish | undefined;
    const vector = new Promise<Float32Array | undefined>((resolve) => {
      wish = { settle: resolve };
      work.wishes.add(wish);
    });
    this.#begin();
    return {
      vector,
      leave: (what) => {
        if (!wish || !work.wishes.delete(wish)) return;
        wish.settle(undefined);
        if (work.wishes.size > 0) return;
        // What is at work already is almost done: for later it may go on. A question is not asked again.
        if (what === 'later' && work.kind !== 'query') this.#toBackground(work);
        else if (work.kind !== 'warm') this.#drop(work);
      },
    };
  }

  /** Embeds it when there is nothing better to do. */
  warm(text: Prepared): void {
    const work = this.#work.get(keyOf(text, 'warm')) ?? this.#place(text, 'warm', BACKGROUND);
    if (work.kind === 'warm') this.#bound(work);
    this.#begin();
  }

  #place(text: Prepared, kind: WorkKind, owner: unknown): Work {
    const key = keyOf(text, kind);
    const known = this.#work.get(key);
    const work: Work = known ?? { text, key, kind, place: undefined, wishes: new Set(), running: undefined };
    this.#work.set(key, work);
    if (known && KINDS.indexOf(known.kind) <= KINDS.indexOf(kind)) return known;
    this.#unwarm(work);
    work.kind = kind;
    if (!work.running) this.#enqueue(work, owner);
    return work;
  }

  #enqueue(work: Work, owner: unknown): void {
    const place: Place = { work };
    work.place = place;
    this.#turns[work.kind].add(owner, place);
  }

  #toBackground(work: Work): void {
    if (work.running || work.kind === 'warm') return;
    work.kind = 'warm';
    this.#enqueue(work, BACKGROUND);
    this.#bound(work);
    this.#begin();
  }

  /** Counts background work, and lets the oldest go when there is too much. */
  #bound(work: Work): void {
    if (this.#warm.has(work) || work.running) return;
    this.#warm.add(work);
    this.#warmChars += work.text.text.length;
    for (const oldest of this.#warm) {
      if (this.#warm.size <= MAX_WARM_TEXTS && this.#warmChars <= MAX_WARM_CHARS) return;
      this.#drop(oldest);
    }
  }

  #unwarm(work: Work): void {
    if (this.#warm.delete(work)) this.#warmChars -= work.text.text.length;
  }

  #drop(work: Work): void {
    if (work.running) work.running.abort();
    else this.#forget(work);
  }

  #forget(work: Work, vector?: Float32Array): void {
    this.#unwarm(work);
    work.place = undefined;
    this.#work.delete(work.key);
    for (const wish of work.wishes) wish.settle(vector);
    work.wishes.clear();
  }

  #begin(): void {
    for (let work = this.#next(); work; work = this.#next()) void this.#run(work);
  }

  #next(): Work | undefined {
    for (const kind of KINDS) {
      if (!this.#open || this.#running >= MOST_AT_WORK[kind]) return undefined;
      const work = this.#turns[kind].next();
      if (work) return work;
    }
    return undefined;
  }

  async #run(work: Work): Promise<void> {
    const controller = new AbortController();
    work.place = undefined;
    work.running = controller;
    this.#unwarm(work);
    this.#running++;
    let vector: Float32Array | undefined;
    try {
      vector = await this.#embed(work.text, work.kind, controller.signal);
    } catch {
      // Aborted, or the model has failed, which whoever embeds has logged: there is no vector this time.
    }
    this.#running--;
    this.#forget(work, vector);
    this.#begin();
  }
}

/** Queries are embedded in another way than passages. */
function keyOf(text: Prepared, kind: WorkKind): string {
  return kind === 'query' ? `query ${text.hash}` : text.hash;
}
