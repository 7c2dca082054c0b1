/** Tells files apart by their content: quickly by samples, or certainly by the whole. */
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';

const SAMPLES = 16;
const SAMPLE_BYTES: number = 16 * 1024;

/**
 * A hash of a file's size and of 16 blocks of 16 KiB spread over it, first and last included; of all of it up to 256 KiB.
 * About a millisecond whatever the size, and the same wherever the file lies and whenever it was written. Two models differ in it
 * unless they differ in nothing but weights between the blocks. Hex. Throws what the file system throws.
 */
export function fingerprintOf(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const hash = createHash('sha256').update(`${size}\n`);
    const block = Buffer.alloc(SAMPLE_BYTES);
    const last = Math.max(0, size - SAMPLE_BYTES);
    const samples = Math.min(SAMPLES, Math.ceil(size / SAMPLE_BYTES));
    for (let index = 0; index < samples; index++) {
      const position = samples === 1 ? 0 : Math.floor((last * index) / (samples - 1));
      const read = readSync(descriptor, block, 0, SAMPLE_BYTES, position);
      hash.update(block.subarray(0, read));
    }
    return hash.digest('hex');
  } finally {
    closeSync(descriptor);
  }
}

/** The sha256 of a whole file, hex. Rejects with what the file system says. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const block of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(block);
  return hash.digest('hex');
}
