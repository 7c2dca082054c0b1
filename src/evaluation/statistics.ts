/** Means with their uncertainty. Episodes of one transcript are alike, so transcripts are what is drawn again. */
import { randomNumbers } from './random.ts';

const ROUNDS = 2_000;
const SEED = 7;
/** Ends of the 95 % interval. */
const [LOW, HIGH] = [0.025, 0.975];

/** A mean over transcripts of their means, with its 95 % interval (percentile bootstrap over transcripts). */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Transcripts that had a value. */
  readonly transcripts: number;
}

/** A value of one episode; null where the episode has none. */
export interface Observation {
  readonly transcript: number;
  readonly value: number | null;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Undefined where no episode has a value. The same observations give the same interval, always. */
export function estimate(observations: Iterable<Observation>): Estimate | undefined {
  const byTranscript = new Map<number, number[]>();
  for (const { transcript, value } of observations) {
    if (value === null) continue;
    const values = byTranscript.get(transcript);
    if (values === undefined) byTranscript.set(transcript, [value]);
    else values.push(value);
  }
  const means = [...byTranscript.values()].map(meanOf);
  if (means.length === 0) return undefined;
  const next = randomNumbers(SEED);
  const drawn = Array.from({ length: ROUNDS }, () => {
    let sum = 0;
    for (let n = 0; n < means.length; n++) sum += means[Math.floor(next() * means.length)] ?? 0;
    return sum / means.length;
  });
  drawn.sort((a, b) => a - b);
  const at = (share: number): number => drawn[Math.floor(share * ROUNDS)] ?? 0;
  return { mean: meanOf(means), low: at(LOW), high: at(HIGH), transcripts: means.length };
}
