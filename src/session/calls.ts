/** Tool calls as a person would name them, whatever tool and harness they come from. */
import type { ToolCall } from '../messages/types.ts';

const PATH_KEYS = ['file_path', 'notebook_path', 'filePath', 'path'] as const;
/** Tools whose path is a place to look in, not a file in use. */
const SEARCHES = /grep|glob|search|find|^ls$|list/i;
const WRITES = /edit|write|create|patch|replace|insert|append/i;

function field(input: unknown, key: string): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  // Narrowed to an object above; the key may hold anything.
  const value = (input as Record<string, unknown>)[key];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The file a call works on, if it names one. */
export function fileOf({ name, input }: ToolCall): string | undefined {
  if (SEARCHES.test(name)) return undefined;
  for (const key of PATH_KEYS) {
    const path = field(input, key);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** Whether a call changes the file it names. */
export function isWrite({ name }: ToolCall): boolean {
  return WRITES.test(name);
}

/** The command line of a shell call. */
export function commandOf({ input }: ToolCall): string | undefined {
  return field(input, 'command') ?? field(input, 'cmd');
}

/** The call in words: its command, or its name and file, or its name and input. */
export function describeCall(call: ToolCall): string {
  const command = commandOf(call);
  if (command !== undefined) return command;
  const path = fileOf(call);
  if (path !== undefined) return `${call.name} ${path}`;
  try {
    return `${call.name} ${typeof call.input === 'string' ? call.input : (JSON.stringify(call.input) ?? '')}`;
  } catch {
    // An input that cannot be written as JSON: the name alone still says which call it was.
    return call.name;
  }
}

/** What counts as the same call when it is tried again: same command, or same tool on the same file. */
export function callKey(call: ToolCall): string {
  return `${call.name}\0${describeCall(call)}`;
}
