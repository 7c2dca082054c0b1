/** What the plugin costs in time: the same session with and without it, prompt by prompt in turn. */
import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Host } from './hosts.ts';
import { type Rig, setUp, type RigOptions } from './rig.ts';
import type { Session } from './session.ts';

/** A person reads the answer before they go on; what runs behind a turn has ended by then. */
const READING_MS = 700;

export interface Overhead {
  /** Medians, in milliseconds. */
  readonly withPluginMs: number;
  readonly withoutMs: number;
  /** The difference, round by round. */
  readonly addedMs: number;
  /** A quarter of the rounds added less, a quarter more. */
  readonly addedQuartilesMs: readonly [number, number];
  /** Of starting node for nothing, on the same machine at the same time. */
  readonly nodeStartMs: number;
  /** Compactions that mode replace left to the host, which takes longer: the machine was too busy. */
  readonly leftToHost: number;
}

/** The value that this share of all is below. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function nodeStart(): number {
  const startedAt = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - startedAt;
}

/** What is measured, and what is done before it in each round without being measured. */
export interface Measured {
  readonly say: string;
  readonly mode?: 'guide' | 'replace';
  before?(rig: Rig, session: Session): Promise<void>;
}

/** Median time that the plugin adds to a turn: a prompt, or `/compact`. */
export async function overhead(
  host: Host,
  rounds: number,
  turn: Measured,
  options: RigOptions = {},
): Promise<Overhead> {
  const sides = [];
  for (const plugin of ['none', options.plugin ?? 'full'] as const) {
    const rig = await setUp(host, { ...options, plugin });
    await rig.chitta('config', 'set', 'mode', turn.mode ?? 'guide');
    const session = rig.open();
    await session.say('Hello.');
    await session.say('A second prompt, so that there is something to compact.');
    sides.push({ rig, session, took: [] as number[] });
  }
  const starts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await pause(READING_MS);
    starts.push(nodeStart());
    for (const { rig, session, took } of sides) {
      await turn.before?.(rig, session);
      await pause(READING_MS);
      const { tookMs } = await session.say(turn.say);
      took.push(tookMs);
    }
  }
  const [without = [], withPlugin = []] = sides.map(({ took }) => took);
  const added = withPlugin.map((ms, round) => ms - (without[round] ?? Number.NaN));
  return {
    withPluginMs: median(withPlugin),
    withoutMs: median(without),
    addedMs: median(added),
    addedQuartilesMs: [quantile(added, 0.25), quantile(added, 0.75)],
    nodeStartMs: median(starts),
    leftToHost: turn.mode === 'replace' ? (sides[1]?.rig.api.of('summary').length ?? 0) : 0,
  };
}
