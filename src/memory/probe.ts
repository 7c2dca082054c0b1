/** What `chitta doctor` says about the memory database. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ChittaError } from '../errors.ts';
import type { Probe } from '../ports/check.ts';
import { openMemory } from './store.ts';

const WAIT_MS = 2_000;

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Opens the database if there is one, and counts what it holds. */
export function memoryProbe(home: string): Probe {
  const name = 'memory';
  return {
    name,
    run: async () => {
      if (!existsSync(join(home, 'memory.db'))) return [{ name, state: 'ok', detail: 'nothing is stored yet' }];
      const memory = openMemory({ home });
      try {
        const { memories, turns, episodes, bytes, spoolBytes } = await memory.stats(WAIT_MS);
        const held = `${memories.active} memories, ${turns} archived turns, ${episodes} episodes, ${megabytes(bytes)}`;
        if (spoolBytes === 0) return [{ name, state: 'ok', detail: held }];
        const detail = `${held}; ${megabytes(spoolBytes)} wait to be taken in`;
        return [{ name, state: 'warn', detail, fix: 'chitta memory stats' }];
      } catch (error) {
        const hint = error instanceof ChittaError ? error.hint : undefined;
        const detail = error instanceof Error ? error.message : String(error);
        return [{ name, state: 'fail', detail, ...(hint === undefined ? {} : { fix: hint }) }];
      } finally {
        memory.close();
      }
    },
  };
}
