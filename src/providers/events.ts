/** Server-sent events, as far as models' APIs use them: the data of each event. */

/** The data of each event in a stream, whichever way it is cut into pieces; of an event without its blank line, too. */
export async function* eventsIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  const take = (line: string): string | undefined => {
    if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    if (line !== '' || data.length === 0) return undefined;
    const event = data.join('\n');
    data = [];
    return event;
  };
  for await (const chunk of bytes) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = take(line.endsWith('\r') ? line.slice(0, -1) : line);
      if (event !== undefined) yield event;
    }
  }
  take(rest + decoder.decode());
  if (data.length > 0) yield data.join('\n');
}
