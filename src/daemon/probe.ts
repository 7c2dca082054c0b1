/** What `chitta doctor` says about the daemon. */
import type { Probe } from '../ports/check.ts';

type Status =
  | { readonly running: true; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly running: false; readonly reason: string; readonly detail: string };

/** That none runs is no fault: it starts when it is needed. */
export function daemonProbe(open: () => Promise<{ status(): Promise<Status> }>): Probe {
  const name = 'daemon';
  return {
    name,
    run: async () => {
      const status = await (await open()).status();
      if (status.running) {
        const { pid, state, model } = status.fields;
        return [{ name, state: 'ok', detail: `${String(state)}, process ${String(pid)}, ${String(model)}` }];
      }
      if (status.reason === 'none') return [{ name, state: 'ok', detail: 'not running; it starts when it is needed' }];
      // One that is there and does not answer keeps another from starting.
      const fix = status.reason === 'silent' ? 'chitta daemon stop' : 'chitta daemon start';
      return [{ name, state: 'warn', detail: `no embeddings: ${status.detail}`, fix }];
    },
  };
}
