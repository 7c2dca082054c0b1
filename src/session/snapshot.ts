/**
 * Where a session stands: what is asked for, under which limits, on which files, what is open and what still fails.
 * Read off the messages by rule, no model involved; linear in the conversation. Everything in a snapshot is masked,
 * well-formed and clipped, since it leaves the conversation (as a query, as instructions).
 */
import type { Message, MessageView, ToolCall } from '../messages/types.ts';
import { humanText } from '../messages/typed.ts';
import { viewOf } from '../messages/view.ts';
import { callKey, commandOf, describeCall, fileOf, isWrite } from './calls.ts';
import { errorLineOf, isRejection, wordsOfRejection, type Failure } from './failures.ts';
import { limitsIn, MAX_LIMIT_CHARS } from './limits.ts';
import { clip, quote, quoteLine } from './quote.ts';
import { TodoLists, type Todo } from './todos.ts';

const MAX_GOALS = 8;
const MAX_GOAL_CHARS = 600;
const MAX_LIMITS = 12;
const MAX_FILES = 20;
const MAX_PATH_CHARS = 300;
const MAX_TODOS = 20;
const MAX_TODO_CHARS = 160;
const MAX_FAILURES = 5;
const MAX_CALL_CHARS = 300;
const MAX_ERROR_CHARS = 240;
const MAX_COMMANDS = 5;
/** A command is part of how the work goes when it was run at least this often. */
const MIN_REPEATS = 2;

export interface FileInUse {
  readonly path: string;
  readonly use: 'edited' | 'read';
}

export interface SessionSnapshot {
  /** What the user typed, newest first. */
  readonly goals: readonly string[];
  /** Sentences of the user that read like a rule, newest first. */
  readonly limits: readonly string[];
  /** Files that calls named, newest first. */
  readonly files: readonly FileInUse[];
  /** Open work, in progress first. */
  readonly todos: readonly Todo[];
  /** Calls that failed and were not made again with success, newest first. */
  readonly failures: readonly Failure[];
  /** Command lines that were run more than once and last went well, newest first. */
  readonly commands: readonly string[];
}

/** Newest first, each text once, at most `max`. */
function newestOnce(texts: readonly string[], max: number): string[] {
  const seen = new Set<string>();
  for (let i = texts.length - 1; i >= 0 && seen.size < max; i -= 1) {
    const text = texts[i];
    if (text !== undefined && text !== '') seen.add(text);
  }
  return [...seen];
}

/** Puts a key at the end of a map's order, whether or not it was there. */
function touch<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
}

/** What calls and their results tell, gathered in one walk. */
class CallRecord {
  readonly todos = new TodoLists();
  readonly files = new Map<string, FileInUse['use']>();
  readonly failures = new Map<string, { call: ToolCall; result: string }>();
  readonly commands = new Map<string, number>();
  readonly #waiting = new Map<string, ToolCall>();

  see(view: MessageView): void {
    for (const call of view.calls) this.#waiting.set(call.id, call);
    for (const { callId, text, isError } of view.results) {
      const call = this.#waiting.get(callId);
      if (call === undefined) continue;
      this.#waiting.delete(callId);
      if (isError) this.#failed(call, text);
      else this.#succeeded(call, text);
    }
  }

  /** Calls still waiting for an answer count as work on their file. */
  end(): void {
    for (const call of this.#waiting.values()) this.#work(call);
  }

  #failed(call: ToolCall, result: string): void {
    if (!isRejection(result)) touch(this.failures, callKey(call), { call, result });
  }

  #succeeded(call: ToolCall, result: string): void {
    this.failures.delete(callKey(call));
    this.todos.see(call, result);
    this.#work(call);
    const command = commandOf(call);
    if (command !== undefined) touch(this.commands, command, (this.commands.get(command) ?? 0) + 1);
  }

  #work(call: ToolCall): void {
    const path = fileOf(call);
    if (path === undefined) return;
    touch(this.files, path, isWrite(call) || this.files.get(path) === 'edited' ? 'edited' : 'read');
  }
}

/** The state of a session from its messages, oldest first, in either wire shape. Pure, deterministic, linear. */
export function snapshotOf(messages: readonly Message[]): SessionSnapshot {
  const prompts: string[] = [];
  const rules: string[] = [];
  const record = new CallRecord();
  for (const message of messages) {
    const view = viewOf(message);
    const prompt = humanText(message);
    if (prompt !== '') {
      prompts.push(prompt);
      rules.push(...limitsIn(prompt));
    }
    for (const { text, isError } of view.results) {
      const words = isError ? wordsOfRejection(text) : undefined;
      if (words !== undefined) rules.push(words);
    }
    record.see(view);
  }
  record.end();
  return {
    goals: newestOnce(prompts, MAX_GOALS).map((text) => quote(text, MAX_GOAL_CHARS)),
    limits: newestOnce(rules, MAX_LIMITS).map((text) => quoteLine(text, MAX_LIMIT_CHARS)),
    files: newestOnce([...record.files.keys()], MAX_FILES).map((path) => ({
      path: quoteLine(path, MAX_PATH_CHARS),
      use: record.files.get(path) ?? 'read',
    })),
    todos: record.todos
      .open()
      .slice(0, MAX_TODOS)
      .map(({ text, state }) => ({ text: quoteLine(text, MAX_TODO_CHARS), state })),
    failures: [...record.failures.values()]
      .slice(-MAX_FAILURES)
      .reverse()
      .map(({ call, result }) => ({
        call: quote(describeCall(call), MAX_CALL_CHARS),
        error: quoteLine(errorLineOf(result), MAX_ERROR_CHARS),
      })),
    commands: [...record.commands]
      .filter(([command, runs]) => runs >= MIN_REPEATS && command.length <= MAX_CALL_CHARS)
      .slice(-MAX_COMMANDS)
      .reverse()
      .map(([command]) => quote(command, MAX_CALL_CHARS)),
  };
}

/** Longest query: an embedder reads no further, and a short query is a sharper one. */
const MAX_QUERY_CHARS = 2_000;
const MAX_QUERY_GOALS = 3;
const MAX_QUERY_FILES = 8;

/** What the next step is about, as the query of a scoring: newest prompts, work in progress, errors, file names. */
export function queryOf({ goals, todos, failures, files }: SessionSnapshot): string {
  const lines = [
    ...goals.slice(0, MAX_QUERY_GOALS),
    ...todos.filter(({ state }) => state === 'in_progress').map(({ text }) => text),
    ...failures.map(({ call, error }) => `${call}: ${error}`),
    ...files
      .slice(0, MAX_QUERY_FILES)
      .map(({ path }) => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)),
  ];
  return clip(lines.join('\n'), MAX_QUERY_CHARS);
}
