/** `chitta compact --mod`: the other end of the plugin's module. Whatever happens, it answers with JSON and exit code 0. */
import type { ReplaceAnswer, ReplaceRequest } from '../actions/replace.ts';
import type { App } from '../app.ts';
import { readAll } from '../terminal/streams.ts';
import type { CommandContext } from './context.ts';

const MAX_BYTES = 200_000_000;
const READ_MS = 3_000;

async function answer(ctx: CommandContext, app: App): Promise<ReplaceAnswer> {
  const { bytes, complete } = await readAll(ctx.stdin, { maxBytes: MAX_BYTES, deadlineMs: READ_MS });
  if (!complete) return { refused: 'the request did not arrive whole' };
  const request: unknown = JSON.parse(bytes.toString('utf8'));
  if (typeof request !== 'object' || request === null) return { refused: 'the request is no object' };
  const { replaceContext } = await import('../actions/replace.ts');
  // Every field of a request is of unknown type.
  const wanted = request as ReplaceRequest;
  return replaceContext(wanted, {
    settings: app.settings,
    elapsed: () => performance.now(),
    compact: (params, options) => app.compact(params, { ...options, archive: app.settings.private ? false : 'later' }),
    recordReplacement: (replacement) => app.recordReplacement(replacement),
    noteReplaced: (session) => app.noteReplaced(session),
    withheldOf: (session) => app.withheldOf(session),
    log: (line) => app.log(line),
  });
}

/** Reads a request of the module and prints what survives, or why nothing is replaced. */
export async function answerModule(ctx: CommandContext): Promise<void> {
  let app: App | undefined;
  let result: ReplaceAnswer;
  try {
    app = await ctx.openApp();
    result = await answer(ctx, app);
  } catch (error) {
    result = { refused: error instanceof Error ? error.message : String(error) };
  }
  if ('refused' in result) app?.log(`compact --mod: left to the host: ${result.refused}`);
  await ctx.print(`${JSON.stringify(result)}\n`);
}
