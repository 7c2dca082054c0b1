/** `chitta episodes`: past compactions. */
import type { Command } from 'commander';
import type { StoredEpisode } from '../ports/episodes.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import { type Style, styleFor } from '../terminal/style.ts';
import { printJson } from './json.ts';
import type { CommandContext } from './context.ts';
import { COMMAND_MS, withMemory } from './memory-context.ts';
import { wholeNumber } from './numbers.ts';

const DEFAULT_LIMIT = 20;

/** One line per compaction: when, whether it really happened, what it did. */
export function renderEpisodes(
  episodes: readonly StoredEpisode[],
  textOf: (episode: StoredEpisode) => string,
  style: Style,
): string {
  return episodes
    .map((episode) => {
      const when = new Date(episode.createdMs).toISOString().slice(0, 19).replace('T', ' ');
      return `${style.paint('dim', `${when}  ${episode.state.padEnd(8)}  `)}${sanitizeLine(textOf(episode))}\n`;
    })
    .join('');
}

/** Adds `chitta episodes`. */
export function addEpisodesCommand(program: Command, ctx: CommandContext): void {
  program
    .command('episodes')
    .summary('list past compactions')
    .description(
      'List past compactions of this project, newest first. One is proposed until Claude Code says that it compacted.',
    )
    .option('--all', 'of all projects')
    .option('--session <ID>', 'of one session only')
    .option('--limit <N>', `at most so many (default ${DEFAULT_LIMIT})`, wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  chitta episodes
  chitta episodes --json | jq '.episodes[0].after_tokens'
`,
    )
    .action(async (options: { all?: true; session?: string; limit?: number; json?: true }) => {
      const { episodeText, listEpisodes } = await import('../actions/episodes.ts');
      const episodes = await withMemory(ctx, (store, app) => {
        const project = options.all ? undefined : app.project;
        return listEpisodes(
          store,
          { project, session: options.session, limit: options.limit ?? DEFAULT_LIMIT },
          COMMAND_MS,
        );
      });
      if (options.json) {
        const { episodeJson } = await import('../actions/memory-json.ts');
        return printJson(ctx, { episodes: episodes.map(episodeJson) });
      }
      if (episodes.length === 0) ctx.note('chitta: no compaction yet');
      return ctx.print(renderEpisodes(episodes, episodeText, styleFor(ctx.stdout, ctx.env)));
    });
}
