/** A program in a terminal, as a person uses it: tmux holds the terminal, and we read its screen. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import { Recording } from './recording.ts';
import type { Rig } from './rig.ts';

const LOOK_EVERY_MS = 100;
const SHOWN_WITHIN_MS = 30_000;
const TYPED_EVERY_MS = 35;

/** Empty, or why there is no terminal, for the name of a test. */
export const NO_TERMINAL: string = spawnSync('tmux', ['-V']).status === 0 ? '' : ' (skipped: tmux is not installed)';

export interface TerminalOptions {
  /** In characters. */
  readonly columns?: number;
  readonly rows?: number;
  /** For the host. */
  readonly args?: readonly string[];
  /** What runs in it in place of the host. */
  readonly command?: readonly string[];
}

export interface Terminal {
  /** What the program has written to it so far, and when. */
  readonly recording: Recording;
  /** Waits until the screen, with what has scrolled off it, shows the pattern; returns the text. */
  shows(pattern: RegExp): Promise<string>;
  /** The screen as it is: lines with the escape sequences of their colours. */
  picture(): Promise<string>;
  /** Types a line and sends it. */
  enter(line: string): Promise<void>;
  /** Whether the program has ended. */
  hasEnded(): Promise<boolean>;
}

/** Starts the host with the rig's plugin, or another program, in the rig's project. */
export async function openTerminal(rig: Rig, options: TerminalOptions = {}): Promise<Terminal> {
  const { columns = 160, rows = 50, args = [] } = options;
  const socket = join(rig.folder, 'tmux');
  const tmux = async (...args: string[]): Promise<{ stdout: string; exitCode: number | undefined }> => {
    const at = { env: { ...rig.env }, extendEnv: false, reject: false } as const;
    const { stdout, exitCode } = await execa('tmux', ['-S', socket, '-f', '/dev/null', ...args], at);
    return { stdout, exitCode };
  };
  const plugin = rig.plugin === undefined ? [] : ['--plugin-dir', rig.plugin];
  const command = options.command ?? [rig.host.path, ...plugin, ...args];
  // It begins once its output is read, and knows nothing of tmux.
  const begin = `tmux -S "$0" wait-for begin; exec env -u TMUX -u TMUX_PANE "$@"`;
  const size = ['-x', String(columns), '-y', String(rows)];
  await tmux('new-session', '-d', '-s', 'e2e', ...size, '-c', rig.project, 'sh', '-c', begin, socket, ...command);
  onTestFinished(async () => {
    await tmux('kill-server');
  });
  const pipe = join(rig.folder, 'pane');
  execFileSync('mkfifo', [pipe]);
  const recording = new Recording(pipe, columns, rows);
  await tmux('pipe-pane', '-t', 'e2e', `exec cat > '${pipe}'`);
  await tmux('wait-for', '-S', 'begin');

  const screen = async (): Promise<string> => (await tmux('capture-pane', '-p', '-t', 'e2e', '-S', '-300')).stdout;
  return {
    recording,
    shows: async (pattern) => {
      const until = performance.now() + SHOWN_WITHIN_MS;
      let text = await screen();
      while (!pattern.test(text)) {
        if (performance.now() > until) throw new Error(`the terminal does not show ${pattern}:\n${text}`);
        await pause(LOOK_EVERY_MS);
        text = await screen();
      }
      return text;
    },
    picture: async () => (await tmux('capture-pane', '-p', '-e', '-t', 'e2e')).stdout,
    enter: async (line) => {
      for (const character of line) {
        await tmux('send-keys', '-t', 'e2e', '-l', character);
        await pause(TYPED_EVERY_MS);
      }
      // The line must stand in the prompt before it is sent: the host takes what comes at once for a paste.
      const until = performance.now() + SHOWN_WITHIN_MS;
      while (!(await screen()).includes(line) && performance.now() < until) await pause(LOOK_EVERY_MS);
      await pause(LOOK_EVERY_MS * 3);
      await tmux('send-keys', '-t', 'e2e', 'Enter');
    },
    hasEnded: async () => (await tmux('has-session', '-t', 'e2e')).exitCode !== 0,
  };
}
