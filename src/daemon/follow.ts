/**
 * Live transcripts: what is appended is embedded before anyone asks. Looks at each file once a second and reads it when it has
 * been still for a moment; ends by itself when the file does not change any more, is gone, or does not come.
 */
import { stat } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { reasonOf } from '../platform/small-file.ts';
import type { ReadTexts } from './parts.ts';

const MOST_FOLLOWED = 16;
const END_AFTER_MS = 30 * 60_000;
/** A session's file comes into being with its first answer, so one that is not there is waited for, for so long. */
const COMES_WITHIN_MS = 10 * 60_000;
/** A file that is written to all the time is read this often nevertheless. */
const READ_AFTER_MS = 5_000;

interface Followed {
  readonly path: string;
  readonly session: string | undefined;
  /** Size, time of change and number of the file as last seen. */
  seen: string;
  changedAt: number;
  /** When the oldest change that was not read yet was seen. */
  unreadSince: number | undefined;
  busy: boolean;
}

export interface FollowOptions {
  readonly readTexts: ReadTexts;
  /** Has texts embedded when there is nothing better to do. */
  readonly warm: (texts: readonly string[]) => Promise<void>;
  readonly log: (line: string) => void;
  /** Something has changed in a followed file: the session lives. */
  readonly onChange: () => void;
  readonly everyMs: number;
}

export class Followers {
  readonly #options: FollowOptions;
  readonly #followed = new Map<string, Followed>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  /** Follows a file; the one that has been still for the longest gives way when there are too many. */
  follow(path: string, session: string | undefined): void {
    const now = performance.now();
    const known = this.#followed.get(path);
    if (known) known.changedAt = now;
    else this.#followed.set(path, { path, session, seen: '', changedAt: now, unreadSince: now, busy: false });
    if (this.#followed.size > MOST_FOLLOWED) {
      const others = [...this.#followed.values()].filter((one) => one.path !== path);
      const stillest = others.reduce((a, b) => (b.changedAt < a.changedAt ? b : a));
      this.stop(stillest.path);
    }
    this.#timer ??= setInterval(() => this.#look(), this.#options.everyMs);
  }

  stop(path: string): boolean {
    const was = this.#followed.delete(path);
    if (this.#followed.size === 0) this.close();
    return was;
  }

  get paths(): readonly string[] {
    return [...this.#followed.keys()];
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#followed.clear();
  }

  #look(): void {
    for (const one of this.#followed.values()) {
      if (one.busy) continue;
      one.busy = true;
      void this.#lookAt(one).finally(() => (one.busy = false));
    }
  }

  async #lookAt(one: Followed): Promise<void> {
    const now = performance.now();
    const state = await stat(one.path).catch(() => undefined);
    if (state === undefined && one.seen === '' && now - one.changedAt < COMES_WITHIN_MS) return;
    if (!state?.isFile() || now - one.changedAt > END_AFTER_MS) {
      this.stop(one.path);
      return;
    }
    const seen = `${state.size} ${state.mtimeMs} ${state.ino}`;
    const changed = seen !== one.seen;
    one.seen = seen;
    if (changed) {
      one.changedAt = now;
      one.unreadSince ??= now;
      this.#options.onChange();
    }
    if (one.unreadSince === undefined || (changed && now - one.unreadSince < READ_AFTER_MS)) return;
    one.unreadSince = undefined;
    try {
      await this.#options.warm(await this.#options.readTexts(one.path));
    } catch (error) {
      this.#options.log(`a followed transcript could not be read: ${reasonOf(error)}`);
    }
  }
}
