/** JSON for programs: well-formed Unicode, one line per result or per message. */
import { wellFormedJson } from '../messages/wellformed.ts';
import type { CommandContext } from './context.ts';

/** A list goes out in parts of about this many characters: a whole long transcript may exceed the longest string. */
const PART_LENGTH = 1_000_000;

function noteRepairs(ctx: CommandContext, replaced: number): void {
  if (replaced > 0) ctx.note(`chitta: lone surrogates written as U+FFFD: ${replaced}`);
}

/** One value on one line. */
export async function printJson(ctx: CommandContext, value: unknown): Promise<void> {
  const { value: wellFormed, replaced } = wellFormedJson(value);
  await ctx.print(`${JSON.stringify(wellFormed)}\n`);
  noteRepairs(ctx, replaced);
}

/** A list, one element a line. */
export async function printJsonList(ctx: CommandContext, list: readonly unknown[]): Promise<void> {
  let part = '[';
  let total = 0;
  for (const [index, element] of list.entries()) {
    const { value, replaced } = wellFormedJson(element);
    total += replaced;
    part += `${index === 0 ? '\n' : ',\n'}${JSON.stringify(value)}`;
    if (part.length < PART_LENGTH) continue;
    await ctx.print(part);
    part = '';
  }
  await ctx.print(`${part}${list.length === 0 ? '' : '\n'}]\n`);
  noteRepairs(ctx, total);
}
