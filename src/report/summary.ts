/** What a summary came to, in words. */
import type { CompactionEvent } from '../summarize/events.ts';
import type { CompactSummary } from '../protocol/compact-result.ts';
import type { SummaryReport } from '../summarize/report.ts';
import { grouped } from './totals.ts';

/** Unverified names on a line; more are in the JSON. */
const MAX_NAMES = 8;

/** How many names were checked, and which do not stand in the source. */
export function verificationLine(checked: number, unverified: readonly string[]): string {
  if (unverified.length === 0) return `${grouped(checked)} names and numbers checked, all stand in the conversation`;
  const rate = ((100 * unverified.length) / checked).toFixed(1);
  const more = unverified.length > MAX_NAMES ? ', …' : '';
  const names = unverified.slice(0, MAX_NAMES).join(', ') + more;
  return `${grouped(unverified.length)} of ${grouped(checked)} names and numbers (${rate} %) do not stand in the conversation: ${names}`;
}

/** A line or two for people, after the summary. */
export function summaryLines(report: SummaryReport): string[] {
  const { summarised, kept, beforeTokens, afterTokens, freedTokens, model, requests, reused } = report;
  const how = reused
    ? 'the stored summary still fits'
    : `${model}, ${requests === 1 ? '1 request' : `${requests} requests`}`;
  return [
    `${grouped(summarised)} messages summarised, ${grouped(kept)} kept · ${grouped(beforeTokens)} → ${grouped(afterTokens)} tokens, ${grouped(freedTokens)} freed · ${how}`,
    verificationLine(report.checked, report.unverified),
    ...(report.missingSections.length === 0 ? [] : [`left out by the model: ${report.missingSections.join(', ')}`]),
    ...(report.focusClamped
      ? [`the focus was cut to ${grouped(report.focusTokens)} tokens, a quarter of the window`]
      : []),
  ];
}

/** The same of a compaction with a summary. */
export function compactSummaryLines({
  summarised,
  tokens,
  model,
  requests,
  checked,
  unverified,
}: CompactSummary): string[] {
  const asked = requests === 1 ? '1 request' : `${requests} requests`;
  return [
    `${grouped(summarised)} of them in a summary of ${grouped(tokens)} tokens · ${model}, ${asked}`,
    verificationLine(checked, unverified),
  ];
}

/** What is being done; undefined once it is over. */
export function progressText(event: CompactionEvent): string | undefined {
  switch (event.type) {
    case 'started':
      return `${event.model}: ${grouped(event.messages)} messages, ${grouped(event.tokens)} tokens, 0 of ${event.chunks} parts`;
    case 'stage': {
      const what = { chunk: 'parts summarised', combine: 'summaries of parts joined', verify: 'checked' }[event.stage];
      return `${event.done} of ${event.total} ${what}`;
    }
    default:
      return undefined;
  }
}
