// What is read: the last 60 turns of transcripts that differ in size only. MiB; TAIL_READ_MB overrides the large one.
import process from 'node:process';

export const LAST = 60;
export const SMALL_MB = 1;
export const LARGE_MB = Number(process.env.TAIL_READ_MB ?? 500);
/** A transcript whose last turns hold one line of this size (a pasted log, an image). */
export const LONG_LINE_MB = 8;
export const ROUNDS = 11;
export const WARMUPS = 2;
