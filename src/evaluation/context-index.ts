/** Where the lines and identifiers of a context stand. */
import type { Message } from '../messages/types.ts';
import type { IdentifierKind } from './identifiers.ts';
import { blocksOf, type Reading } from './reading.ts';
import type { TokenCounter } from './tokens.ts';

/** Different lines remembered for one identifier: each of them, kept, keeps it. */
const MAX_LINES = 24;

export interface Standing {
  readonly kind: IdentifierKind;
  /** Indices of the messages it stands in, ascending. */
  readonly messages: number[];
  /** Lines of the context it stands in. */
  readonly lines: string[];
}

export interface ContextIndex {
  readonly identifiers: ReadonlyMap<string, Standing>;
  readonly lines: ReadonlySet<string>;
  /** Tokens up to the end of each message. */
  readonly endTokens: readonly number[];
  readonly tokens: number;
}

export function indexContext(context: readonly Message[], reading: Reading, counter: TokenCounter): ContextIndex {
  const identifiers = new Map<string, Standing>();
  const lines = new Set<string>();
  const endTokens: number[] = [];
  let tokens = 0;
  for (const [index, message] of context.entries()) {
    tokens += counter.message(message);
    endTokens.push(tokens);
    for (const block of blocksOf(message)) {
      for (const line of reading.lines(block)) {
        lines.add(line);
        for (const { key, kind } of reading.identifiers(line)) {
          let standing = identifiers.get(key);
          if (standing === undefined) {
            standing = { kind, messages: [], lines: [] };
            identifiers.set(key, standing);
          }
          if (standing.messages.at(-1) !== index) standing.messages.push(index);
          if (standing.lines.length < MAX_LINES && standing.lines.at(-1) !== line) standing.lines.push(line);
        }
      }
    }
  }
  return { identifiers, lines, endTokens, tokens };
}
