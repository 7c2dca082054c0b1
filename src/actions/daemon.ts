/** The verbs of `chitta daemon`: what a failure means to a person, and what to do next. */
import { ChittaError } from '../errors.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The daemon, as a person deals with it; what is behind it is joined in by the wiring. */
export interface DaemonPort {
  readonly socket: string;
  /** Where its standard streams go. */
  readonly outputFile: string;
  /** In this process, until it is over. */
  run(options: {
    readonly idleMs: number;
    /** A transcript to follow from the beginning. */
    readonly follow?: string | undefined;
    readonly onReady: () => void;
    readonly onLog: (line: string) => void;
  }): Promise<
    { readonly state: 'ended' | 'busy' } | { readonly state: 'impossible' | 'failed'; readonly reason: string }
  >;
  status(): Promise<
    | { readonly running: false; readonly reason: string; readonly detail: string }
    | { readonly running: true; readonly fields: Fields }
  >;
  start(
    onWait: (tookMs: number) => void,
  ): Promise<{ readonly state: 'ready' | 'was-running' } | { readonly state: 'failed'; readonly reason: string }>;
  stop(): Promise<{ readonly state: 'stopped' | 'none' } | { readonly state: 'failed'; readonly reason: string }>;
  /** Embeds a transcript's newest turns. */
  warm(
    path: string,
    onStep: (done: number, total: number) => void,
  ): Promise<{ readonly done: number; readonly total: number } | { readonly failed: string }>;
}

/** Runs the daemon here until it is over; another one that is there already is no failure. */
export async function runHere(port: DaemonPort, options: Parameters<DaemonPort['run']>[0]): Promise<'ended' | 'busy'> {
  const how = await port.run(options);
  if (!('reason' in how)) return how.state;
  throw new ChittaError('E_DAEMON', `the daemon cannot go on: ${how.reason}`, { hint: 'chitta doctor' });
}

/** Starts it and waits until it is ready. */
export async function startAndWait(
  port: DaemonPort,
  onWait: (tookMs: number) => void,
): Promise<'ready' | 'was-running'> {
  const how = await port.start(onWait);
  if (!('reason' in how)) return how.state;
  throw new ChittaError('E_DAEMON', `the daemon could not be started: ${how.reason}`, {
    hint: `chitta doctor, and the end of ${port.outputFile}`,
  });
}

/** Tells it to end and waits until it is gone. */
export async function stopAndWait(port: DaemonPort): Promise<'stopped' | 'none'> {
  const how = await port.stop();
  if (!('reason' in how)) return how.state;
  throw new ChittaError('E_DAEMON', `the daemon could not be stopped: ${how.reason}`, { hint: 'chitta daemon status' });
}

/** Starts it if need be, and has a transcript embedded. */
export async function warmTranscript(
  port: DaemonPort,
  path: string,
  onWait: (tookMs: number) => void,
  onStep: (done: number, total: number) => void,
): Promise<{ readonly done: number; readonly total: number }> {
  await startAndWait(port, onWait);
  const how = await port.warm(path, onStep);
  if (!('failed' in how)) return how;
  throw new ChittaError('E_DAEMON', `${path} could not be embedded: ${how.failed}`, { hint: 'chitta daemon status' });
}
