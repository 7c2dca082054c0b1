/**
 * Errors that went away: a command failed, files were changed, and the same command succeeded. All of it is what tools said, but for the
 * cause, which is the model's word. Pure; linear.
 */
import { sentencesOf } from '../ledger/prose.ts';
import type { MessageView, ToolResult } from '../messages/types.ts';
import { commandOf, fileOf, isWrite } from '../session/calls.ts';
import { errorLineOf, isRejection } from '../session/failures.ts';
import { quoteLine } from '../session/quote.ts';

export interface Turn {
  readonly id: string;
  readonly view: MessageView;
}

export interface Fix {
  readonly text: string;
  /** The line that named the error. */
  readonly quote: string;
  /** Of the failed result, the changes and the result of the success. */
  readonly sourceIds: readonly string[];
}

const MAX_FILES = 4;
const MAX_ERROR_CHARS = 200;
const MAX_COMMAND_CHARS = 120;
const MAX_CAUSE_CHARS = 300;
/** What a test runner counts, and what says only that something failed, tells nobody what was wrong. */
const SAYS_LITTLE =
  /^(?:\W*(?:found )?\d+ (?:tests? )?(?:failed|failing|errors?|problems?)|\W*(?:failures?|errors?|fail)\W*$|npm (?:ERR!|error)|make:|error command failed|command failed|exit (?:code|status))/i;
/** Words, and among them a name of something: in quotation marks, with a point, a slash, an underscore or a capital within. */
const SAYS_WHAT = /['"`‘“][^'"`‘“’”]{2,}['"`’”]|[\w)]\.\w|\w[/_]\w|\p{Ll}\p{Lu}|\bTS\d+/u;
/** What they say changes with the state of a repository, a network or a machine, not with files that were edited. */
const OTHER_REASONS =
  /^(?:[^\s=]+=\S* )*(?:git|gh|curl|wget|ssh|scp|kill|pkill|docker (?:pull|push|login)|npm (?:i|install|ci|publish)|pip install|sleep|ls|cat|grep|rg|find|cd \S+ && git)\b/;
/** Notes of the agent's own. */
const OWN_FILES = /(?:^|\/)\.claude\//;
const CAUSE =
  /^(?:so )?(?:the )?(?:root cause|actual problem|real problem|problem|issue|bug|culprit|cause) (?:is|was) (?:that )?(?!fixed|gone|solved|resolved|still|not\b|in the\b)/i;

interface Open {
  readonly error: string;
  readonly command: string;
  readonly sourceIds: string[];
  readonly files: Set<string>;
}

function causeIn(text: string): string | undefined {
  const found = sentencesOf(text).find((sentence) => !sentence.isQuestion && CAUSE.test(sentence.text));
  return found === undefined || found.text.length > MAX_CAUSE_CHARS ? undefined : found.text;
}

/** A result that a host marks as an error, or that names a code of its own. */
function hasFailed({ isError, text }: ToolResult): boolean {
  return isError && !isRejection(text);
}

/** The fixes of a run of turns, in order. */
export function fixesIn(turns: readonly Turn[]): Fix[] {
  const fixes: Fix[] = [];
  const open = new Map<string, Open>();
  const commands = new Map<string, string>();
  const changes = new Map<string, string>();
  let cause: string | undefined;
  for (const { id, view } of turns) {
    if (view.role === 'assistant') cause = causeIn(view.text) ?? cause;
    for (const call of view.calls) {
      const command = commandOf(call);
      const file = isWrite(call) ? fileOf(call) : undefined;
      if (call.id === undefined) continue;
      if (command !== undefined) commands.set(call.id, command);
      else if (file !== undefined) changes.set(call.id, file);
    }
    for (const result of view.results) {
      const { callId } = result;
      if (callId === undefined) continue;
      const file = changes.get(callId);
      if (file !== undefined && !result.isError && !OWN_FILES.test(file)) {
        for (const one of open.values()) {
          one.files.add(file);
          one.sourceIds.push(id);
        }
      }
      const command = commands.get(callId);
      if (command === undefined || OTHER_REASONS.test(command)) continue;
      const known = open.get(command);
      if (hasFailed(result)) {
        // The first error of a row of attempts is what was to be mended; a cause told before it was another's.
        if (known === undefined) {
          const error = errorLineOf(result.text);
          if (SAYS_LITTLE.test(error) || !SAYS_WHAT.test(error)) continue;
          open.set(command, { error, command, sourceIds: [id], files: new Set() });
          cause = undefined;
        }
        continue;
      }
      open.delete(command);
      if (known === undefined || known.files.size === 0 || known.files.size > MAX_FILES) continue;
      const quote = quoteLine(known.error, MAX_ERROR_CHARS);
      const why = cause === undefined ? '' : ` ${quoteLine(cause, MAX_CAUSE_CHARS)}`;
      const what = `\`${quoteLine(known.command, MAX_COMMAND_CHARS)}\` failed: ${quote}`;
      const text = `${what}${/[.!?]$/.test(quote) ? '' : '.'} It passed after changes to ${[...known.files].join(', ')}.${why}`;
      fixes.push({ text, quote, sourceIds: [...new Set([...known.sourceIds, id])] });
      cause = undefined;
    }
  }
  return fixes;
}
