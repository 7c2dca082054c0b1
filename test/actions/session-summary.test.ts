import { describe, expect, test } from 'vitest';
import { summarizeSession } from '../../src/actions/session-summary.ts';
import type { Message } from '../../src/messages/types.ts';
import type { SummaryStore } from '../../src/ports/memory.ts';
import type { NewSummary } from '../../src/ports/sessions.ts';
import type { ArchivedTurn } from '../../src/ports/turns.ts';
import { scriptedModel, structured } from '../summarize/scripted.ts';

const history = Array.from({ length: 6 }, (_, turn): Message[] => [
  { role: 'user', content: `prompt ${turn} ${'word '.repeat(200)}`, uuid: `u${turn}` },
  { role: 'assistant', content: 'ok', uuid: `a${turn}` },
]).flat();

const broken: SummaryStore = {
  archive: () => Promise.reject(new Error('no disk')),
  addSummary: () => Promise.reject(new Error('no disk')),
  summaries: () => Promise.reject(new Error('no disk')),
};

describe('a session', () => {
  const options = { session: 's', project: '/p', deadlineMs: 1_000 };

  test('has its summary and the turns it stands for stored, once it is made', async () => {
    const added: NewSummary[] = [];
    const archived: ArchivedTurn[] = [];
    const store: SummaryStore = {
      summaries: async () => [],
      addSummary: async (summary) => void added.push(summary),
      archive: async (turns) => void archived.push(...turns),
    };
    const model = scriptedModel([structured('x'), '']);
    const { summary } = await summarizeSession(history, { ...options, model, store, log: () => undefined });
    expect(added).toEqual([
      {
        session: 's',
        project: '/p',
        generation: 1,
        upTo: 'a3',
        messages: 8,
        tokens: expect.any(Number),
        model: 'scripted:model',
        text: summary,
      },
    ]);
    expect(archived.map(({ uuid }) => uuid)).toEqual(['u0', 'a0', 'u1', 'a1', 'u2', 'a2', 'u3', 'a3']);
    await expect(summarizeSession(history, { ...options, model, store, log: () => undefined })).rejects.toMatchObject({
      code: 'E_SUMMARY',
    });
    expect([added.length, archived.length]).toEqual([1, 8]);
  });

  test('is summarised all the same where the store cannot be used, which is logged', async () => {
    const said: string[] = [];
    const model = scriptedModel([structured('x')]);
    const { report } = await summarizeSession(history, {
      ...options,
      model,
      store: broken,
      log: (line) => said.push(line),
    });
    expect(report.summarised).toBe(8);
    expect(said).toEqual([
      'error: earlier summaries were not read: no disk',
      'error: a summary was not stored: no disk',
    ]);
  });
});
