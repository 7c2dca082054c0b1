/** Stores a memory on purpose: what a person or the model wants kept. */
import { ChittaError } from '../errors.ts';
import { topicOfText } from '../lifecycle/statements.ts';
import type { Remembered } from '../ports/memories.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import { KINDS } from '../protocol/kinds.ts';

/** Characters. A memory is a statement; what is longer belongs into a file. */
const MAX_LENGTH = 8_000;

export interface RememberRequest {
  readonly text: string;
  readonly kind?: string | undefined;
  /** undefined: for every project. */
  readonly project: string | undefined;
  readonly origin: 'person' | 'model';
  readonly session?: string | undefined;
  readonly deadlineMs: number;
}

/** Stores the text, secrets masked, once per project. Rejects with E_PARAM_INVALID, or as the store does. */
export async function remember(store: MemoryDatabase, request: RememberRequest): Promise<Remembered> {
  const text = request.text.trim();
  if (text === '') throw new ChittaError('E_PARAM_INVALID', 'there is no text to remember', { field: 'text' });
  if (text.length > MAX_LENGTH) {
    throw new ChittaError('E_PARAM_INVALID', `the text has ${text.length} characters; at most ${MAX_LENGTH} are kept`, {
      field: 'text',
      hint: 'say it in a sentence, and name the file that holds the rest',
    });
  }
  const kind = KINDS.find((known) => known === (request.kind ?? KINDS[0]));
  if (kind === undefined) {
    throw new ChittaError('E_PARAM_INVALID', `kind ${request.kind} is not known`, {
      field: 'kind',
      hint: `one of: ${KINDS.join(', ')}`,
    });
  }
  const { project, origin, session, deadlineMs } = request;
  const topic = topicOfText(text);
  return store.remember({ text, kind, project, origin, session, sourceIds: [], topic }, deadlineMs);
}
