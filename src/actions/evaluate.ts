/** Measures on a user's own transcripts how much of what was needed later each way of compacting keeps. Reads only. */
import { ChittaError } from '../errors.ts';
import { cutsOf, MIN_SEGMENT_TOKENS } from '../evaluation/episodes.ts';
import { GUESSABLE_FROM_PROJECTS, ProjectCounts } from '../evaluation/guessable.ts';
import { METHODS, REFERENCE_METHOD } from '../evaluation/methods.ts';
import { messagesOf, type SegmentRow } from '../evaluation/normalise.ts';
import { Reading } from '../evaluation/reading.ts';
import { runsOf } from '../evaluation/run.ts';
import { type MethodSummary, Tally } from '../evaluation/tally.ts';
import { type TokenCounter, tokenCounter } from '../evaluation/tokens.ts';
import type { Message } from '../messages/types.ts';

/** A file that may hold a transcript. */
export interface TranscriptFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** A transcript as it is read. */
export interface ReadTranscript {
  readonly project: string;
  readonly segments: readonly (readonly SegmentRow[])[];
  readonly damagedLines: number;
}

/** Where transcripts come from, and how tokens are counted. */
export interface EvaluationPort {
  /** Files below the paths, newest first; without paths those of the user. Rejects if a path is not there. */
  find(paths: readonly string[]): Promise<readonly TranscriptFile[]>;
  /** Undefined if it is no transcript. Rejects if it cannot be read. */
  read(file: TranscriptFile): Promise<ReadTranscript | undefined>;
  /** What a file of another format is, if that can be told. */
  formatOf(file: TranscriptFile): Promise<string | undefined>;
  countText(text: string): number;
  /** Milliseconds of a clock that goes on evenly. */
  now(): number;
}

/** How far the work is. */
export interface Progress {
  readonly step: 'reading' | 'scoring';
  readonly done: number;
  readonly total: number;
}

export interface EvaluateOptions {
  /** Files and folders; none: the user's transcripts. */
  readonly paths: readonly string[];
  readonly ratios: readonly number[];
  /** Only files changed since. */
  readonly sinceMs?: number | undefined;
  /** At most so many transcripts that are long enough, the newest. */
  readonly limit: number;
  /** Names of methods; all if absent. */
  readonly methods?: readonly string[] | undefined;
  readonly onProgress?: (progress: Progress) => void;
}

/** Files that took no part, by reason. */
export interface Skipped {
  /** No segment is long enough, or there is no main chain at all. */
  tooShort: number;
  /** Another format. */
  foreign: number;
  /** Nothing readable in it. */
  damaged: number;
  /** The system refused. */
  unreadable: number;
}

export interface Evaluation {
  readonly transcripts: number;
  readonly projects: number;
  readonly episodes: number;
  /** Mean tokens of the contexts that were compacted. */
  readonly meanContextTokens: number;
  /** Whether there were enough projects to tell what could be guessed. */
  readonly guessableKnown: boolean;
  readonly skipped: Skipped;
  readonly summaries: readonly MethodSummary[];
}

/** No file with fewer bytes holds a segment that is long enough. */
const MIN_BYTES = MIN_SEGMENT_TOKENS;

function methodsFor(names: readonly string[] | undefined): typeof METHODS {
  if (names === undefined) return METHODS;
  const unknown = names.find((name) => !Object.hasOwn(METHODS, name));
  if (unknown !== undefined) {
    throw new ChittaError('E_PARAM_INVALID', `there is no method ${JSON.stringify(unknown)}`, {
      field: 'methods',
      hint: `one of: ${Object.keys(METHODS).join(', ')}`,
    });
  }
  const wanted = new Set([REFERENCE_METHOD, ...names]);
  return Object.fromEntries(Object.entries(METHODS).filter(([name]) => wanted.has(name)));
}

function messagesIn({ segments }: ReadTranscript): Message[][] {
  return segments.map(messagesOf).filter(({ length }) => length > 0);
}

interface Survey {
  readonly chosen: readonly TranscriptFile[];
  readonly projects: number;
  readonly counts: ProjectCounts;
  readonly skipped: Skipped;
}

/** First pass: which files are long enough, and which identifiers stand in several projects. One file in memory at a time. */
async function survey(
  files: readonly TranscriptFile[],
  port: EvaluationPort,
  { limit, onProgress }: EvaluateOptions,
): Promise<Survey> {
  const chosen: TranscriptFile[] = [];
  const projects = new Set<string>();
  const counts = new ProjectCounts();
  const skipped: Skipped = { tooShort: 0, foreign: 0, damaged: 0, unreadable: 0 };
  for (const [index, file] of files.entries()) {
    if (chosen.length >= limit) break;
    onProgress?.({ step: 'reading', done: index, total: files.length });
    let read: ReadTranscript | undefined;
    try {
      read = await port.read(file);
    } catch {
      // Counted; one file that went away or is forbidden says nothing about the others.
      skipped.unreadable += 1;
      continue;
    }
    if (read === undefined) {
      skipped.foreign += 1;
      continue;
    }
    if (file.bytes < MIN_BYTES) {
      skipped.tooShort += 1;
      continue;
    }
    const segments = messagesIn(read);
    if (segments.length === 0 && read.damagedLines > 0) {
      skipped.damaged += 1;
      continue;
    }
    const reading = new Reading();
    for (const messages of segments) counts.add(read.project, messages, reading);
    const counter = counterOf(port);
    if (segments.some((messages) => cutsOf(messages, counter).length > 0)) {
      chosen.push(file);
      projects.add(read.project);
    } else skipped.tooShort += 1;
  }
  return { chosen, projects: projects.size, counts, skipped };
}

/** A counter of its own for each transcript, so that what it remembers goes with it. */
function counterOf(port: EvaluationPort): TokenCounter {
  return tokenCounter((text) => port.countText(text));
}

/** Lets the process hear an interrupt: the work itself never waits for anything. */
function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function nothingFound(files: number, skipped: Skipped | undefined, format: string | undefined): ChittaError {
  if (files === 0) {
    return new ChittaError('E_INPUT_EMPTY', 'there are no transcripts to evaluate', {
      hint: 'name a file or a folder of Claude Code transcripts (.jsonl), or take a wider --since',
    });
  }
  const { tooShort = 0, foreign = 0, damaged = 0, unreadable = 0 } = skipped ?? {};
  if (foreign === files) {
    const what =
      files === 1 ? 'the file is no Claude Code transcript' : `none of ${files} files is a Claude Code transcript`;
    return new ChittaError('E_INPUT_FORMAT', `${what}${format === undefined ? '' : `: ${format}`}`, {
      hint: 'name a file or a folder of Claude Code transcripts (.jsonl)',
    });
  }
  const why = `${tooShort} too short, ${foreign} of another format, ${damaged} damaged, ${unreadable} unreadable`;
  return new ChittaError('E_INPUT_EMPTY', `none of ${files} files is long enough to evaluate: ${why}`, {
    hint: `a transcript needs ${MIN_SEGMENT_TOKENS.toLocaleString('en')} tokens between two compactions`,
  });
}

/**
 * Evaluates the methods. Throws E_PARAM_INVALID for a method that is not known, E_INPUT_EMPTY where no transcript is long
 * enough, E_INPUT_FORMAT where all files are another agent's, E_INPUT_MISSING for a path that is not there.
 */
export async function evaluate(options: EvaluateOptions, port: EvaluationPort): Promise<Evaluation> {
  const methods = methodsFor(options.methods);
  const { sinceMs = 0, ratios, onProgress } = options;
  const files = (await port.find(options.paths)).filter(({ modifiedMs }) => modifiedMs >= sinceMs);
  if (files.length === 0) throw nothingFound(0, undefined, undefined);
  const { chosen, projects, counts, skipped } = await survey(files, port, options);
  if (chosen.length === 0) {
    const [first] = files;
    const format = first && skipped.foreign > 0 ? await port.formatOf(first).catch(() => undefined) : undefined;
    throw nothingFound(files.length, skipped, format);
  }
  const tally = new Tally();
  let episodes = 0;
  let tokens = 0;
  for (const [transcript, file] of chosen.entries()) {
    onProgress?.({ step: 'scoring', done: transcript, total: chosen.length });
    // It was readable a moment ago; if it went away since, the others still count.
    const read = await port.read(file).catch(() => undefined);
    const runs = runsOf(read === undefined ? [] : messagesIn(read), {
      methods,
      ratios,
      counter: counterOf(port),
      reading: new Reading(),
      isGuessable: (identifier) => counts.isGuessable(identifier),
      now: () => port.now(),
    });
    const before = episodes;
    for (const run of runs) {
      const episode = before + run.episode;
      if (episode >= episodes) {
        episodes = episode + 1;
        tokens += run.contextTokens;
      }
      tally.add({ ...run, transcript, episode });
      await breath();
    }
  }
  onProgress?.({ step: 'scoring', done: chosen.length, total: chosen.length });
  return {
    transcripts: chosen.length,
    projects,
    episodes,
    meanContextTokens: tokens / Math.max(1, episodes),
    guessableKnown: counts.projects >= GUESSABLE_FROM_PROJECTS,
    skipped,
    summaries: tally.summaries().filter(({ method }) => options.methods?.includes(method) ?? true),
  };
}
