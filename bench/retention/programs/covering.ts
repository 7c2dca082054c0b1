/** Measures what memories free and cost on a folder of transcripts; bundled and called by ../covering.mjs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { coveringTexts } from '../../../src/actions/covering.ts';
import { cutsOf } from '../../../src/evaluation/episodes.ts';
import { ProjectCounts } from '../../../src/evaluation/guessable.ts';
import { messagesOf } from '../../../src/evaluation/normalise.ts';
import { Reading } from '../../../src/evaluation/reading.ts';
import { Scorer } from '../../../src/evaluation/score.ts';
import { type Estimate, estimate, type Observation } from '../../../src/evaluation/statistics.ts';
import { tokenCounter } from '../../../src/evaluation/tokens.ts';
import { type Truth, truthOf } from '../../../src/evaluation/truth.ts';
import type { Message } from '../../../src/messages/types.ts';
import { viewOf } from '../../../src/messages/view.ts';
import { openMemory } from '../../../src/memory/store.ts';
import { openEvaluation } from '../../../src/wiring/evaluation.ts';
import { type EpisodeTools, type Memories, outcomesOf } from '../covering/episode.ts';
import { memoriesOf } from '../covering/memories.ts';
import { Outcomes, type Summary } from '../covering/summary.ts';

/** Deadline of each call of the store: none is meant to be late here. */
const DEADLINE_MS = 60_000;
const PROJECT = '/bench';

export interface MeasureOptions {
  readonly ratios: readonly number[];
  readonly factors: readonly number[];
  /** Shares of the older part's identifiers that the memories hold; what covers is looked up as a compaction does. */
  readonly shares: readonly number[];
  /** Shares, as if every row had been found; 1: all that could be stored. */
  readonly allFound: readonly number[];
  readonly onTranscript?: (done: number, total: number) => void;
}

/** Means over transcripts. */
export interface SetFigures {
  readonly name: string;
  readonly rows: number;
  readonly found: number;
  /** Composite of the memories without any context. */
  readonly alone: number;
}

export interface Measured {
  readonly transcripts: number;
  readonly projects: number;
  readonly episodes: number;
  readonly meanContextTokens: number;
  readonly sets: readonly SetFigures[];
  readonly summaries: readonly Summary[];
}

/** Stores rows as a user's store does, and asks it what covers the context as a compaction does. */
async function storedAndFound(
  name: string,
  context: readonly Message[],
  texts: ReturnType<typeof memoriesOf>,
): Promise<Memories> {
  const home = mkdtempSync(join(tmpdir(), 'chitta-covering-'));
  const store = openMemory({ home });
  try {
    for (const row of texts) {
      await store.remember({ ...row, project: PROJECT, session: undefined, sourceIds: [] }, DEADLINE_MS);
    }
    const options = { project: PROJECT, sourceIds: [], deadlineMs: DEADLINE_MS };
    const found = await coveringTexts(context.map(viewOf), store, options);
    const stored = await store.memories({ project: PROJECT, limit: texts.length }, DEADLINE_MS);
    return { name, stored: stored.map(({ text }) => text), found };
  } finally {
    store.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Collects what is said of each set of memories. */
class Sets {
  readonly #seen = new Map<string, { rows: Observation[]; found: Observation[]; alone: Observation[] }>();

  add(transcript: number, { name, stored, found }: Memories, alone: number | null): void {
    const seen = this.#seen.get(name) ?? { rows: [], found: [], alone: [] };
    this.#seen.set(name, seen);
    seen.rows.push({ transcript, value: stored.length });
    seen.found.push({ transcript, value: found.length });
    seen.alone.push({ transcript, value: alone });
  }

  figures(): SetFigures[] {
    const meanOf = (found: Estimate | undefined): number => found?.mean ?? 0;
    return [...this.#seen].map(([name, { rows, found, alone }]) => ({
      name,
      rows: meanOf(estimate(rows)),
      found: meanOf(estimate(found)),
      alone: meanOf(estimate(alone)),
    }));
  }
}

async function setsOf(
  context: readonly Message[],
  seed: number,
  { shares, allFound }: MeasureOptions,
  tools: EpisodeTools,
): Promise<Memories[]> {
  const sets: Memories[] = [];
  for (const share of new Set([...shares, ...allFound])) {
    const rows = memoriesOf(context, { share, seed, ...tools });
    const set = await storedAndFound(share === 1 ? 'all' : `${share * 100} %`, context, rows);
    if (shares.includes(share)) sets.push(set);
    if (allFound.includes(share)) sets.push({ ...set, name: `${set.name}, all found`, found: set.stored });
  }
  return sets;
}

function aloneOf(context: readonly Message[], truth: Truth, { stored }: Memories, tools: EpisodeTools): number | null {
  const message: Message = { role: 'user', content: [{ type: 'text', text: stored.join('\n') }] };
  const scorer = new Scorer(context, truth, tools.reading, tools.counter);
  return scorer.score([message], Number.POSITIVE_INFINITY).score.composite;
}

export async function measure(folder: string, options: MeasureOptions): Promise<Measured> {
  const port = await openEvaluation(process.env, process.cwd());
  // By name: which was touched last says nothing here, and seeds go by position.
  const files = (await port.find([folder])).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const counts = new ProjectCounts();
  const chosen: { readonly project: string; readonly segments: readonly Message[][] }[] = [];
  for (const file of files) {
    const read = await port.read(file);
    const segments = read?.segments.map(messagesOf).filter(({ length }) => length > 0) ?? [];
    if (read === undefined || segments.length === 0) continue;
    const reading = new Reading();
    for (const messages of segments) counts.add(read.project, messages, reading);
    const counter = tokenCounter((text) => port.countText(text));
    if (segments.some((messages) => cutsOf(messages, counter).length > 0)) {
      chosen.push({ project: read.project, segments });
    }
  }
  const outcomes = new Outcomes();
  const sets = new Sets();
  let [episodes, tokens] = [0, 0];
  for (const [transcript, { segments }] of chosen.entries()) {
    options.onTranscript?.(transcript, chosen.length);
    const tools = { ...options, reading: new Reading(), counter: tokenCounter((text) => port.countText(text)) };
    for (const messages of segments) {
      for (const cut of cutsOf(messages, tools.counter)) {
        const context = messages.slice(0, cut);
        const isGuessable = (identifier: string): boolean => counts.isGuessable(identifier);
        const truth = truthOf(context, messages.slice(cut), { ...tools, isGuessable });
        episodes += 1;
        tokens += truth.contextTokens;
        const made = await setsOf(context, episodes, options, tools);
        for (const set of made) sets.add(transcript, set, aloneOf(context, truth, set, tools));
        outcomes.add(transcript, outcomesOf(context, truth, made, tools));
      }
    }
  }
  return {
    transcripts: chosen.length,
    projects: new Set(chosen.map(({ project }) => project)).size,
    episodes,
    meanContextTokens: Math.round(tokens / Math.max(1, episodes)),
    sets: sets.figures(),
    summaries: outcomes.summaries(),
  };
}
