/**
 * Identifiers that could be known without a session's context (`package.json`, `process.env`), because they stand in the
 * transcripts of several projects. They are no truths.
 */
import type { Message } from '../messages/types.ts';
import { blocksOf, type Reading } from './reading.ts';

/** Projects from which on an identifier counts as guessable; with fewer projects nothing is. */
export const GUESSABLE_FROM_PROJECTS = 3;

/** 53 bits of a text: identifiers of many transcripts would keep all their lines in memory. */
function fingerprint(text: string): number {
  let [low, high] = [0x811c_9dc5, 0x9e37_79b9];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x0100_0193);
    high = Math.imul(high ^ code, 0x85eb_ca6b);
    high ^= high >>> 13;
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}

const MANY = -1;
/** More projects than this are not told apart. */
const MAX_PROJECTS = 30_000;

/** Counts in how many projects each identifier stands. Holds one number for each identifier, no text. */
export class ProjectCounts {
  /** One project: its number; two: both numbers in one; more: MANY. */
  readonly #seen = new Map<number, number>();
  readonly #projects = new Map<string, number>();

  /** Notes the identifiers of a transcript of this project. */
  add(project: string, messages: readonly Message[], reading: Reading): void {
    const number = this.#numberOf(project);
    for (const message of messages) {
      for (const block of blocksOf(message)) {
        for (const line of reading.lines(block)) {
          for (const { key } of reading.identifiers(line)) this.#note(fingerprint(key), number);
        }
      }
    }
  }

  /** Projects seen so far. */
  get projects(): number {
    return this.#projects.size;
  }

  isGuessable(identifier: string): boolean {
    return this.#seen.get(fingerprint(identifier)) === MANY;
  }

  #numberOf(project: string): number {
    const known = this.#projects.get(project);
    if (known !== undefined) return known;
    const made = Math.min(this.#projects.size + 1, MAX_PROJECTS);
    this.#projects.set(project, made);
    return made;
  }

  #note(key: number, project: number): void {
    const before = this.#seen.get(key) ?? 0;
    if (before === MANY || before === project) return;
    if (before === 0) this.#seen.set(key, project);
    else if (before <= MAX_PROJECTS) this.#seen.set(key, before * (MAX_PROJECTS + 1) + project);
    else if (before % (MAX_PROJECTS + 1) !== project && Math.floor(before / (MAX_PROJECTS + 1)) !== project) {
      this.#seen.set(key, MANY);
    }
  }
}
