/** Waiting, but not for ever. */

/** Resolves when the work is settled, however, and after `ms` at the latest. The caller deals with its errors. */
export function within(ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, Math.max(0, ms));
    void work.then(end, end);
  });
}
