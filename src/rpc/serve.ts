/** JSON-RPC over a pair of streams: each reply goes out as soon as its request is whole, one line each, in order. */
import { replyTo, type Methods } from './dispatch.ts';
import { ValueSplitter, type Piece } from './split.ts';

/** Answers everything on `input` until it ends. `print` writes one reply, its line end included. */
export async function serve(
  input: AsyncIterable<Buffer | string>,
  print: (text: string) => Promise<void>,
  methods: Methods,
): Promise<void> {
  const splitter = new ValueSplitter();
  const answer = async (pieces: readonly Piece[]): Promise<void> => {
    for (const piece of pieces) {
      const reply = await replyTo(piece, methods);
      if (reply !== undefined) await print(`${reply}\n`);
    }
  };
  for await (const chunk of input) {
    await answer(splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
  }
  await answer(splitter.end());
}
