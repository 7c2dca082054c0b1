/** A bench for the commands about memory: the application, and a real database in its private home. */
import type { Command } from 'commander';
import type { App } from '../../src/app.ts';
import type { CommandContext } from '../../src/commands/context.ts';
import { openMemory } from '../../src/memory/store.ts';
import { type Bench, benchFor } from './context.ts';

/** `more` adds to the application, such as the search by meaning. */
export function memoryBench(add: (program: Command, ctx: CommandContext) => void, more: Partial<App> = {}): Bench {
  return benchFor((program, ctx) => {
    add(program, {
      ...ctx,
      openApp: async () => {
        const app = await ctx.openApp();
        return { ...app, openMemory: async () => openMemory({ home: app.home }), ...more };
      },
    });
  });
}
