/** What goes wrong is said once: again only when it is something else, or after it had gone well. A locked database would fill the log. */
import { codeOf, reasonOf } from '../platform/small-file.ts';

export class Complaints {
  readonly #log: (line: string) => void;
  readonly #said = new Map<string, string>();

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** `topic` is one of a few: what does not work. Errors with the same code are the same. */
  about(topic: string, error: unknown): void {
    const kind = codeOf(error) ?? reasonOf(error);
    if (this.#said.get(topic) === kind) return;
    this.#said.set(topic, kind);
    this.#log(`${topic}: ${reasonOf(error)}`);
  }

  /** It works again. */
  clear(topic: string): void {
    this.#said.delete(topic);
  }
}

const AGAIN_AFTER_MS = 600_000;
const MAX_LINES = 32;

/** A log that takes the same line at most once in ten minutes: for those who cannot know that they said it before. `now` in milliseconds. */
export function sparing(
  log: (line: string) => void,
  now: () => number = () => performance.now(),
): (line: string) => void {
  const said = new Map<string, number>();
  return (line) => {
    const at = said.get(line);
    if (at !== undefined && now() - at < AGAIN_AFTER_MS) return;
    if (said.size >= MAX_LINES) said.clear();
    said.set(line, now());
    log(line);
  };
}
