/** What a program wrote to its terminal, and when, in the format of asciinema (version 2). */
import { createReadStream } from 'node:fs';

/** Players shorten longer pauses to this. */
const IDLE_S = 1.5;

export class Recording {
  readonly #columns: number;
  readonly #rows: number;
  readonly #events: [seconds: number, kind: 'o', text: string][] = [];
  #startedAt: number | undefined;

  /** Reads a pipe to its end. Sizes in characters. */
  constructor(pipe: string, columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = rows;
    createReadStream(pipe, 'utf8')
      .on('data', (chunk) => this.#wrote(String(chunk)))
      .on('error', () => undefined);
  }

  #wrote(text: string): void {
    const now = performance.now();
    this.#startedAt ??= now;
    this.#events.push([Math.round(now - this.#startedAt) / 1_000, 'o', text]);
  }

  /** The recording as a file holds it: a line that says what it is, then a line for each time that something was written. */
  cast(title: string): string {
    const header = {
      version: 2,
      width: this.#columns,
      height: this.#rows,
      title,
      idle_time_limit: IDLE_S,
      env: { TERM: 'xterm-256color' },
    };
    return [header, ...this.#events].map((line) => `${JSON.stringify(line)}\n`).join('');
  }
}
