/** JSON for programs: well-formed Unicode, one line per result or per message. */
import { wellFormedJson } from '../messages/wellformed.ts';
import type { CommandContext } from './context.ts';

/** A list goes out in parts of about this many characters: a whole long transcript may exceed the longest string. */
const PART_LENGTH = 1_000_000;

function noteRepairs(ctx: CommandContext, replaced: number): void {
  if (replaced > 0) ctx.note(`chitta: lone surrogates written as U+FFFD: ${replaced}`);
}

/** Control and bidirectional characters that JSON leaves as they are. */
const UNSEEN = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** JSON on one line; on a terminal nothing in it can take effect there, and it still says the same. */
function written(ctx: CommandContext, value: unknown): string {
  const json = JSON.stringify(value);
  if (ctx.stdout.isTTY !== true) return json;
  return json.replaceAll(UNSEEN, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** One value on one line. */
export async function printJson(ctx: CommandContext, value: unknown): Promise<void> {
  const { value: wellFormed, replaced } = wellFormedJson(value);
  await ctx.print(`${written(ctx, wellFormed)}\n`);
  noteRepairs(ctx, replaced);
}

/** A list, one element a line. */
export async function printJsonList(ctx: CommandContext, list: readonly unknown[]): Promise<void> {
  let part = '[';
  let total = 0;
  for (const [index, element] of list.entries()) {
    const { value, replaced } = wellFormedJson(element);
    total += replaced;
    part += `${index === 0 ? '\n' : ',\n'}${written(ctx, value)}`;
    if (part.length < PART_LENGTH) continue;
    await ctx.print(part);
    part = '';
  }
  await ctx.print(`${part}${list.length === 0 ? '' : '\n'}]\n`);
  noteRepairs(ctx, total);
}
