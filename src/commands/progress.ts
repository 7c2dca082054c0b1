/** How far a long piece of work is, on a terminal; elsewhere nothing. */
import { writeTo } from '../terminal/streams.ts';
import type { CommandContext } from './context.ts';

const CELLS = 20;
const ERASE = '\r\u001B[K';

export interface ProgressBar {
  show(done: number, total: number, text: string): void;
  /** Clears the line. */
  end(): Promise<void>;
}

/** A bar on standard error, if that is a terminal. */
export function progressBar(ctx: CommandContext): ProgressBar {
  if (ctx.stderr.isTTY !== true) return { show: () => undefined, end: () => Promise.resolve() };
  return {
    show: (done, total, text) => {
      const full = total === 0 ? CELLS : Math.floor((done / total) * CELLS);
      void writeTo(ctx.stderr, `${ERASE}${'█'.repeat(full)}${'░'.repeat(CELLS - full)} ${text}`);
    },
    end: () => writeTo(ctx.stderr, ERASE),
  };
}
