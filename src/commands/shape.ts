/** `chitta shape`: one request in, one request out that fits the window. */
import { randomUUID } from 'node:crypto';
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { sanitizeLine } from '../terminal/sanitize.ts';
import type { CommandContext } from './context.ts';
import { readBytes, sourceOf } from './input.ts';
import { wholeNumber } from './numbers.ts';

/** As commander gives them. */
interface ShapeFlags {
  readonly window?: number;
  readonly response?: number;
  readonly prompt?: number;
  readonly orphans?: 'keep' | 'drop';
  readonly state?: string;
  readonly report?: true;
  readonly json?: true;
}

/** What was stored; nothing where there is no file yet. A file that cannot be read as JSON counts as none, and is said. */
async function storedState(path: string, ctx: CommandContext): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    // What JSON.parse says quotes the file.
    if (!isMissing) ctx.note(`chitta: warning: the state in ${path} is not used: ${sanitizeLine(String(error))}`);
    return {};
  }
}

/** Written whole or not at all: two requests at once must not leave half a state. It says what was read, so it is private. */
async function storeState(path: string, state: unknown, ctx: CommandContext): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    await chmod(draft, 0o600);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    // The request has gone out; without a state the next one is shaped anew.
    ctx.note(`chitta: warning: the state was not written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function run(file: string | undefined, flags: ShapeFlags, ctx: CommandContext): Promise<void> {
  const [{ shapeText }, { roundTripLines, shapeLines }] = await Promise.all([
    import('../actions/shape.ts'),
    import('../report/shape.ts'),
  ]);
  const bytes = await readBytes(await sourceOf(file, ctx));
  const path = flags.state === undefined ? undefined : resolve(ctx.cwd, flags.state);
  const stored = path === undefined ? undefined : await storedState(path, ctx);
  const { text, report, state, replaced } = shapeText(bytes.toString('utf8'), {
    ...(flags.window !== undefined && { window: flags.window }),
    ...(flags.response !== undefined && { responseTokens: flags.response }),
    ...(flags.prompt !== undefined && { promptMessages: flags.prompt }),
    ...(flags.orphans !== undefined && { orphans: flags.orphans }),
    ...(stored !== undefined && { state: stored }),
  });
  await ctx.print(text ?? bytes);
  if (path !== undefined) await storeState(path, state, ctx);
  if (replaced > 0) ctx.note(`chitta: lone surrogates written as U+FFFD: ${replaced}`);
  if (flags.json) {
    const { shapeReportJson } = await import('../protocol/shape-report.ts');
    ctx.note(JSON.stringify(shapeReportJson(report)));
    return;
  }
  if (report.warning !== undefined) ctx.note(`chitta: warning: ${report.warning}`);
  for (const line of flags.report ? shapeLines(report) : roundTripLines(report.roundTrips)) ctx.note(`chitta: ${line}`);
}

/** Adds `chitta shape`. */
export function addShapeCommand(program: Command, ctx: CommandContext): void {
  program
    .command('shape')
    .summary('make a request to a model fit its window')
    .description(
      'Print a request of either API as it fits the window: the same bytes, or with the cheapest things left out.',
    )
    .argument('[FILE|-]', 'the request as JSON; standard input without it')
    .option('--window <N>', 'tokens that the model takes, answer included (default 32768)', wholeNumber)
    .option('--response <N>', 'tokens for the answer (default: what the request asks for, else 4096)', wholeNumber)
    .option(
      '--prompt <N>',
      'messages at the end that are sent now (default: those behind the last answer)',
      wholeNumber,
    )
    .addOption(new Option('--orphans <WHAT>', 'results without a call').choices(['keep', 'drop']))
    .option('--state <FILE>', 'keep decisions here from request to request, so that a prompt cache stays of use')
    .option('--report', 'say on standard error how the window is divided, and what was left out')
    .option('--json', 'the same as JSON')
    .addHelpText(
      'after',
      `
Examples:
  chitta shape request.json --window 32768 --report > smaller.json
  chitta shape --window 200000 --state .session.state < request.json | send
  chitta shape request.json --json 2>&1 >/dev/null | jq .stages
`,
    )
    .action((file: string | undefined, flags: ShapeFlags) => run(file, flags, ctx));
}
