/** `chitta ingest`: past sessions into the archive of turns. */
import type { Command } from 'commander';
import type { IngestReport } from '../actions/ingest.ts';
import { ChittaError } from '../errors.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import type { CommandContext } from './context.ts';
import { printJson } from './json.ts';
import { withMemory } from './memory-context.ts';
import { progressBar } from './progress.ts';

/** For writing what was read of transcripts; nobody waits for it but who typed the command. */
const WRITE_MS = 120_000;
/** Files that cannot be read are named up to so many. */
const MAX_NAMED = 20;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** What was read, in words. */
export function ingestNote({ files, known, unreadable, turns, bytes }: IngestReport): string {
  const rest = [
    ...(known > 0 ? [`${known} were known`] : []),
    ...(unreadable > 0 ? [`${unreadable} could not be read`] : []),
  ];
  return `${turns} new turns of ${files} transcripts, ${megabytes(bytes)}${rest.length === 0 ? '' : `; ${rest.join(', ')}`}`;
}

interface IngestFlags {
  readonly all?: true;
  readonly json?: true;
}

async function run(path: string | undefined, flags: IngestFlags, ctx: CommandContext): Promise<void> {
  if (flags.all && path !== undefined) {
    throw new ChittaError('E_USAGE', '--all reads the host’s transcripts, and a path names others', {
      hint: 'one of them: chitta ingest --all, or chitta ingest PATH',
    });
  }
  const [{ ingest }, { transcriptsToIngest }, { ingestReader }] = await Promise.all([
    import('../actions/ingest.ts'),
    import('../wiring/ingest.ts'),
    import('../wiring/ingest-reader.ts'),
  ]);
  const bar = progressBar(ctx);
  const startedMs = performance.now();
  let told = 0;
  const report = await withMemory(ctx, async (store, { project, log }) => {
    const { env, cwd } = ctx;
    const files = await transcriptsToIngest({ env, cwd, project, path, all: flags.all === true });
    if (files.length === 0)
      ctx.note('chitta: there are no transcripts here; chitta ingest --all looks in every project');
    try {
      return await ingest(
        files,
        { store, read: ingestReader(log) },
        {
          deadlineMs: WRITE_MS,
          onProgress: (done, total) => bar.show(done, total, `${megabytes(done)} of ${megabytes(total)}`),
          onProblem: (file, problem) => {
            told += 1;
            if (told <= MAX_NAMED) ctx.note(`chitta: ${sanitizeLine(file)}: ${sanitizeLine(problem)}`);
          },
        },
      );
    } finally {
      await bar.end();
    }
  });
  if (flags.json) return printJson(ctx, { ...report, took_ms: Math.round(performance.now() - startedMs) });
  return ctx.note(`chitta: ${ingestNote(report)}`);
}

/** Adds `chitta ingest`. */
export function addIngestCommand(program: Command, ctx: CommandContext): void {
  program
    .command('ingest')
    .summary('read past sessions into the archive')
    .description('Read transcripts of past Claude Code sessions into the archive of turns, so that they can be found.')
    .usage('[PATH] [options]')
    .argument('[PATH]', "a transcript, or a folder of them (default: this project's)")
    .option('--all', 'of every project')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Transcripts are only read; secrets are masked before anything is stored. What was read is not read again, and a run
that was interrupted goes on where it was. A session that was private is known by nothing in its transcript: name the
transcripts that you want instead.

Examples:
  chitta ingest
  chitta ingest --all
  chitta recall which port does the server use
`,
    )
    .action((path: string | undefined, flags: IngestFlags) => run(path, flags, ctx));
}
