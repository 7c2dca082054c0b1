/** A session of the host without a terminal: one process, prompts in and events out as lines of JSON. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Block } from '../../../src/messages/types.ts';

/** Only so that a test ends: a machine that is busy with other things takes its time. */
const TURN_MS = 120_000;
const CLOSE_MS = 5_000;

interface HostEvent {
  readonly type?: string;
  readonly session_id?: string;
  readonly result?: string;
  readonly is_error?: boolean;
  readonly [key: string]: unknown;
}

export interface Turn {
  readonly text: string;
  readonly isError: boolean;
  /** From the prompt to the end of the turn, in milliseconds. */
  readonly tookMs: number;
}

export interface Start {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export class Session {
  readonly events: HostEvent[] = [];
  readonly #child: ChildProcess;
  readonly #closed: Promise<number | null>;
  #stderr = '';
  #onResult: ((event: HostEvent) => void) | undefined;

  constructor({ path, args, env, cwd }: Start) {
    const streams = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
    this.#child = spawn(path, [...streams, ...args], { cwd, env, stdio: 'pipe' });
    this.#child.stdin?.on('error', () => undefined);
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()));
    if (this.#child.stdout !== null) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => this.#read(line));
    }
    this.#closed = new Promise((resolve, reject) => {
      this.#child.on('error', reject);
      this.#child.on('close', resolve);
    });
  }

  #read(line: string): void {
    // Each line that the host writes in this mode is an object.
    const event = JSON.parse(line) as HostEvent;
    this.events.push(event);
    if (event.type === 'result') this.#onResult?.(event);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The newest id: `/clear` and a fork give a new one. */
  get id(): string {
    const id = this.events.findLast((event) => event.session_id !== undefined)?.session_id;
    if (id === undefined) throw new Error(`the session has no id yet\n${this.#stderr}`);
    return id;
  }

  /** Sends a prompt or a command (`/compact …`) and waits for the end of the turn. */
  async say(content: string | readonly Block[]): Promise<Turn> {
    const startedAt = performance.now();
    const ended = new Promise<HostEvent>((resolve, reject) => {
      const timer = setTimeout(() => reject(this.#problem(`no end of the turn within ${TURN_MS} ms`)), TURN_MS);
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        act();
      };
      this.#onResult = (event) => settle(() => resolve(event));
      this.#closed.then(
        (code) => settle(() => reject(this.#problem(`the host ended with ${code}`))),
        (error: unknown) => settle(() => reject(error)),
      );
    });
    this.#child.stdin?.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
    const event = await ended;
    return {
      text: event.result ?? '',
      isError: event.is_error ?? false,
      tookMs: performance.now() - startedAt,
    };
  }

  #problem(what: string): Error {
    const newest = this.events.slice(-3).map((event) => JSON.stringify(event).slice(0, 600));
    return new Error([what, this.#stderr.slice(-2_000), ...newest].join('\n'));
  }

  /** Ends the session as a user would, and returns its exit code. */
  async end(): Promise<number | null> {
    this.#child.stdin?.end();
    return this.#closed;
  }

  /** Ends it, at last by force; does nothing once it has ended. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), CLOSE_MS);
    await this.end().catch(() => undefined);
    clearTimeout(timer);
  }
}
