/** How many calls are at work at once: the others wait in line, and one that is cancelled there is never begun. */

const AT_ONCE = 4;

export type Turnstile = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/**
 * Lets work through in the order of its arrival. Rejects as soon as the signal is given; what was begun goes on unheard, to its own deadline.
 * Between two the process gets its turn: a long line of calls must not keep it from reading that one was cancelled, and from closing what
 * they opened (3,000 at once took 1.4 GB without).
 */
export function turnstile(atOnce: number = AT_ONCE): Turnstile {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (signal, work) => {
    if (running < atOnce) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      signal.throwIfAborted();
      return await Promise.race([
        work(),
        new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('the call was cancelled')), { once: true });
        }),
      ]);
    } finally {
      // The place goes to the next in line, or becomes free.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else setImmediate(next);
    }
  };
}
