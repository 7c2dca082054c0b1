/** The time a hook gives itself: well below the host's, so that a slow machine costs an answer and not a turn. */

/**
 * What `work` resolves to, or `undefined` if `deadlineMs` pass first. The work is not stopped, only no longer waited
 * for: the caller ends the process. A rejection that comes in time is passed on, a later one is dropped.
 */
export async function within<Value>(deadlineMs: number, work: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, deadlineMs), undefined);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
