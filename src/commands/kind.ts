/** Whether input is one JSON document (messages, or an object that holds them) or a transcript, by its first bytes. */

/** A row of a transcript always has one of these; an object with messages and parameters has none. */
const ROW_KEYS: readonly string[] = ['type', 'uuid', 'parentUuid', 'sessionId', 'message', 'role'];

/** The parameters of a compaction (a test compares). An object without any of them is a transcript's business. */
export const DOCUMENT_KEYS: readonly string[] = [
  'messages',
  'query',
  'target_ratio',
  'budget_tokens',
  'strategy',
  'detail',
  'distill_novel',
  'explain',
];

/** Keys of the object that `text` begins with, and what stands behind it; the text may be cut anywhere. Linear. */
function topLevelKeys(text: string): { keys: ReadonlySet<string>; rest: string } {
  const keys = new Set<string>();
  let depth = 0;
  let at = 0;
  for (; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    else if (char === '"') {
      const start = at + 1;
      at += 1;
      while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
      if (depth === 1 && /^\s*:/.test(text.slice(at + 1, at + 20))) keys.add(text.slice(start, at));
    }
    if (depth === 0) break;
  }
  return { keys, rest: text.slice(at + 1).trim() };
}

/**
 * `empty`: nothing but blanks. `either`: an object with `messages` and keys of a row; a document if nothing follows it.
 * `head` is the beginning of the input, decoded.
 */
export function kindOf(head: string): 'empty' | 'document' | 'transcript' | 'either' {
  const text = head.replace(/^\uFEFF/, '').trimStart();
  if (text === '') return 'empty';
  if (text.startsWith('[')) return 'document';
  if (!text.startsWith('{')) return 'transcript';
  const { keys, rest } = topLevelKeys(text);
  const parameters = DOCUMENT_KEYS.filter((key) => keys.has(key)).length;
  // Rows may hold `messages`, but never with a parameter beside it: then what else stands there is a mistake to be named.
  const isDocument = parameters > 1 || (parameters === 1 && !ROW_KEYS.some((key) => keys.has(key)));
  if (isDocument) return 'document';
  return keys.has('messages') && rest === '' ? 'either' : 'transcript';
}
