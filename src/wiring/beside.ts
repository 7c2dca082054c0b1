/** Work for which the host leaves no time: a process of its own, which the host neither waits for nor ends. */
import { spawn } from 'node:child_process';
import { scrubbed } from '../daemon/start.ts';
import type { Env } from '../platform/env.ts';
import { packageRoot } from '../platform/native.ts';

interface Gained {
  readonly env: Env;
  readonly cwd: string;
  readonly path: string;
  readonly session: string;
}

/** Archives what a transcript has gained, as Stop does it; resolves once the process has its task. Rejects if it cannot be started. */
export function captureBeside({ env, cwd, path, session }: Gained): Promise<void> {
  const child = spawn(process.execPath, [`${packageRoot()}/dist/hook.cjs`, 'hook', 'stop'], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: scrubbed(env),
    // The folder of the session may be removed meanwhile.
    cwd: '/',
    windowsHide: true,
  });
  child.unref();
  const event = { hook_event_name: 'Stop', session_id: session, transcript_path: path, cwd };
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.stdin.once('error', reject);
    child.stdin.end(`${JSON.stringify(event)}\n`, resolve);
  });
}
