/** `chitta directives`: rules that hold until they are revoked. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Written } from '../actions/directives.ts';
import { styleFor } from '../terminal/style.ts';
import { ledgerRows, proposalRows, renderHistory, rowsOf } from './directives-list.ts';
import { printJson } from './json.ts';
import type { CommandContext } from './context.ts';
import { type ListRow, listingOf } from './listing.ts';
import { COMMAND_MS, withMemory } from './memory-context.ts';
import { wholeNumber } from './numbers.ts';
import { expiry } from './times.ts';

const EXPIRES = '<TIME>';
const EXPIRES_HELP = 'holds so long (12h, 30d, 8w, 1y), or through that day (2026-01-31); never: for good';

interface Terms {
  readonly global?: true;
  readonly expires?: number | 'never';
  readonly supersedes?: readonly number[];
  readonly json?: true;
}

/** Numbers, as often as the option or the argument is given. */
function numbers(text: string, before: readonly number[] = []): readonly number[] {
  return [...before, wholeNumber(text)];
}

/** As use cases take it: null is never. */
function untilOf({ expires }: Terms): number | null | undefined {
  return expires === 'never' ? null : expires;
}

function session(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must be the id of a session.');
  return text;
}

/** Adds `chitta directives add|list|accept|amend|revoke|show|forget`. */
export function addDirectivesCommand(program: Command, ctx: CommandContext): void {
  const json = (): Promise<typeof import('../actions/memory-json.ts')> => import('../actions/memory-json.ts');
  const actions = (): Promise<typeof import('../actions/directives.ts')> => import('../actions/directives.ts');

  const holds = async ({ directive, added }: Written, asJson: true | undefined): Promise<void> => {
    if (asJson) return printJson(ctx, { added, ...(await json()).directiveJson(directive, true) });
    await ctx.print(`${directive.id}\n`);
    const until = directive.expiresMs === undefined ? '' : `, until ${new Date(directive.expiresMs).toISOString()}`;
    return ctx.note(`chitta: directive ${directive.id} ${added ? `holds from now on${until}` : 'was there already'}`);
  };
  const list = async (rows: readonly ListRow[]): Promise<void> => {
    const { lines, cut } = listingOf(rows, styleFor(ctx.stdout, ctx.env));
    await ctx.print(lines);
    if (cut) ctx.note('chitta: lines are cut; the whole: chitta directives show ID');
  };

  const directives = program
    .command('directives')
    .summary('rules that hold until they are revoked')
    .description(
      'Add, list, accept and revoke directives: rules that hold until they are revoked, and stand in the hot context.',
    )
    .addHelpText(
      'after',
      `
They are kept as a ledger: nothing in it is changed, a newer entry amends or ends an older one. Rules found in
prompts are only proposed, and hold once they are accepted.

Examples:
  chitta directives add "never change the public API"
  chitta directives add --expires 2w "no releases before the audit is done"
  chitta directives amend 1 "change the public API only with a note in the changelog"
  chitta directives accept 4
  chitta directives revoke 1
`,
    );
  directives
    .command('add')
    .description('Add a directive. Secrets in it are masked.')
    .argument('<TEXT>', 'the rule, a sentence')
    .option('--amend <ID>', 'in place of this one', wholeNumber)
    .option('--supersedes <ID>', 'ends this other one; may be given more than once', numbers)
    .option(`--expires ${EXPIRES}`, EXPIRES_HELP, expiry)
    .addOption(new Option('--global', 'for every project, not only this one').conflicts('amend'))
    .option('--session <ID>', 'the session that it comes from', session)
    .option('--json', 'print JSON')
    .action(async (text: string, options: Terms & { amend?: number; session?: string }) => {
      const { addDirective } = await actions();
      const { global: everywhere, amend: amends, supersedes } = options;
      const asked = { text, everywhere, amends, supersedes, expiresMs: untilOf(options), session: options.session };
      const written = await withMemory(ctx, (store, { project }) =>
        addDirective(store, { ...asked, project, deadlineMs: COMMAND_MS }),
      );
      return holds(written, options.json);
    });
  directives
    .command('list', { isDefault: true })
    .description(
      'List the directives of this project and those for every project, newest first, then what is only proposed.',
    )
    .addOption(new Option('--proposed', 'only those that wait').conflicts('all'))
    .option('--all', 'the whole ledger: also what was amended or ended')
    .option('--json', 'print JSON')
    .action(async (options: { proposed?: true; all?: true; json?: true }) => {
      const { listDirectives } = await actions();
      const { active, proposed, all } = await withMemory(ctx, (store, { project }) =>
        listDirectives(store, project, COMMAND_MS),
      );
      const shown = options.all ? all : options.proposed ? proposed : active;
      if (options.json) {
        const { directiveJson } = await json();
        const rows = (entries: typeof shown): unknown[] =>
          entries.map((one) => directiveJson(one, active.includes(one)));
        return printJson(ctx, { directives: rows(shown), proposed: rows(proposed) });
      }
      if (options.all) return list(ledgerRows(all));
      if (options.proposed) {
        if (proposed.length === 0) ctx.note('chitta: no directive waits to be accepted');
        return list(proposalRows(proposed));
      }
      if (active.length === 0) ctx.note('chitta: no directive holds here; chitta directives add TEXT');
      await list([...rowsOf(active), ...proposalRows(proposed)]);
      const what = proposed.length === 1 ? 'one is' : `${proposed.length} are`;
      if (proposed.length > 0) ctx.note(`chitta: ${what} only proposed: chitta directives accept ID, or revoke ID`);
    });
  directives
    .command('accept')
    .description('Accept what was proposed: it holds from now on.')
    .argument('<ID...>', 'their numbers', numbers)
    .option('--supersedes <ID>', 'ends this other one; may be given more than once', numbers)
    .option(`--expires ${EXPIRES}`, EXPIRES_HELP, expiry)
    .option('--global', 'for every project, not only this one')
    .option('--json', 'print JSON')
    .action(async (ids: readonly number[], options: Terms) => {
      const { acceptDirective } = await actions();
      const { global: everywhere, supersedes } = options;
      const expiresMs = untilOf(options);
      const written = await withMemory(ctx, async (store, { project }) => {
        const done: Written[] = [];
        for (const [index, id] of ids.entries()) {
          // What is superseded ends once.
          const asked = { id, everywhere, expiresMs, supersedes: index === 0 ? supersedes : undefined };
          done.push(await acceptDirective(store, { ...asked, project, deadlineMs: COMMAND_MS }));
        }
        return done;
      });
      if (options.json) {
        const { directiveJson } = await json();
        const rows = written.map(({ directive, added }) => ({ added, ...directiveJson(directive, true) }));
        return printJson(ctx, { directives: rows });
      }
      for (const one of written) await holds(one, undefined);
    });
  directives
    .command('amend')
    .description('Put other words in the place of a directive; of one that is proposed, it is accepted in these words.')
    .argument('<ID>', 'its number', wholeNumber)
    .argument('<TEXT>', 'the rule, a sentence')
    .option(`--expires ${EXPIRES}`, EXPIRES_HELP, expiry)
    .option('--json', 'print JSON')
    .action(async (amends: number, text: string, options: Terms) => {
      const { addDirective } = await actions();
      const written = await withMemory(ctx, (store, { project }) =>
        addDirective(store, { text, amends, expiresMs: untilOf(options), project, deadlineMs: COMMAND_MS }),
      );
      return holds(written, options.json);
    });
  directives
    .command('revoke')
    .description('Revoke directives, or turn down what was proposed. They stay in the ledger, and hold no longer.')
    .argument('<ID...>', 'their numbers', numbers)
    .option('--json', 'print JSON')
    .action(async (ids: readonly number[], options: { json?: true }) => {
      const { revokeDirective } = await actions();
      const entries = await withMemory(ctx, async (store, { project }) => {
        const done = [];
        for (const id of ids) done.push(await revokeDirective(store, { id, project, deadlineMs: COMMAND_MS }));
        return done;
      });
      if (options.json) {
        const { directiveJson } = await json();
        const [first, ...more] = entries.map((entry) => directiveJson(entry, false));
        return printJson(ctx, more.length === 0 ? (first ?? {}) : { directives: [first, ...more] });
      }
      for (const { replaces } of entries) ctx.note(`chitta: directive ${replaces} is revoked`);
    });
  directives
    .command('show')
    .description('Print every entry about one directive: what was said, by whom, when, and in which session.')
    .argument('<ID>', 'any of its numbers', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (id: number, options: { json?: true }) => {
      const { directiveHistory } = await actions();
      const { entries, active } = await withMemory(ctx, (store, { project }) =>
        directiveHistory(store, { id, project, deadlineMs: COMMAND_MS }),
      );
      if (!options.json) return ctx.print(renderHistory(entries));
      const { directiveJson } = await json();
      return printJson(ctx, { entries: entries.map((one) => directiveJson(one, one === active)) });
    });
  directives
    .command('forget')
    .description('Take away the words of a directive, and their bytes. That there was one stays in the ledger.')
    .argument('<ID>', 'any of its numbers', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (id: number, options: { json?: true }) => {
      const { forgetDirective } = await actions();
      const { erased, removedFiles } = await withMemory(ctx, (store, { project }) =>
        forgetDirective(store, { id, project, deadlineMs: COMMAND_MS }),
      );
      if (options.json) return printJson(ctx, { id, erased, removed_files: removedFiles });
      ctx.note(`chitta: the words of directive ${id} are removed; it holds no longer`);
      for (const name of removedFiles) ctx.note(`chitta: ${name} was deleted: it may have held the same text`);
      if (!erased) ctx.note('chitta: another process still reads the old state; the last bytes go when it is done');
    });
}
