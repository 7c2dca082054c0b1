/** `chitta digest`: what happened in a project. */
import type { Command } from 'commander';
import type { Digest } from '../actions/digest.ts';
import { sanitize } from '../terminal/sanitize.ts';
import { printJson } from './json.ts';
import type { CommandContext } from './context.ts';
import { COMMAND_MS, withMemory } from './memory-context.ts';
import { lookBack } from './times.ts';

interface Options {
  readonly since?: ReturnType<typeof lookBack>;
  readonly summarize?: true;
  readonly model?: string;
  readonly json?: true;
}

/** Adds `chitta digest`. */
export function addDigestCommand(program: Command, ctx: CommandContext): void {
  const summaryOf = async (digest: Digest, asked: string | undefined): Promise<string> => {
    const [{ summarizeDigest }, app] = await Promise.all([import('../actions/digest.ts'), ctx.openApp()]);
    const summaries = await app.openSummaries();
    const summarizer = await summaries.open({ asked, turnModel: undefined });
    try {
      return await summarizeDigest(digest, summarizer, ctx.interruption?.());
    } finally {
      await summarizer.close();
    }
  };
  program
    .command('digest')
    .summary('what happened in this project')
    .description('Print what happened in this project: directives, memories, compactions, sessions.')
    .option(
      '--since <WHEN>',
      'so long ago (7d), a day (2026-01-31), or with a session, by its id (default 7d)',
      lookBack,
    )
    .option('--summarize', 'have a language model say it in a few lines')
    .option('--model <MODEL>', 'the model for that, as for chitta summarize')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The same is printed whenever the same is stored. At most 40 entries a section, the newest.

Examples:
  chitta digest
  chitta digest --since 2026-01-31
  chitta digest --since 0f8fad5b --json | jq '.directives.entries'
`,
    )
    .action(async ({ since = lookBack('7d'), summarize, model, json }: Options) => {
      const { digest, digestJson } = await import('../actions/digest.ts');
      const made = await withMemory(ctx, (store, { project }) =>
        digest(store, { project, since, deadlineMs: COMMAND_MS }),
      );
      const summary = summarize && made.text !== '' ? await summaryOf(made, model) : undefined;
      if (json) return printJson(ctx, digestJson(made, summary));
      if (made.text === '') return ctx.note(`chitta: nothing happened since ${new Date(made.sinceMs).toISOString()}`);
      return ctx.print(`${sanitize(summary ?? made.text)}\n`);
    });
}
