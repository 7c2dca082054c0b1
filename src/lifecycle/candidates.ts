/** What of a session is worth a memory of its own, with where it was said. Deterministic; precision before recall. Pure; linear. */
import { handleOf } from '../messages/handle.ts';
import { humanText, isSummary } from '../messages/typed.ts';
import type { Message } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import type { NewMemory } from '../ports/memories.ts';
import { quote } from '../session/quote.ts';
import { fixesIn, type Turn } from './fixes.ts';
import { statementsIn } from './statements.ts';

/** Fixes of one run of turns; the newest. */
const MAX_FIXES = 3;
const MAX_CHARS = 600;
const FIX_CONFIDENCE = 0.6;

export interface Whose {
  readonly session: string;
  readonly project: string | undefined;
}

function idOf(message: Message): string {
  const { uuid } = message;
  return typeof uuid === 'string' && uuid !== '' ? uuid : handleOf(message);
}

/** Memories that the messages would make, in the order in which they were said; their sources are the messages' ids. */
export function candidatesIn(messages: readonly Message[], { session, project }: Whose): NewMemory[] {
  const common = { session, project, origin: 'auto' } as const;
  const candidates: NewMemory[] = [];
  const turns: Turn[] = [];
  for (const message of messages) {
    if (isSummary(message)) continue;
    const id = idOf(message);
    turns.push({ id, view: viewOf(message) });
    for (const { kind, text, topic, confidence } of statementsIn(humanText(message))) {
      const line = quote(text, MAX_CHARS);
      candidates.push({ ...common, kind, text: line, quote: line, topic, confidence, sourceIds: [id] });
    }
  }
  for (const { text, quote: line, sourceIds } of fixesIn(turns).slice(-MAX_FIXES)) {
    candidates.push({
      ...common,
      kind: 'fix',
      text: quote(text, MAX_CHARS * 2),
      quote: line,
      confidence: FIX_CONFIDENCE,
      sourceIds,
    });
  }
  return candidates;
}
