/** Time that is left. Monotonic: a clock that is set in between changes nothing. */

/** SQLite waits in the event loop's thread, so it is given up before the caller's deadline, not at it. */
const RESERVE_MS = 50;
/** SQLite waits for a lock no longer at once: in between the process hears that it is to end, or that nobody waits for it any more. */
const AT_ONCE_MS = 500;
/** Who has so much time is a command or works beside a session, and waits for a repair as long as that takes. */
const PATIENT_MS = 5_000;

export interface Deadline {
  /** As it was given. */
  readonly ms: number;
  /** Milliseconds left; 0 once it has passed. */
  left(): number;
  /** How long may be waited for a lock: what is left but for a reserve, in whole milliseconds. */
  busyMs(): number;
  /** How long of it SQLite may wait at once, since it holds the event loop meanwhile. */
  atOnceMs(): number;
  /** Whether work may begin that holds the event loop for about `ms`. */
  allows(ms: number): boolean;
}

/** A deadline `ms` from now. Not a number or negative: it has passed already. */
export function deadlineIn(ms: number): Deadline {
  const until = performance.now() + (ms > 0 ? ms : 0);
  const left = (): number => Math.max(0, until - performance.now());
  const busyMs = (): number => Math.max(0, Math.min(2_147_483_647, Math.floor(left() - RESERVE_MS)));
  return {
    ms,
    left,
    busyMs,
    atOnceMs: () => Math.min(AT_ONCE_MS, busyMs()),
    allows: (work) => ms >= PATIENT_MS || left() - RESERVE_MS >= work,
  };
}

/** A pause between two attempts, without holding the event loop. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Lets the event loop do what waits for it. */
export function giveWay(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
