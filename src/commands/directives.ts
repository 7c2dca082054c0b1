/** `chitta directives`: rules that hold until they are revoked. */
import { type Command, Option } from 'commander';
import type { StoredDirective } from '../ports/memory.ts';
import { styleFor } from '../terminal/style.ts';
import { printJson } from './json.ts';
import type { CommandContext } from './context.ts';
import { type ListRow, listingOf } from './listing.ts';
import { COMMAND_MS, withMemory } from './memory-context.ts';
import { wholeNumber } from './numbers.ts';

/** Number, and where the directive holds; with `status`, what the entry says, and about which other. */
function rowsOf(entries: readonly StoredDirective[], status: boolean): ListRow[] {
  const idWidth = entries.reduce((width, { id }) => Math.max(width, String(id).length), 0);
  return entries.map(({ id, project, replaces, status: said, text }) => {
    const where = project === undefined ? 'everywhere' : 'project';
    const about = replaces === undefined ? said : `${said} ${replaces}`;
    const what = status ? `${about.padEnd(12)}  ` : '';
    // What was purged leaves its place in the ledger.
    const words = text === '' ? '(removed)' : text;
    return { head: `${String(id).padStart(idWidth)}  ${what}${where.padEnd(10)}  `, text: words };
  });
}

/** Adds `chitta directives add|list|revoke`. */
export function addDirectivesCommand(program: Command, ctx: CommandContext): void {
  const json = (): Promise<typeof import('../actions/memory-json.ts')> => import('../actions/memory-json.ts');
  const actions = (): Promise<typeof import('../actions/directives.ts')> => import('../actions/directives.ts');

  const directives = program
    .command('directives')
    .summary('rules that hold until they are revoked')
    .description(
      'Add, list and revoke directives: rules that hold until they are revoked, and stand in the hot context.',
    )
    .addHelpText(
      'after',
      `
They are kept as a ledger: nothing in it is changed, a newer entry amends or revokes an older one.

Examples:
  chitta directives add "never change the public API"
  chitta directives add --amend 1 "change the public API only with a note in the changelog"
  chitta directives revoke 1
`,
    );
  directives
    .command('add')
    .description('Add a directive. Secrets in it are masked.')
    .argument('<TEXT>', 'the rule, a sentence')
    .option('--amend <ID>', 'in place of this one', wholeNumber)
    .addOption(new Option('--global', 'for every project, not only this one').conflicts('amend'))
    .option('--json', 'print JSON')
    .action(async (text: string, options: { amend?: number; global?: true; json?: true }) => {
      const { addDirective } = await actions();
      const { directive, added } = await withMemory(ctx, (store, { project }) =>
        addDirective(store, {
          text,
          project,
          everywhere: options.global,
          amends: options.amend,
          deadlineMs: COMMAND_MS,
        }),
      );
      if (options.json) return printJson(ctx, { added, ...(await json()).directiveJson(directive, true) });
      await ctx.print(`${directive.id}\n`);
      return ctx.note(`chitta: directive ${directive.id} ${added ? 'holds from now on' : 'was there already'}`);
    });
  directives
    .command('list', { isDefault: true })
    .description('List the directives of this project and those for every project, newest first.')
    .option('--all', 'the whole ledger: also what was amended or revoked')
    .option('--json', 'print JSON')
    .action(async (options: { all?: true; json?: true }) => {
      const { listDirectives } = await actions();
      const { active, all } = await withMemory(ctx, (store, { project }) => listDirectives(store, project, COMMAND_MS));
      const shown = options.all ? all : active;
      if (options.json) {
        const { directiveJson } = await json();
        return printJson(ctx, { directives: shown.map((one) => directiveJson(one, active.includes(one))) });
      }
      if (shown.length === 0) ctx.note('chitta: no directive holds here; chitta directives add TEXT');
      const { lines, cut } = listingOf(rowsOf(shown, options.all === true), styleFor(ctx.stdout, ctx.env));
      await ctx.print(lines);
      if (cut) ctx.note('chitta: lines are cut; the whole: chitta directives list --json');
    });
  directives
    .command('revoke')
    .description('Revoke a directive. It stays in the ledger, and holds no longer.')
    .argument('<ID>', 'its number', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (id: number, options: { json?: true }) => {
      const { revokeDirective } = await actions();
      const entry = await withMemory(ctx, (store, { project }) => revokeDirective(store, id, project, COMMAND_MS));
      if (options.json) return printJson(ctx, (await json()).directiveJson(entry, false));
      return ctx.note(`chitta: directive ${entry.replaces ?? id} is revoked`);
    });
}
