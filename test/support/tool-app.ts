/** An application for tools that are not called, or only with what a test gives it. */
import type { ToolApp } from '../../src/actions/tools.ts';

const absent = (): Promise<never> => Promise.reject(new Error('this test has none'));

/** Everything but what is given rejects. */
export function toolApp(given: Partial<ToolApp> = {}): ToolApp {
  return {
    project: '/project',
    withMemory: absent,
    findSimilar: async () => undefined,
    findSimilarTurns: async () => undefined,
    findInTranscript: () => async () => undefined,
    readNewestSession: absent,
    readCharter: absent,
    openTickets: absent,
    compact: absent,
    ...given,
  };
}
