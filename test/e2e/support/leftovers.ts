/** Processes that a rig's sessions have left running: hooks behind a turn, daemons. Where there is no /proc, none are seen. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;
/** Hooks behind a turn have that long to end by themselves; then they are told, and at last made to. */
const PATIENCE_MS = 3_000;
/** A hook behind a turn gives itself 20 s. */
const BUSY_PATIENCE_MS = 30_000;

function readOf(pid: number | string, file: 'environ' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    // It has ended meanwhile, or is not ours.
    return '';
  }
}

/** It stays between turns. */
function isDaemon(pid: number): boolean {
  return readOf(pid, 'cmdline').includes('\0daemon\0run\0');
}

function pidsWith(variable: string): number[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d+$/.test(name) && readOf(name, 'environ').split('\0').includes(variable))
    .map(Number);
}

/** The MCP server of the plugin stays for as long as its session. */
function isServer(pid: number): boolean {
  return readOf(pid, 'cmdline').endsWith('\0mcp\0');
}

/** MCP servers that have that variable (`NAME=value`) in their environment. */
export function serversWith(variable: string): number[] {
  return pidsWith(variable).filter(isServer);
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

/**
 * Resolves once only the given processes, servers and a daemon have that variable (`NAME=value`) in their environment; throws if others
 * will not end.
 */
export async function endOfAllBut(pids: readonly number[], variable: string): Promise<void> {
  const until = performance.now() + BUSY_PATIENCE_MS;
  const look = (): number[] =>
    pidsWith(variable).filter((pid) => !pids.includes(pid) && !isDaemon(pid) && !isServer(pid));
  for (let others = look(); others.length > 0; others = look()) {
    if (performance.now() > until) throw new Error(`processes ${others.join(', ')} do not end`);
    await pause(LOOK_EVERY_MS);
  }
}

/** Resolves once no process has that variable (`NAME=value`) in its environment any more. */
export async function endAllWith(variable: string): Promise<void> {
  for (const name of [undefined, 'SIGTERM', 'SIGKILL'] as const) {
    const until = performance.now() + PATIENCE_MS;
    let pids = pidsWith(variable);
    if (name !== undefined) for (const pid of pids) signal(pid, name);
    while (pids.length > 0 && performance.now() < until) {
      await pause(LOOK_EVERY_MS);
      pids = pidsWith(variable);
    }
    if (pids.length === 0) return;
  }
}
