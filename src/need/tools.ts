/** What kind of thing a tool does, by its name, whatever the harness. */

/** `edit` changes part of a file, `write` makes a whole one. */
export type ToolKind = 'read' | 'edit' | 'write' | 'shell' | 'search' | 'other';

// The first that fits counts: `search_files` searches, `edit_file` edits.
const KINDS: readonly (readonly [ToolKind, RegExp])[] = [
  ['other', /^(?:todo|task(?!output))/],
  ['search', /grep|glob|search|find|fetch|^ls$|list/],
  ['edit', /edit|replace|patch|insert|update_file/],
  ['write', /write|create|save/],
  ['shell', /bash|shell|terminal|exec|command|taskoutput|run_/],
  ['read', /read|view|open|^cat$/],
];

/** The kind of a tool; a server's prefix (`mcp__files__read`) does not matter. */
export function toolKindOf(name: string): ToolKind {
  const bare = (name.split('__').at(-1) ?? name).toLowerCase();
  return KINDS.find(([, words]) => words.test(bare))?.[0] ?? 'other';
}

const FILE_KEYS: ReadonlySet<string> = new Set(['file_path', 'notebook_path', 'filePath', 'path', 'filename']);

/** Whether a leaf of an input under this key names the file that the call works on. */
export function isFileKey(key: string): boolean {
  return FILE_KEYS.has(key);
}
