/** `chitta why`: what the last compaction kept and dropped, and what it lost. */
import type { Command } from 'commander';
import type { Audited, JudgedTurn, StoredEpisode } from '../ports/episodes.ts';
import { sanitize, sanitizeLine } from '../terminal/sanitize.ts';
import { type Style, styleFor } from '../terminal/style.ts';
import type { CommandContext } from './context.ts';
import { printJson } from './json.ts';
import { COMMAND_MS, withMemory } from './memory-context.ts';

const NAMES_ON_A_LINE = 8;

function turnLines(turns: readonly JudgedTurn[]): string[] {
  return turns.map(
    ({ handle, role, tokens, score, reason, line }) =>
      `  ${sanitizeLine(handle)}  ${score.toFixed(2)}  ${sanitizeLine(`${reason}, ${role}, ${tokens} tokens: ${line}`)}`,
  );
}

function auditLines(what: string, { checked, lost }: Audited, perLine: number): string[] {
  const head = `  ${lost.length} of ${checked} ${what}`;
  const lines: string[] = [];
  for (let at = 0; at < lost.length; at += perLine) {
    lines.push(`    ${sanitizeLine(lost.slice(at, at + perLine).join(', '))}`);
  }
  return [head, ...lines];
}

/** A compaction, in sections. `text`: the line that sums it up. */
export function renderWhy(episode: StoredEpisode, text: string, style: Style): string {
  const { state, createdMs, doneMs, decisions, audit, restored } = episode;
  const when = new Date(doneMs ?? createdMs).toISOString();
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', style.paint('bold', title), ...lines];
  const lines = [
    `${when}  ${state === 'done' ? 'done' : 'proposed: the host has not reported that it compacted'}`,
    sanitizeLine(text),
    ...section('What was to survive, best first', turnLines(decisions?.kept ?? [])),
    ...section('What was let go, newest first (chitta show HANDLE)', turnLines(decisions?.dropped ?? [])),
    ...section(
      'What the summary does not hold',
      audit === undefined
        ? []
        : [
            ...auditLines('constraints of the user', audit.constraints, 1),
            ...auditLines('names in use', audit.identifiers, NAMES_ON_A_LINE),
          ],
    ),
    ...section('What was given back to the context', restored ? [sanitize(restored)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Adds `chitta why`. */
export function addWhyCommand(program: Command, ctx: CommandContext): void {
  program
    .command('why')
    .summary('what the last compaction kept, dropped and lost')
    .description(
      'Print what the last compaction kept and dropped and why, what was given back, and what the summary does not hold.',
    )
    .option('--session <ID>', 'of this session only')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  chitta why
  chitta why --json | jq '.audit.constraints.lost'
`,
    )
    .action(async (options: { session?: string; json?: true }) => {
      const { whyCompaction } = await import('../actions/why.ts');
      const episode = await withMemory(ctx, (store, { project }) =>
        whyCompaction(store, { project, session: options.session, deadlineMs: COMMAND_MS }),
      );
      if (options.json) {
        const { whyJson } = await import('../actions/memory-json.ts');
        return printJson(ctx, whyJson(episode));
      }
      const { episodeText } = await import('../actions/episodes.ts');
      return ctx.print(renderWhy(episode, episodeText(episode), styleFor(ctx.stdout, ctx.env)));
    });
}
