/** The host in a terminal, as a person uses it: tmux holds the terminal, and we read its screen. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import type { Rig } from './rig.ts';

const LOOK_EVERY_MS = 100;
const SHOWN_WITHIN_MS = 30_000;

/** Empty, or why there is no terminal, for the name of a test. */
export const NO_TERMINAL: string = spawnSync('tmux', ['-V']).status === 0 ? '' : ' (skipped: tmux is not installed)';

export interface Terminal {
  /** Waits until the screen, with what has scrolled off it, shows the pattern; returns the text. */
  shows(pattern: RegExp): Promise<string>;
  /** Types a line and sends it. */
  enter(line: string): Promise<void>;
  /** Whether the host has ended. */
  hasEnded(): Promise<boolean>;
}

/** Starts the host with the rig's plugin. */
export async function openTerminal(rig: Rig): Promise<Terminal> {
  const tmux = async (...args: string[]): Promise<{ stdout: string; exitCode: number | undefined }> => {
    const at = { env: { ...rig.env }, extendEnv: false, reject: false } as const;
    const { stdout, exitCode } = await execa('tmux', ['-S', join(rig.folder, 'tmux'), '-f', '/dev/null', ...args], at);
    return { stdout, exitCode };
  };
  const plugin = rig.plugin === undefined ? [] : ['--plugin-dir', rig.plugin];
  await tmux('new-session', '-d', '-s', 'e2e', '-x', '160', '-y', '50', '-c', rig.project, rig.host.path, ...plugin);
  onTestFinished(async () => {
    await tmux('kill-server');
  });

  const screen = async (): Promise<string> => (await tmux('capture-pane', '-p', '-t', 'e2e', '-S', '-300')).stdout;
  return {
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
    enter: async (line) => {
      await tmux('send-keys', '-t', 'e2e', '-l', line);
      // The line must stand in the prompt before it is sent: the host takes what comes at once for a paste.
      const until = performance.now() + SHOWN_WITHIN_MS;
      while (!(await screen()).includes(line) && performance.now() < until) await pause(LOOK_EVERY_MS);
      await pause(LOOK_EVERY_MS * 3);
      await tmux('send-keys', '-t', 'e2e', 'Enter');
    },
    hasEnded: async () => (await tmux('has-session', '-t', 'e2e')).exitCode !== 0,
  };
}
