/** The process of a hook: from its start to its end, whatever happens. The host goes on as if there were no hook. */
import manifest from '../package.json' with { type: 'json' };
import type { Env } from './platform/env.ts';
import { writeStderr, writeStdout } from './terminal/streams.ts';
import { createCore } from './wiring/core.ts';
import { endOfHook, runHook } from './hooks/run.ts';

/** The working directory; one that was removed has no name any more, and what is given by full paths works all the same. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

/** Answers one event of Claude Code, then ends the process with 0: another code would block what the host is doing. */
export async function answerHook(event: string, env: Env, onAnswered: () => void = () => undefined): Promise<never> {
  const giveUp = (error: unknown): never => {
    if (env['CHITTA_DEBUG'] === '1') {
      writeStderr(`chitta: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    }
    process.exit(0);
  };
  process.on('uncaughtException', giveUp);
  try {
    // Every hook has a deadline of its own; whatever is missed by it ends here, also where nobody takes the answer.
    const startedAt = performance.now();
    const leftMs = endOfHook(event) - startedAt;
    // A machine may be so busy that nothing is left; Node 24 warns of negative times.
    setTimeout(giveUp, Math.max(1, leftMs), new Error('the hook did not end by itself')).unref();
    const open = (cwd = currentFolder()): ReturnType<typeof createCore> =>
      createCore({ env, cwd, version: manifest.version });
    const answer = await runHook(event, { stdin: process.stdin, env }, open);
    if (answer !== '') await writeStdout(answer);
    // For what helps only the next one, half of the time must be left.
    if (leftMs - (performance.now() - startedAt) > leftMs / 2) onAnswered();
  } catch (error) {
    giveUp(error);
  }
  // The host may keep our standard input open; it must not keep us.
  process.exit(0);
}
