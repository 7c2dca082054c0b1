/**
 * The start of a hook, as a script: `node dist/hook.cjs hook EVENT`. It is small, and runs the rest of the hook (hook-process.ts,
 * as the build has put it into one script) with compiled code that was kept.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { answerHook } from './hook-process.ts';
import { runKept } from './platform/kept-code.ts';
import { chittaHome } from './platform/paths.ts';

const EVENT = /^[a-z-]{1,40}$/;
/** They end before optimised code pays: without it they take a sixth less of the processor's time. */
const SHORT: ReadonlySet<string> = new Set(['user-prompt-submit', 'pre-compact', 'post-compact', 'session-end']);

const args = process.argv.slice(2).filter((argument) => argument !== '--debug');
const event = args[1] ?? '';
const debug = args.length < process.argv.length - 2 || process.env['CHITTA_DEBUG'] === '1';
const env = debug ? { ...process.env, CHITTA_DEBUG: '1' } : process.env;

const path = join(dirname(fileURLToPath(import.meta.url)), 'hook-script.cjs');
const require = createRequire(path);
if (SHORT.has(event)) {
  // Node has compiled its own modules for the flags that it begins with: what hooks need of them is loaded before.
  for (const name of ['node:net', 'node:fs/promises', 'node:perf_hooks']) require(name);
  void process.stdin;
  setFlagsFromString('--no-opt');
}
const { value, keep } = runKept(path, chittaHome(env), EVENT.test(event) ? event : 'none');
// scripts/hook-script.mjs writes it so.
const open = value as (require: NodeJS.Require, path: string) => { readonly answerHook: typeof answerHook };
void open(require, path).answerHook(event, env, env['CHITTA_DISABLE'] === '1' ? undefined : keep);
