/** Claude Code as an installed program: whether it is there and which version. */
import type { Env } from './env.ts';
import { codeOf } from './small-file.ts';

/** `claude --version` takes well under a second; a doctor does not wait for a hanging one. */
const TIMEOUT_MS = 5_000;

export type ClaudeProbe =
  | { readonly state: 'ok'; readonly version: string }
  | { readonly state: 'missing' }
  | { readonly state: 'broken'; readonly reason: string };

/** Asks the `claude` on the environment's PATH for its version. Never rejects. */
export async function probeClaude(env: Env): Promise<ClaudeProbe> {
  const { execa } = await import('execa');
  const asked = await execa('claude', ['--version'], {
    env: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: TIMEOUT_MS,
    maxBuffer: 4_096,
  });
  if (!asked.failed) return { state: 'ok', version: asked.stdout.split('\n', 1)[0] ?? '' };
  if (asked.code === 'ENOENT' || codeOf(asked.cause) === 'ENOENT') return { state: 'missing' };
  return { state: 'broken', reason: asked.shortMessage ?? 'no reason given' };
}
