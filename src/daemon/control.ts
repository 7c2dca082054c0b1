/** What a person does with the daemon: see it, start it and wait, stop it and wait, have it work ahead. */
import { setTimeout as pause } from 'node:timers/promises';
import { clipped } from './clip.ts';
import { type AbsenceReason, connect, type Connection, describe, type Outcome } from './client.ts';
import { silentHolder } from './holder.ts';
import { clearAttempts, outputFile, startDaemon, type StartOptions } from './start.ts';

const START_WITHIN_MS = 60_000;
/** One that holds the lock may be busy, or only just beginning or ending. */
const SILENT_WITHIN_MS = 5_000;
const STOP_WITHIN_MS = 15_000;
const ASK_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 50;
const WARM_PART_TEXTS = 20;
/** Warming that comes no further for so long is given up. */
const WARM_STILL_MS = 60_000;

export interface ControlOptions extends StartOptions {
  /** chitta's own version. */
  readonly build: string;
}

export type DaemonStatus =
  | { readonly running: false; readonly reason: AbsenceReason; readonly detail: string }
  | { readonly running: true; readonly fields: Readonly<Record<string, unknown>> };

export interface DaemonControl {
  readonly socket: string;
  readonly outputFile: string;
  status(): Promise<DaemonStatus>;
  /** Resolves when the daemon is ready to embed. `onWait` is told now and then how long it has taken. */
  start(
    onWait: (tookMs: number) => void,
  ): Promise<{ readonly state: 'ready' | 'was-running' } | { readonly state: 'failed'; readonly reason: string }>;
  /** Resolves when it is gone. */
  stop(): Promise<{ readonly state: 'stopped' | 'none' } | { readonly state: 'failed'; readonly reason: string }>;
  /** Has texts embedded; resolves when all are. */
  warm(
    texts: readonly string[],
    onStep: (done: number, total: number) => void,
  ): Promise<{ readonly done: number; readonly total: number } | { readonly failed: string }>;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export function daemonControl(options: ControlOptions): DaemonControl {
  const { endpoint, build, home } = options;
  const reach = (): ReturnType<typeof connect> => connect(endpoint, build, ASK_WITHIN_MS);

  /** Asks once, on a connection of its own. */
  async function ask(
    verb: 'status' | 'shutdown' | 'warm',
    params: Readonly<Record<string, unknown>> = {},
  ): Promise<Outcome> {
    const connection = await reach();
    if (connection.state === 'absent') return connection;
    try {
      return await connection.call(verb, params, ASK_WITHIN_MS);
    } finally {
      connection.close();
    }
  }

  async function isReady(): Promise<boolean> {
    const connection = await reach();
    if (connection.state === 'absent') return false;
    connection.close();
    return connection.hello.state === 'ready';
  }

  /** Whoever is there and does not answer. */
  async function holderIfSilent(outcome: Outcome): Promise<string | undefined> {
    const isSilent = outcome.state === 'late' || (outcome.state === 'absent' && outcome.reason === 'silent');
    return isSilent ? silentHolder(endpoint.lock) : undefined;
  }

  /** Why there is no daemon although one was started and has ended again; undefined: it may still come. */
  async function whyEnded(tookMs: number): Promise<string | undefined> {
    const other = await reach();
    if (other.state === 'connected') {
      other.close();
      return undefined;
    }
    const holder = await silentHolder(endpoint.lock);
    if (holder === undefined) return 'it ended while it was starting';
    return tookMs > SILENT_WITHIN_MS ? holder : undefined;
  }

  return {
    socket: endpoint.socket,
    outputFile: outputFile(home),
    status: async () => {
      const outcome = await ask('status');
      if (outcome.state === 'answered') return { running: true, fields: outcome.result };
      const reason = outcome.state === 'absent' ? outcome.reason : 'silent';
      const detail = outcome.state === 'absent' ? outcome.detail : describe(outcome);
      return { running: false, reason, detail: (await holderIfSilent(outcome)) ?? detail };
    },

    start: async (onWait) => {
      if (await isReady()) return { state: 'was-running' };
      const startedAt = performance.now();
      const started = await startDaemon(options, true);
      if (started.state === 'impossible') return { state: 'failed', reason: started.reason };
      for (;;) {
        const tookMs = performance.now() - startedAt;
        if (await isReady()) return { state: 'ready' };
        const isOver = started.state === 'started' && !isAlive(started.pid);
        // Someone else's may have been faster; one more look tells.
        const why = isOver && !(await isReady()) ? await whyEnded(tookMs) : undefined;
        if (why !== undefined) return { state: 'failed', reason: why };
        if (tookMs > START_WITHIN_MS)
          return { state: 'failed', reason: `it was not ready after ${START_WITHIN_MS / 1_000} s` };
        onWait(tookMs);
        await pause(LOOK_EVERY_MS);
      }
    },

    stop: async () => {
      const outcome = await ask('shutdown');
      clearAttempts(endpoint);
      if (outcome.state === 'absent' && outcome.reason === 'none') return { state: 'none' };
      if (outcome.state !== 'answered') {
        return { state: 'failed', reason: (await holderIfSilent(outcome)) ?? describe(outcome) };
      }
      const pid = Number(outcome.result['pid']);
      const until = performance.now() + STOP_WITHIN_MS;
      // Only looked at: it ends by itself.
      while (isAlive(pid) && performance.now() < until) await pause(LOOK_EVERY_MS);
      return isAlive(pid) ? { state: 'failed', reason: `process ${pid} is still there` } : { state: 'stopped' };
    },

    warm: async (texts, onStep) => {
      const connection = await reach();
      if (connection.state === 'absent') return { failed: connection.detail };
      try {
        return await warmAll(connection, texts.map(clipped), onStep);
      } finally {
        connection.close();
      }
    },
  };
}

async function warmAll(
  connection: Connection,
  texts: readonly string[],
  onStep: (done: number, total: number) => void,
): Promise<{ readonly done: number; readonly total: number } | { readonly failed: string }> {
  const total = texts.length;
  let done = 0;
  // The newest first, as they will be needed.
  for (let end = total; end > 0; end -= WARM_PART_TEXTS) {
    const part = texts.slice(Math.max(0, end - WARM_PART_TEXTS), end);
    let partDone = -1;
    let movedAt = performance.now();
    while (partDone < part.length) {
      const outcome = await connection.call('warm', { texts: part }, ASK_WITHIN_MS);
      if (outcome.state !== 'answered') return { failed: describe(outcome) };
      const now = Number(outcome.result['done']);
      if (now > partDone) movedAt = performance.now();
      partDone = now;
      onStep(done + partDone, total);
      if (performance.now() - movedAt > WARM_STILL_MS)
        return { failed: `${total - done - partDone} turns could not be embedded` };
      if (partDone < part.length) await pause(LOOK_EVERY_MS * 2);
    }
    done += part.length;
  }
  return { done, total };
}
