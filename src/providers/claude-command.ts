/**
 * Claude Code as a summariser: `claude -p`, with the login of whoever uses it. It runs without hooks, plugins, tools and memory
 * files, in an empty folder, leaves no session behind, and knows that chitta started it: its own hooks and ours stay silent.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '../platform/env.ts';
import { codeOf } from '../platform/small-file.ts';
import type { ChatAnswer, ChatModel } from '../ports/chat-model.ts';
import { providerError, said } from './http.ts';
import { countIn, type Fields, fieldsOf, parsed, stringIn } from './json.ts';

/** Set for what chitta starts: there, hooks of chitta do nothing, and no summariser starts another. */
const CHILD_VARIABLE = 'CHITTA_CHILD';
/** One answer, with a start of some seconds and retries of its own. */
const TIMEOUT_MS = 600_000;
/** What it gets to end by itself once it was told to. */
const GRACE_MS = 2_000;
const PROVIDER = 'claude';

export interface ClaudeCommandOptions {
  /** A model's name, or an alias of the command's; undefined: what it uses by itself. */
  readonly model?: string | undefined;
  readonly env: Env;
  /** The program; `claude` on the environment's PATH by default. */
  readonly command?: string | undefined;
  readonly contextWindow?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Every customisation off, and what of it older versions of the flag would leave on. */
const ISOLATED: readonly string[] = [
  '--safe-mode',
  '--settings',
  JSON.stringify({ disableAllHooks: true }),
  '--strict-mcp-config',
  '--tools',
  '',
  '--no-session-persistence',
];

function argumentsOf(model: string | undefined, system: string): string[] {
  const chosen = model === undefined ? [] : ['--model', model];
  return ['-p', '--output-format', 'json', '--system-prompt', system, ...chosen, ...ISOLATED];
}

/** Variables of the session in which chitta runs would make it take itself for a part of that session. */
function isOfSession(name: string): boolean {
  return name === 'CLAUDECODE' || name.startsWith('CLAUDE_CODE_SESSION') || name.startsWith('CLAUDE_CODE_ENTRYPOINT');
}

function childEnv(env: Env, maxTokens: number): Record<string, string> {
  const own = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || isOfSession(name) ? [] : [[name, value]],
  );
  return {
    ...Object.fromEntries(own),
    [CHILD_VARIABLE]: '1',
    CHITTA_DISABLE: '1',
    MAX_THINKING_TOKENS: '0',
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxTokens),
  };
}

/** What `--output-format json` prints. */
function answerOf(stdout: string): ChatAnswer {
  const result = fieldsOf(parsed(stdout));
  if (result['type'] !== 'result') throw providerError(PROVIDER, `no result: ${said(stdout)}`, 'claude doctor');
  const text = stringIn(result, 'result');
  const usage: Fields = fieldsOf(result['usage']);
  // The command makes an error of an answer that was cut at the limit it was given.
  const isCut = result['stop_reason'] === 'max_tokens' || /exceeded the \d+ output token maximum/.test(text);
  if (result['is_error'] === true && !isCut) throw providerError(PROVIDER, said(text), 'claude doctor');
  return {
    text: result['is_error'] === true ? '' : text,
    stop: isCut ? 'length' : 'end',
    usage: { inputTokens: countIn(usage, 'input_tokens'), outputTokens: countIn(usage, 'output_tokens') },
  };
}

/** Throws E_PROVIDER where chitta itself was started by chitta: a summary would start a summary. */
export function claudeCommandModel(options: ClaudeCommandOptions): ChatModel {
  const { model, env, command = 'claude', contextWindow, timeoutMs = TIMEOUT_MS } = options;
  if ((env[CHILD_VARIABLE] ?? '') !== '') {
    throw providerError(PROVIDER, 'this is a process that chitta started, and it starts no other');
  }
  return {
    name: model === undefined ? PROVIDER : `${PROVIDER}:${model}`,
    contextWindow,
    complete: async ({ system, prompt, maxTokens, signal }) => {
      const { execa } = await import('execa');
      // Outside of any project: no memory file, no settings, and nothing of the project in the prompt.
      const folder = mkdtempSync(join(tmpdir(), 'chitta-summary-'));
      try {
        const ended = await execa(command, argumentsOf(model, system), {
          cwd: folder,
          env: childEnv(env, maxTokens),
          extendEnv: false,
          input: prompt,
          reject: false,
          timeout: timeoutMs,
          forceKillAfterDelay: GRACE_MS,
          ...(signal === undefined ? {} : { cancelSignal: signal }),
        });
        signal?.throwIfAborted();
        if (codeOf(ended.cause) === 'ENOENT' || ended.code === 'ENOENT') {
          throw providerError(
            PROVIDER,
            `there is no program ${command}`,
            'install Claude Code, or choose another model',
          );
        }
        if (ended.timedOut) throw providerError(PROVIDER, `no answer for ${Math.round(timeoutMs / 1000)} s`);
        // With an error it prints a result, too, and ends with 1.
        if (ended.failed && ended.stdout.trim() === '') {
          throw providerError(PROVIDER, said(ended.stderr.trim() || (ended.shortMessage ?? '')), 'claude doctor');
        }
        return answerOf(ended.stdout);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}
