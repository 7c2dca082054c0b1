#!/usr/bin/env node
/**
 * The process: arguments to one lazy import, and the only place that decides exit codes. 0 done, 1 failed, 2 wrong usage,
 * 130 interrupted, 0 when the reader went away. A hook always exits 0: to Claude Code, 2 means block.
 */
import { createRequire } from 'node:module';
import manifest from '../package.json' with { type: 'json' };
import type { App } from './app.ts';
import type { AppFlags, CommandContext } from './commands/context.ts';
import { writeStderr, writeStdout } from './terminal/streams.ts';

const INTERRUPTED = 130;

const leadingDebug = process.argv[2] === '--debug';
const args = process.argv.slice(leadingDebug ? 3 : 2);
const debug = leadingDebug || process.env['CHITTA_DEBUG'] === '1' || process.argv.includes('--debug');
const env = debug ? { ...process.env, CHITTA_DEBUG: '1' } : process.env;

/** The working directory; one that was removed has no name any more, and what is given by full paths works all the same. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

async function openApp(cwd: string = currentFolder(), flags: AppFlags = {}): Promise<App> {
  const { createApp } = await import('./app.ts');
  return createApp({ env, cwd, flags, version: manifest.version });
}

async function report(problem: unknown): Promise<void> {
  const [{ problemOf }, { sanitize }] = await Promise.all([
    import('./report/problem.ts'),
    import('./terminal/sanitize.ts'),
  ]);
  const { text, exitCode } = problemOf(problem, debug);
  writeStderr(sanitize(text));
  process.exitCode = exitCode;
}

const warned = new Set<string>();

/** The application; what is wrong with the settings goes to standard error, once. */
async function openWarned(cwd: string, flags?: AppFlags): Promise<App> {
  const app = await openApp(cwd, flags);
  for (const warning of app.warnings) {
    if (!warned.has(warning)) writeStderr(`chitta: warning: ${warning}\n`);
    warned.add(warning);
  }
  return app;
}

/** Serves an MCP client. Claude Code says where it works; a summariser's own session has no use for tools. */
async function serveMcp(project: string | undefined): Promise<void> {
  const { serveMcp: serve } = await import('./mcp/serve.ts');
  const told = project ?? (process.env['CLAUDE_PROJECT_DIR'] || undefined);
  await serve({
    version: manifest.version,
    folder: told,
    session: process.env['CLAUDE_CODE_SESSION_ID'],
    openApp: (folder = currentFolder()) => openWarned(folder, process.env['CHITTA_CHILD'] ? { disabled: true } : {}),
    input: process.stdin,
    output: process.stdout,
    note: (text) => writeStderr(`${text}\n`),
    parent: () => process.ppid,
  });
  // What is still under way was asked for by nobody.
  process.exit(0);
}

async function run(): Promise<void> {
  // The daemon ends by itself, with its socket and its work put away.
  const endNow = (): never => process.exit(INTERRUPTED);
  if (args[0] !== 'daemon') process.once('SIGINT', endNow);
  const ctx: CommandContext = {
    env,
    cwd: currentFolder(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    print: writeStdout,
    note: (text) => writeStderr(`${text}\n`),
    serveMcp,
    openApp: (flags) => openWarned(currentFolder(), flags),
    interruption: () => {
      const controller = new AbortController();
      process.off('SIGINT', endNow);
      process.once('SIGINT', () => {
        process.once('SIGINT', endNow);
        controller.abort(new Error('interrupted'));
      });
      return controller.signal;
    },
  };
  if (args.length === 0 && process.stdin.isTTY !== true) {
    const [{ serve }, { methodsFor }] = await Promise.all([import('./rpc/serve.ts'), import('./rpc/methods.ts')]);
    await serve(process.stdin, writeStdout, methodsFor(manifest.version, ctx.openApp));
    return;
  }
  // The module of a host waits for it.
  if (args.length === 2 && args[0] === 'compact' && args[1] === '--mod') {
    const { answerModule } = await import('./commands/replace.ts');
    await answerModule(ctx);
    return;
  }
  // As the plugin starts it: it stays for the length of a session, without the commands in its memory.
  if (args.length === 1 && args[0] === 'mcp') return serveMcp(undefined);
  const { runProgram } = await import('./commands/program.ts');
  await runProgram(args, ctx, manifest.version);
}

if (args[0] === 'hook' && args[1] !== '--help' && args[1] !== '-h') {
  // A script of its own, whose compiled code is kept.
  createRequire(import.meta.url)('./hook.cjs');
} else {
  try {
    await run();
  } catch (error) {
    await report(error);
  }
}
