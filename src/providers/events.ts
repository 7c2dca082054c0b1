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
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    // What has no end yet is only joined: looking through it with every piece would take the square of its length.
    rest += first;
    if (others.length === 0) continue;
    const lines = [rest, ...others.slice(0, -1)];
    rest = others.at(-1) ?? '';
    for (const line of lines) {
      const event = take(line.endsWith('\r') ? line.slice(0, -1) : line);
      if (event !== undefined) yield event;
    }
  }
  take(rest + decoder.decode());
  if (data.length > 0) yield data.join('\n');
}
