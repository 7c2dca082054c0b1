/** What a host's summary lost. */
import type { Message } from '../messages/types.ts';
import type { Audit } from '../ports/episodes.ts';
import { auditSummary } from '../session/audit.ts';
import { newestGroup } from '../session/passages.ts';

/**
 * Compares a summary with the context for which it stands, but for the newest group of messages, which hosts keep as it is.
 * `reply` is what the model answered, with whatever it wrote around the summary.
 */
export function auditTranscript(messages: readonly Message[], reply: string): Audit {
  return auditSummary(messages.slice(0, newestGroup(messages)), reply);
}
