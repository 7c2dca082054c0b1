/**
 * What kind of file this is, from its first bytes. Other agents' files are named only where they can be told surely;
 * in doubt a file is read as a transcript.
 */
import { scanHead } from './head.ts';
import { scanObject } from './scan.ts';

/** How much of the beginning of a file the functions here want to see. */
export const HEAD_BYTES = 65_536;

/**
 * `lines`: JSONL rows. `rows`: one JSON document that holds rows. `messages`: a JSON array of messages.
 * `object`: one JSON object with `messages` (and perhaps parameters). `empty`: nothing but blanks. `unknown`: none of them.
 */
export type InputKind = 'lines' | 'rows' | 'messages' | 'object' | 'empty' | 'unknown';

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a || byte === 0;
}

function firstByte(head: Buffer): number {
  let at = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
  while (at < head.length && isBlank(head[at])) at += 1;
  return at;
}

/** Top-level keys of the object at `at`, as far as the head reaches, with the value of short strings. */
function keysOf(head: Buffer, at: number): Map<string, string> {
  const keys = new Map<string, string>();
  scanObject(head, at, head.length, (parent, key, from, to) => {
    const value = head[from] === 0x22 ? head.toString('latin1', from + 1, Math.min(to - 1, from + 80)) : '';
    if (keys.size < 200) keys.set(parent === '' ? key : `${parent}.${key}`, value);
  });
  return keys;
}

/** Offsets of the first objects of the head, one per line, or inside of an array. */
function* firstObjects(head: Buffer): Iterable<number> {
  let at = firstByte(head);
  if (head[at] === OPEN_ARRAY) {
    at += 1;
    while (isBlank(head[at])) at += 1;
    if (head[at] === OPEN_OBJECT) yield at;
    return;
  }
  for (let seen = 0; seen < 20 && at < head.length; seen++) {
    if (head[at] === OPEN_OBJECT) yield at;
    const newline = head.indexOf(0x0a, at);
    if (newline < 0) return;
    at = newline + 1;
  }
}

/** Types that only Claude Code writes, or its rows' own keys. */
function isClaudeRow(keys: Map<string, string>): boolean {
  return (keys.has('sessionId') && keys.has('parentUuid')) || keys.has('leafUuid') || keys.has('isSidechain');
}

function nameOf(keys: Map<string, string>): string | undefined {
  if (isClaudeRow(keys)) return undefined;
  const type = keys.get('type');
  if (keys.has('payload') && ['session_meta', 'response_item', 'event_msg', 'turn_context'].includes(type ?? ''))
    return 'Codex CLI rollout';
  if (type === 'thread.started' && keys.has('thread_id')) return 'Codex CLI exec output';
  if (keys.has('projectHash') && keys.has('sessionId')) return 'Gemini CLI chat';
  if (keys.has('mapping') && (keys.has('current_node') || keys.has('create_time'))) return 'ChatGPT export';
  if (keys.has('chat_messages') && keys.has('uuid')) return 'Claude.ai export';
  if (keys.has('requests') && keys.has('responderUsername')) return 'VS Code Copilot chat export';
  if (keys.has('info') && keys.has('messages') && keys.has('info.projectID')) return 'OpenCode export';
  if (keys.has('sessionID') && keys.has('role') && keys.has('id')) return 'OpenCode message';
  if (type === 'session' && keys.has('cwd') && keys.has('version') && keys.has('id')) return 'pi session';
  return undefined;
}

/** The name of the format if the file is surely not a Claude Code transcript but another known one; else undefined. */
export function foreignFormat(head: Buffer): string | undefined {
  if (head.toString('latin1', 0, 15) === 'SQLite format 3')
    return 'SQLite database (Cursor, OpenCode and others keep their chats in one)';
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip archive';
  if (head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4) return 'zip archive';
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return 'UTF-16 text';
  const at = firstByte(head);
  if (head.toString('latin1', at, at + 80).startsWith('# aider chat started at')) return 'Aider chat history';
  const [first] = firstObjects(head);
  return first === undefined ? undefined : nameOf(keysOf(head, first));
}

/** How the input is to be read. */
export function sniff(head: Buffer): InputKind {
  const at = firstByte(head);
  if (at === head.length) return 'empty';
  if (head[at] === OPEN_ARRAY) {
    const [first] = firstObjects(head);
    if (first === undefined) {
      // An empty list on a line of its own may stand in a transcript; alone it is a list of no messages.
      const rest = head.toString('latin1', at + 1).trim();
      return rest === ']' ? 'messages' : 'unknown';
    }
    const keys = keysOf(head, first);
    return keys.has('role') && !keys.has('message') ? 'messages' : 'rows';
  }
  if (head[at] !== OPEN_OBJECT) return head.includes('{"') ? 'lines' : 'unknown';
  const keys = keysOf(head, at);
  if (isClaudeRow(keys) || keys.has('message') || keys.has('role')) return 'lines';
  if (keys.has('messages')) return 'object';
  const newline = head.indexOf(0x0a, at);
  // A brace alone on its line begins a document that is printed over many lines.
  if (newline > 0 && head.toString('latin1', at + 1, newline).trim() === '') return 'object';
  return 'lines';
}

/** Whether the first conversation row belongs to a sub-agent: then the file is that agent's own transcript. */
export function isAgentTranscript(head: Buffer): boolean {
  for (const at of firstObjects(head)) {
    const { head: row } = scanHead(head, at, head.length);
    if (row.type === 'user' || row.type === 'assistant') return row.sidechain;
  }
  return false;
}
