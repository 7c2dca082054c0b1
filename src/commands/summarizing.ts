/** What `summarize` and `compact --summarize` have in common: who is asked, progress, and Ctrl-C. */
import { basename } from 'node:path';
import type { App } from '../app.ts';
import { progressText } from '../report/summary.ts';
import { progressOn } from '../terminal/progress.ts';
import type { CommandContext } from './context.ts';
import type { Source } from './input.ts';

type Summaries = Awaited<ReturnType<App['openSummaries']>>;
type Summarizer = Awaited<ReturnType<Summaries['open']>>;
type SummaryRequest = Parameters<Summarizer['summarize']>[1];

/** Sessions of the host are named by a UUID, and their files by that. */
const SESSION_FILE = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.jsonl$/;

/** The session that a transcript is of; undefined for any other input. */
export function sessionOf(source: Source): string | undefined {
  return 'path' in source ? SESSION_FILE.exec(basename(source.path))?.[1] : undefined;
}

/** Runs a piece of work with the model that applies, and lets go of it. What is in progress shows on a terminal. */
export async function withSummarizer<T>(
  ctx: CommandContext,
  summaries: Summaries,
  question: Parameters<Summaries['open']>[0],
  work: (summarizer: Summarizer, request: Pick<SummaryRequest, 'signal' | 'onEvent'>) => Promise<T>,
): Promise<T> {
  const signal = ctx.interruption?.();
  const progress = progressOn(ctx.stderr, ctx.env['TERM']);
  const summarizer = await summaries.open(question);
  try {
    return await work(summarizer, {
      signal,
      onEvent: (event) => {
        const text = progressText(event);
        if (text !== undefined) progress.show(text);
      },
    });
  } finally {
    progress.clear();
    await summarizer.close();
  }
}
