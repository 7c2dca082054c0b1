import { expect, test } from 'vitest';
import { isFileKey, toolKindOf } from '../../src/need/tools.ts';

test.each([
  ['Read', 'read'],
  ['mcp__files__read_file', 'read'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['apply_patch', 'edit'],
  ['str_replace_based_edit_tool', 'edit'],
  ['Write', 'write'],
  ['create_file', 'write'],
  ['Bash', 'shell'],
  ['run_terminal_cmd', 'shell'],
  ['TaskOutput', 'shell'],
  ['Grep', 'search'],
  ['search_files', 'search'],
  ['WebFetch', 'search'],
  ['TodoWrite', 'other'],
  ['Task', 'other'],
  ['', 'other'],
])('%s: %s', (name, kind) => {
  expect(toolKindOf(name)).toBe(kind);
});

test('a file is named by the keys that harnesses use for it', () => {
  expect(['file_path', 'path', 'filename'].every(isFileKey)).toBe(true);
  expect(['command', 'old_string', ''].some(isFileKey)).toBe(false);
});
