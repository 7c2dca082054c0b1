/** Reaches the daemon for the program itself: where there is none, one is started in the background, and this time goes without. */
import { connect, type Connection } from './client.ts';
import type { StartOptions } from './start.ts';
import { within } from './waiting.ts';

/** The daemon, or undefined where there is none in time. */
export type Reach = (withinMs: number) => Promise<Connection | undefined>;

export interface ReachOptions extends StartOptions {
  /** chitta's own version. */
  readonly build: string;
  readonly log: (line: string) => void;
}

/** Reaches the daemon of an endpoint; tries to start one at most once. Never rejects. */
export function reachDaemon(options: ReachOptions): Reach {
  const { endpoint, build, log } = options;
  let tried = false;

  async function start(): Promise<void> {
    const { startDaemon } = await import('./start.ts');
    const started = await startDaemon(options);
    if (started.state === 'impossible') log(`no daemon could be started: ${started.reason}`);
  }

  return async (withinMs) => {
    const until = performance.now() + withinMs;
    const connection = await connect(endpoint, build, withinMs);
    if (connection.state === 'connected') return connection;
    if (connection.reason !== 'none') log(`no daemon: ${connection.reason}: ${connection.detail}`);
    // In a folder that is not private nothing is started either.
    if (tried || connection.reason === 'unsafe') return undefined;
    tried = true;
    // Until it is on its way, some milliseconds: whoever asks may end the process as soon as it has its answer.
    await within(until - performance.now(), start());
    return undefined;
  };
}
