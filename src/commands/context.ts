/**
 * What every command is given: the streams, the environment, and a way to open the application when it needs one.
 * Each command file exports `addXCommand(program, ctx)`, parses, calls one action and prints through `ctx`;
 * it never touches `process`. What a command needs beyond commander is imported inside its action, not at the top.
 */
import type { Readable, Writable } from 'node:stream';
import type { App, createApp } from '../app.ts';
import type { Env } from '../platform/env.ts';

/** Settings given on the command line; they win over every file and variable. */
export type AppFlags = NonNullable<Parameters<typeof createApp>[0]['flags']>;

/** `isTTY` is set on a terminal, as Node does; `columns` where its width is known. */
export type Input = Readable & { readonly isTTY?: boolean };
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface CommandContext {
  readonly env: Env;
  readonly cwd: string;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Joins settings and adapters; warnings about settings go to stderr once. Throws ChittaError on unusable settings. */
  openApp(flags?: AppFlags): Promise<App>;
  /** Serves an MCP client on the standard streams, for a folder if it is given; resolves when the client is gone. */
  serveMcp(project: string | undefined): Promise<void>;
  /** Data, to stdout, exactly as given (the caller ends the line). Resolves when it is handed over; a closed pipe is success. */
  print(data: string | Uint8Array): Promise<void>;
  /**
   * A signal of Ctrl-C, for a command that ends itself then; without it Ctrl-C ends the process. A second Ctrl-C does in any case.
   * Undefined where there is none.
   */
  interruption?(): AbortSignal;
  /** Words for people, to stderr, one line (the line end is added). */
  note(text: string): void;
}
