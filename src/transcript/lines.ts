/** Bytes to lines, as bytes: a character cut by a chunk border is whole again before anything is decoded. */

const NEWLINE = 0x0a;

/** Lines of a stream, in order, without their line ends. Holds one line and one chunk at a time. */
export async function* linesForward(source: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  for await (const chunk of source) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const end = chunk.subarray(from, at);
      yield held.length === 0 ? end : Buffer.concat([...held, end]);
      held = [];
      from = at + 1;
    }
    if (from < chunk.length) held.push(chunk.subarray(from));
  }
  if (held.length > 0) yield Buffer.concat(held);
}

/** Lines of chunks that come in reverse order (each chunk itself is in order): newest line first. */
export async function* linesBackward(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // Pieces of the line whose start is not found yet, last piece first.
  let held: Buffer[] = [];
  for await (const chunk of source) {
    let to = chunk.length;
    while (to > 0) {
      const at = chunk.lastIndexOf(NEWLINE, to - 1);
      if (at < 0) break;
      const start = chunk.subarray(at + 1, to);
      yield held.length === 0 ? start : Buffer.concat([start, ...held.reverse()]);
      held = [];
      to = at;
    }
    if (to > 0) held.push(chunk.subarray(0, to));
  }
  if (held.length > 0) yield Buffer.concat(held.reverse());
}
