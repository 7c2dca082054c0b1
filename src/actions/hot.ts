/** The hot context of a project: what is worked on, the directives that hold, and its charter. */
import { assembleHotContext, type FocusEntry, type HotContext } from '../hot/assemble.ts';
import type { Directive } from '../hot/directives.ts';
import { focusOfSession, focusOfText } from '../hot/focus.ts';
import type { Message } from '../messages/types.ts';
import { maskSecrets } from '../redact/mask.ts';
import { snapshotOf } from '../session/snapshot.ts';

/** A file of rules that a project keeps for its agents. */
export interface Charter {
  readonly file: string;
  readonly text: string;
}

/** Tickets that are looked up for one focus. */
const MAX_TITLES = 10;

/** Ports of the use case. */
export interface HotDeps {
  /** The newest turns of the session; empty if there is none. */
  readSession(): Promise<readonly Message[]>;
  readDirectives(): Promise<readonly Directive[]>;
  /** Of a ticket; undefined if there is nobody to ask. Nothing else of it goes into a focus. */
  readTitle?(number: number): Promise<string | undefined>;
  /** undefined if there is none, or the host has it in its context already. */
  readCharter(): Promise<Charter | undefined>;
}

export interface HotRequest {
  /** What is worked on, one title a line; read off the session if it is not given. */
  readonly focus?: string | undefined;
  /** Tokens, `HOT_BUDGET` if it is not given. */
  readonly budget?: number | undefined;
}

export interface HotResult extends HotContext {
  readonly charterFile: string | undefined;
  /** Sources that could not be read, and why: the context was made without them. */
  readonly problems: readonly string[];
}

/** Puts the context together, all of it masked. What cannot be read is left out and reported; never rejects. */
export async function hotContext({ focus, budget }: HotRequest, deps: HotDeps): Promise<HotResult> {
  const problems: string[] = [];
  const orElse = async <T>(what: string, read: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      problems.push(`${what} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      return otherwise;
    }
  };
  const ofSession = async (): Promise<FocusEntry[]> => focusOfSession(snapshotOf(await deps.readSession()));
  const { readTitle } = deps;
  const titled = (entry: FocusEntry, index: number): Promise<FocusEntry> | FocusEntry => {
    const { number, title } = entry;
    if (number === undefined || title !== '' || readTitle === undefined || index >= MAX_TITLES) return entry;
    const read = async (): Promise<FocusEntry> => ({ number, title: (await readTitle(number)) ?? '' });
    return orElse(`the title of #${number}`, read, entry);
  };
  const entries =
    focus === undefined
      ? await orElse('the session', ofSession, [])
      : await Promise.all(focusOfText(maskSecrets(focus).text).map(titled));
  const directives = await orElse('the directives', deps.readDirectives, []);
  const charter = await orElse('the charter', deps.readCharter, undefined);
  const context = assembleHotContext(
    { focus: entries, directives, charter: maskSecrets(charter?.text ?? '').text },
    budget,
  );
  return { ...context, charterFile: charter?.file, problems };
}

/** As JSON for programs: snake_case. docs/hot-context.md lists the fields. */
export function hotJson({ text, tokens, budget, focus, directives, charter, ...rest }: HotResult): object {
  return {
    text,
    tokens,
    budget,
    focus,
    directives,
    charter: { file: rest.charterFile ?? null, ...charter },
    problems: rest.problems,
  };
}
