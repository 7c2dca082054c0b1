/** What `chitta summarize --json` prints: the one place that maps a summary to the wire. Fields only ever grow. */
import type { Message } from '../messages/types.ts';
import type { SummaryReport, SummaryResult } from '../summarize/report.ts';

/** The report on the wire. */
export function reportJson(report: SummaryReport): Record<string, unknown> {
  const { usage } = report;
  return {
    model: report.model,
    window: report.window ?? null,
    summarised: report.summarised,
    kept: report.kept,
    before_tokens: report.beforeTokens,
    after_tokens: report.afterTokens,
    freed_tokens: report.freedTokens,
    summary_tokens: report.summaryTokens,
    chunks: report.chunks,
    requests: report.requests,
    focus_tokens: report.focusTokens,
    focus_clamped: report.focusClamped,
    masked: report.masked,
    checked: report.checked,
    unverified: report.unverified,
    unverified_rate: report.unverifiedRate,
    missing_sections: report.missingSections,
    usage: usage === undefined ? null : { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
    reused: report.reused,
    generation: report.generation,
  };
}

/** A summary with the conversation that it leads to. */
export function summaryJson({ messages, summary, report }: SummaryResult): {
  readonly messages: readonly Message[];
  readonly summary: string;
  readonly report: Record<string, unknown>;
} {
  return { messages, summary, report: reportJson(report) };
}
