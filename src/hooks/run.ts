/**
 * One hook event, from standard input to the text for standard output. Hooks fail open: whatever goes wrong becomes a
 * line in the log and an empty answer, and the session goes on as if chitta were not there.
 *
 * Order: re-entry guard → parse → ignore sub-agents → deadline → work → answer.
 */
import type { Readable } from 'node:stream';
import type { Env } from '../platform/env.ts';
import { maskSecrets } from '../redact/mask.ts';
import { readAll } from '../terminal/streams.ts';
import { within } from './deadline.ts';
import type { HookApp } from './app.ts';
import { sessionEnd, stop, subagentStop } from './capture.ts';
import { parseHookInput, type HookInput } from './input.ts';
import { postCompact } from './post-compact.ts';
import { preCompact } from './pre-compact.ts';
import { sessionStart } from './session-start.ts';
import { userPromptSubmit } from './user-prompt-submit.ts';
import { isAgentsCompaction } from './whose.ts';

export type { HookApp } from './app.ts';

/** Set by chitta for the processes it starts itself: a summariser's own session must not fire our hooks again. */
const CHILD_VARIABLE = 'CHITTA_CHILD';
/** Hook input holds a prompt or a summary at most; more is not from a host. */
const MAX_INPUT_BYTES = 16_777_216;
/** A host writes it in one go; one that then keeps its end open is not waited for. */
const READ_MS = 1_000;
/** What is left behind a deadline for the answer to be taken, before the process ends in any case. */
const WRITE_MS = 1_000;

/** An event that is not known is only logged, by a process that on a busy machine takes its time to begin. */
const UNKNOWN_MS = 2_000;

interface Hook {
  /** The host's name for the event. */
  readonly event: string;
  /** From here to the answer, in milliseconds; the start of the process is not in it. */
  readonly deadlineMs: number;
  /** It is about sub-agents, and not about the main session. */
  readonly ofSubAgents?: true;
  /** It is about a compaction, which may be a sub-agent's without the host saying so. */
  readonly ofCompaction?: true;
  run(input: HookInput, app: HookApp): Promise<string>;
}

/** Opens the application for a working directory; `undefined` if the host did not name one. */
export type OpenApp = (cwd: string | undefined) => HookApp | Promise<HookApp>;

// PreCompact may take 4 s in all; a node process on a busy machine needs up to a few hundred milliseconds of them.
const HOOKS: Readonly<Record<string, Hook>> = {
  'pre-compact': { event: 'PreCompact', deadlineMs: 3_600, ofCompaction: true, run: preCompact },
  'post-compact': { event: 'PostCompact', deadlineMs: 3_000, ofCompaction: true, run: postCompact },
  'session-start': { event: 'SessionStart', deadlineMs: 4_000, run: sessionStart },
  // The host gives 1.5 s to all hooks of this event together.
  'session-end': { event: 'SessionEnd', deadlineMs: 1_000, run: sessionEnd },
  // A person waits: 150 ms for what is looked up, and some for everything around it.
  'user-prompt-submit': { event: 'UserPromptSubmit', deadlineMs: 250, run: userPromptSubmit },
  stop: { event: 'Stop', deadlineMs: 20_000, run: stop },
  'subagent-stop': { event: 'SubagentStop', deadlineMs: 20_000, ofSubAgents: true, run: subagentStop },
};

function isSwitchedOff(env: Env): boolean {
  return env['CHITTA_DISABLE'] === '1' || (env[CHILD_VARIABLE] ?? '') !== '';
}

/**
 * Events of a sub-agent carry the main session's id and transcript, and say nothing about the main context. They have
 * an `agent_id`; a session that runs as an agent (`claude --agent NAME`) has only an `agent_type`, and is the main one.
 * The fork that writes a summary has an empty `agent_type`.
 */
function isOfSubAgent(input: HookInput): boolean {
  return input.agentId !== undefined || input.agentType === '';
}

function describe(error: unknown): string {
  return maskSecrets(error instanceof Error ? `${error.name}: ${error.message}` : String(error)).text;
}

async function answer(
  name: string,
  hook: Hook | undefined,
  { stdin, env }: { stdin: Readable; env: Env },
  openApp: OpenApp,
): Promise<string> {
  const startedAt = performance.now();
  const budgetMs = hook?.deadlineMs ?? 0;
  const received =
    hook === undefined
      ? undefined
      : await readAll(stdin, { maxBytes: MAX_INPUT_BYTES, deadlineMs: Math.min(READ_MS, budgetMs / 2) });
  const parsed = received === undefined ? undefined : parseHookInput(received.bytes, received.complete);
  const input = parsed !== undefined && 'input' in parsed ? parsed.input : undefined;
  const app = await openApp(env['CLAUDE_PROJECT_DIR'] || input?.cwd);
  if (app.settings.disabled) return '';
  if (hook === undefined) {
    app.log(`hook ${name.slice(0, 60)}: nothing to do for this event`);
    return '';
  }
  if (input === undefined) {
    app.log(`${name}: ${parsed !== undefined && 'problem' in parsed ? parsed.problem : 'no input'}`);
    return '';
  }
  if (isOfSubAgent(input) && hook.ofSubAgents !== true) return '';
  // The fork that writes a summary is nobody's agent.
  if (input.agentType === '') return '';
  if (input.event !== undefined && input.event !== hook.event) {
    app.log(`${name}: called for the event ${input.event.slice(0, 60)}`);
    return '';
  }
  const work = async (): Promise<string> =>
    hook.ofCompaction === true && (await isAgentsCompaction(input)) ? '' : hook.run(input, app);
  try {
    const text = await within(budgetMs - (performance.now() - startedAt), work());
    if (text === undefined) app.log(`${name}: gave up after ${Math.round(performance.now() - startedAt)} ms`);
    return text ?? '';
  } catch (error) {
    app.log(`${name}: ${describe(error)}`);
    return '';
  }
}

/** When the process of an event must have ended, in milliseconds from its beginning; also where nobody takes the answer. */
export function endOfHook(event: string): number {
  return (Object.hasOwn(HOOKS, event) ? (HOOKS[event]?.deadlineMs ?? 0) : UNKNOWN_MS) + WRITE_MS;
}

/**
 * Text for standard output; empty when there is nothing to say, the event is not handled, or anything went wrong.
 * Never rejects and never blocks for longer than the hook's deadline, as far as work can be left behind: the caller
 * prints, then ends the process with exit code 0.
 */
export async function runHook(
  event: string,
  io: { readonly stdin: Readable; readonly env: Env },
  openApp: OpenApp,
): Promise<string> {
  if (isSwitchedOff(io.env)) return '';
  try {
    return await answer(event, Object.hasOwn(HOOKS, event) ? HOOKS[event] : undefined, io, openApp);
  } catch {
    // Not even the log could be opened; there is no other place that the user would want to hear of it.
    return '';
  }
}
