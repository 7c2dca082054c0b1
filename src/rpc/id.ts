/** The id of a request, as JSON text. JSON.parse rounds big numbers; a reply must carry the id that was sent. */

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (' \t\r\n'.includes(text[at] ?? '!')) at += 1;
  return at;
}

function numberAt(text: string, start: number): string | undefined {
  let end = start;
  while ('+-.0123456789eE'.includes(text[end] ?? '!')) end += 1;
  return end === start ? undefined : text.slice(start, end);
}

/**
 * Number ids of the requests in `text`, which is valid JSON, as they are written there: by position in the batch, the
 * only one at 0 if there is no batch. Linear; the last of several ids wins, as in JSON.parse.
 */
export function numberIdsIn(text: string): ReadonlyMap<number, string> {
  const ids = new Map<number, string>();
  const level = text.trimStart().startsWith('[') ? 2 : 1;
  let depth = 0;
  let position = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    else if (char === ',' && depth === level - 1) position += 1;
    else if (char === '"') {
      const end = endOfString(text, at);
      const colon = depth === level ? skipBlanks(text, end) : end;
      if (text[colon] === ':' && JSON.parse(text.slice(at, end)) === 'id') {
        const id = numberAt(text, skipBlanks(text, colon + 1));
        if (id === undefined) ids.delete(position);
        else ids.set(position, id);
      }
      at = end - 1;
    }
  }
  return ids;
}

/** The id as the reply carries it: `null` for an id that is none, or is missing. `written` gives numbers as sent. */
export function idText(id: unknown, written: () => string | undefined): string {
  if (typeof id === 'string') return JSON.stringify(id.toWellFormed());
  if (typeof id !== 'number') return 'null';
  return Number.isSafeInteger(id) ? String(id) : (written() ?? 'null');
}
