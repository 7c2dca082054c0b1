/** `chitta hot`: the little that an agent should always have before its eyes. */
import type { Command } from 'commander';
import type { HotResult } from '../actions/hot.ts';
import { sanitize, sanitizeLine } from '../terminal/sanitize.ts';
import { printJson } from './json.ts';
import type { CommandContext } from './context.ts';
import { COMMAND_MS, withMemory } from './memory-context.ts';
import { wholeNumber } from './numbers.ts';

/** Tokens; the action's own (a test compares). Here so that help loads nothing. */
export const DEFAULT_BUDGET = 2_000;

/** What was left out or cut, a line each. */
export function hotNotes({ text, budget, focus, directives, charter, charterFile, problems }: HotResult): string[] {
  const notes = problems.map(sanitizeLine);
  if (focus.cut) {
    const rest = focus.shown === 0 ? 'has no room' : `is cut: ${focus.shown} of ${focus.given} titles`;
    notes.push(`the focus is larger than the budget of ${budget} and ${rest}`);
  }
  const hidden = directives.active - directives.shown.length;
  if (hidden > 0) notes.push(`${hidden} of ${directives.active} directives had no room: chitta directives list`);
  if (charterFile !== undefined && charter.shown < charter.lines) {
    notes.push(`${sanitizeLine(charterFile)} is cut: ${charter.shown} of ${charter.lines} lines`);
  }
  if (text === '' && notes.length === 0) notes.push('there is nothing to say: no session, no directive, no charter');
  return notes;
}

/** Adds `chitta hot`. */
export function addHotCommand(program: Command, ctx: CommandContext): void {
  program
    .command('hot')
    .summary('print focus, directives and charter within a budget')
    .description(
      'Print the hot context: what is worked on, the directives that hold, and as much of the charter as fits the budget.',
    )
    .option('--focus <TEXT>', 'what is worked on, one title a line (default: read off the newest session here)')
    .option('--budget <N>', `tokens, never exceeded (default ${DEFAULT_BUDGET})`, wholeNumber)
    .option('--charter <FILE>', "the file of rules (default: AGENTS.md, else CLAUDE.md, in the project's root)")
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  chitta hot
  chitta hot --focus "#12 log in with a passkey" --budget 500
  chitta hot --charter docs/rules.md --json | jq '.charter.shown'
`,
    )
    .action(async (options: { focus?: string; budget?: number; charter?: string; json?: true }) => {
      const { hotContext, hotJson } = await import('../actions/hot.ts');
      const app = await ctx.openApp();
      // A file that was named must be there; whatever else is missing is left out.
      const named = options.charter === undefined ? undefined : await app.readCharter(options.charter);
      const result = await hotContext(options, {
        readSession: () => app.readNewestSession(),
        readDirectives: () => withMemory(ctx, (store, { project }) => store.directives(project, COMMAND_MS)),
        readTitle: async (number) => {
          const access = await app.openTickets();
          return access.state === 'on' ? (await access.source.ticket(number)).ticket.title : undefined;
        },
        readCharter: async () => named ?? app.readCharter(),
      });
      for (const note of hotNotes(result)) ctx.note(`chitta: ${note}`);
      if (options.json) return printJson(ctx, hotJson(result));
      if (result.text === '') return;
      await ctx.print(`${sanitize(result.text)}\n`);
    });
}
