/**
 * The daemon: one per endpoint, started when needed, ends by itself. Its life: folder, lock, socket, model; then requests; then it
 * hides its socket, lets go of the lock, finishes what it has, and writes down what it made.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '../platform/small-file.ts';
import { type Hello, isNewer, PROTOCOL, type Request } from '../protocol/frames.ts';
import { Complaints } from './complaints.ts';
import { TurnFill } from './fill-turns.ts';
import { MemoryFill } from './fill.ts';
import { Followers } from './follow.ts';
import { type Listener, listen } from './listen.ts';
import { takeLock } from './lock.ts';
import type { Ended, ServerOptions } from './options.ts';
import { optionalString, ParamError, stringIn } from './params.ts';
import { RequestError } from './peer.ts';
import { PEER_LIMITS, Peers } from './peers.ts';
import { ensureFolder } from './places.ts';
import { type Call, type Result, vectorVerbs } from './score.ts';
import { clearAttempts } from './start.ts';
import { sweepOld } from './sweep.ts';
import { Vectors } from './vectors.ts';
import { within } from './waiting.ts';

const STUCK_AFTER_MS = 120_000;
const FOLLOW_EVERY_MS = 1_000;
const TICK_MS = 1_000;
/** Requests that are at work when the end comes have this long; so has writing down. */
const FINISH_MS = 5_000;
/** A client that has just connected may ask in this time. */
const LINGER_MS = 100;
/** A daemon that lives so long has not failed to start. */
const PROVEN_AFTER_MS = 30_000;

class Server {
  readonly #options: ServerOptions;
  readonly #complaints: Complaints;
  readonly #vectors: Vectors;
  readonly #fill: MemoryFill | undefined;
  readonly #turnFill: TurnFill | undefined;
  readonly #followers: Followers;
  readonly #peers: Peers;
  readonly #verbs: ReturnType<typeof vectorVerbs>;
  readonly #startedAt: number = performance.now();
  #activeAt: number = performance.now();
  #served = 0;
  #proven = false;
  #end: (how: Ended) => void = () => undefined;
  /** Resolves when it is time to end. */
  readonly over: Promise<Ended> = new Promise((resolve) => (this.#end = resolve));

  constructor(options: ServerOptions) {
    const { embedding, memories, readTexts, log, stuckAfterMs = STUCK_AFTER_MS } = options;
    this.#options = options;
    const reason = `an embedding did not come back within ${stuckAfterMs} ms`;
    this.#complaints = new Complaints(log);
    const complaints = this.#complaints;
    this.#vectors = new Vectors({
      embedding,
      complaints,
      stuckAfterMs,
      onStuck: () => this.end({ state: 'failed', reason }),
    });
    this.#fill = memories && new MemoryFill(this.#vectors, memories, complaints);
    const turns = memories?.turns;
    this.#turnFill =
      turns && new TurnFill({ vectors: this.#vectors, turns, complaints, everyMs: options.fillTurnsEveryMs });
    this.#followers = new Followers({
      readTexts,
      log,
      everyMs: options.followEveryMs ?? FOLLOW_EVERY_MS,
      warm: async (texts) => void (await this.#vectors.warm(await this.#vectors.prepare(texts))),
      onChange: () => this.#touch(),
    });
    this.#verbs = vectorVerbs({ vectors: this.#vectors, memories, complaints, fill: async () => this.#fill?.ask() });
    this.#peers = new Peers(
      (request, signal, peer) => this.#answer(request, signal, peer),
      options.peerLimits ?? PEER_LIMITS,
    );
  }

  end(how: Ended): void {
    this.#end(how);
  }

  /** Takes requests until it is over, then finishes. The lock is held; `letGo` releases it. */
  async serve(letGo: () => void): Promise<Ended> {
    const { endpoint, log, signal, follow } = this.#options;
    const listener = await listen(endpoint, (socket) => this.#peers.add(socket, this.#hello));
    // Whatever ends the process: nobody should find a socket without a server.
    process.once('exit', listener.hide);
    const tick = setInterval(() => this.#tick(listener), Math.min(TICK_MS, this.#options.idleMs / 4));
    signal?.addEventListener('abort', () => this.end({ state: 'ended' }));
    if (signal?.aborted) this.end({ state: 'ended' });
    if (follow !== undefined) this.#followers.follow(follow, undefined);
    void this.#load();
    void sweepOld(endpoint, Date.now());
    const how = await this.over;
    clearInterval(tick);
    listener.hide();
    process.off('exit', listener.hide);
    if (how.state === 'ended') clearAttempts(endpoint);
    // Before the lock goes: closing removes the name it was bound under, which the next daemon may be using then.
    await listener.close();
    letGo();
    await this.#finish(how);
    log(
      `daemon ended after ${Math.round((performance.now() - this.#startedAt) / 1_000)} s and ${this.#served} requests`,
    );
    return how;
  }

  get #hello(): Hello {
    const { build, embedding } = this.#options;
    return { chitta: PROTOCOL, build, model: embedding.model, state: this.#vectors.isReady ? 'ready' : 'warming' };
  }

  #touch(): void {
    this.#activeAt = performance.now();
  }

  async #load(): Promise<void> {
    try {
      await this.#vectors.load();
      this.#touch();
      void this.#fill?.ask();
      this.#options.onReady?.();
    } catch (error) {
      this.end({ state: 'failed', reason: reasonOf(error) });
    }
  }

  #tick(listener: Listener): void {
    this.#peers.sweep();
    if (this.#peers.inFlight > 0 || !this.#vectors.isIdle || this.#fill?.isBusy) this.#touch();
    if (!this.#proven && performance.now() - this.#startedAt > PROVEN_AFTER_MS) {
      this.#proven = true;
      clearAttempts(this.#options.endpoint);
    }
    // Someone removed the socket or put another in its place: nobody finds this daemon any more.
    if (performance.now() - this.#activeAt > this.#options.idleMs || !listener.isOurs()) this.end({ state: 'ended' });
  }

  async #answer(request: Request, signal: AbortSignal, owner: object): Promise<Result> {
    const { params, verb } = request;
    this.#touch();
    this.#served++;
    const call: Call = { params, owner, signal, until: performance.now() + request.deadline_ms };
    try {
      const result = await this.#do(verb, call);
      this.#complaints.clear(`${verb} failed`);
      return result;
    } catch (error) {
      if (error instanceof ParamError) throw new RequestError('invalid', error.message);
      if (!(error instanceof RequestError)) this.#complaints.about(`${verb} failed`, error);
      throw error;
    } finally {
      this.#touch();
      // After the answer is on its way.
      if (verb === 'shutdown' || isNewer(request.build, this.#options.build))
        setImmediate(() => this.end({ state: 'ended' }));
    }
  }

  /** Compactions and prompts come from sessions; other questions may be about whatever project. */
  #noteProject(verb: Request['verb'], { params }: Call): void {
    if (verb !== 'score' && params['session'] === undefined) return;
    const project = optionalString(params, 'project');
    if (project !== undefined) this.#turnFill?.live(project);
  }

  async #do(verb: Request['verb'], call: Call): Promise<Result> {
    if (verb === 'recall' || verb === 'score') this.#noteProject(verb, call);
    switch (verb) {
      case 'recall': {
        const transcript = optionalString(call.params, 'transcript');
        if (transcript !== undefined) this.#followers.follow(transcript, optionalString(call.params, 'session'));
        return this.#verbs.recall(call);
      }
      case 'score':
      case 'embed':
      case 'warm':
        return this.#verbs[verb](call);
      case 'follow': {
        const path = stringIn(call.params, 'path');
        if (call.params['stop'] === true) return { stopped: this.#followers.stop(path) };
        this.#followers.follow(path, optionalString(call.params, 'session'));
        return { following: this.#followers.paths.length };
      }
      case 'status':
        return this.#status();
      case 'shutdown':
        return { pid: process.pid };
    }
  }

  #status(): Result {
    const { state, build, model } = this.#hello;
    return {
      pid: process.pid,
      build,
      protocol: PROTOCOL,
      model,
      state,
      uptime_ms: Math.round(performance.now() - this.#startedAt),
      rss_bytes: process.memoryUsage.rss(),
      followed: this.#followers.paths,
      cache_bytes: this.#vectors.bytes,
      embedded: this.#vectors.made,
      queue: this.#vectors.lengths,
      connections: this.#peers.count,
      requests: this.#served,
      memory: this.#options.memories !== undefined,
    };
  }

  async #finish(how: Ended): Promise<void> {
    const { memories, log } = this.#options;
    this.#followers.close();
    this.#fill?.close();
    this.#turnFill?.close();
    const until = performance.now() + FINISH_MS;
    await pause(LINGER_MS);
    while (how.state === 'ended' && this.#peers.inFlight > 0 && performance.now() < until) await pause(10);
    this.#peers.close();
    const close = async (): Promise<void> => {
      await this.#vectors.close();
      await memories?.close();
    };
    const complain = (error: unknown): void => log(`the end was not clean: ${reasonOf(error)}`);
    // A call into the model that hangs cannot be waited for.
    await within(FINISH_MS, close().catch(complain));
    this.#peers.destroy();
  }
}

/** Runs a daemon until it is over. Never rejects. */
export async function runServer(options: ServerOptions): Promise<Ended> {
  const { endpoint, log } = options;
  const ended = await begin(options).catch((error: unknown): Ended => ({
    state: 'impossible',
    reason: reasonOf(error),
  }));
  if ('reason' in ended) log(`daemon ${ended.state}: ${ended.reason} (${endpoint.socket})`);
  return ended;
}

async function begin(options: ServerOptions): Promise<Ended> {
  const flaw = ensureFolder(options.endpoint.folder);
  if (flaw !== undefined) return { state: 'impossible', reason: flaw };
  const lock = await takeLock(options.endpoint.lock);
  if (lock.state === 'busy') return { state: 'busy' };
  if (lock.state === 'impossible') return lock;
  let release = (): void => {
    release = () => undefined;
    lock.release();
  };
  try {
    return await new Server(options).serve(() => release());
  } finally {
    release();
  }
}
