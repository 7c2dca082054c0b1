import { describe, expect, test } from 'vitest';
import { openMemory } from '../../src/memory/store.ts';
import type { StoredEpisode } from '../../src/ports/episodes.ts';
import { TranscriptBuilder } from '../support/transcript.ts';
import { fire, type HookRig, hookRig, MS, SESSION, transcriptOf } from './rig.ts';

function conversation(): string {
  const rows = new TranscriptBuilder();
  rows.prompt('Rename the column user_id in src/tables.sql. Never drop data.');
  rows.assistant('m1', [{ type: 'tool_use', id: 't1', name: 'Edit', input: { file_path: '/work/src/tables.sql' } }]);
  rows.result('t1', 'done');
  rows.text('m2', 'The column user_id is now called account_id; retry_limit is 5.');
  rows.prompt('Now raise retry_limit to 9 at most.');
  rows.text('m3', 'On it.');
  return transcriptOf(rows);
}

const event = (transcript: string, summary: string | undefined, more: object = {}): object => ({
  session_id: SESSION,
  transcript_path: transcript,
  cwd: '/work',
  hook_event_name: 'PostCompact',
  trigger: 'auto',
  compact_summary: summary,
  ...more,
});

async function after(summary: string | undefined, app: HookRig = hookRig()): Promise<StoredEpisode | undefined> {
  const transcript = conversation();
  const before = { ...event(transcript, undefined), hook_event_name: 'PreCompact' };
  await fire('pre-compact', before, app);
  expect(await fire('post-compact', event(transcript, summary), app)).toBe('');
  const [episode] = await app.withMemory((memory) => memory.episodes({ session: SESSION, limit: 1 }, MS));
  return episode;
}

describe('PostCompact', () => {
  test('notes which names and constraints the summary lost', async () => {
    const summary =
      '<analysis>user_id, retry_limit, never drop data</analysis>\n<summary>\nThe user renamed a column to account_id in tables.sql.\n</summary>';
    const { state, audit } = (await after(summary)) ?? {};
    expect(state).toBe('done');
    expect(audit?.constraints.lost).toContain('Never drop data.');
    expect(audit?.identifiers.lost).toContain('retry_limit');
    expect(audit?.identifiers.lost).not.toContain('/work/src/tables.sql');
    expect(audit?.identifiers.checked).toBeGreaterThan(1);
  });

  test('finds nothing lost in a summary that says it all', async () => {
    const { audit } =
      (await after(
        'Rename the column user_id to account_id in src/tables.sql; never drop data. Raise retry_limit to 9 at most, now.',
      )) ?? {};
    expect([audit?.constraints.lost, audit?.identifiers.lost]).toEqual([[], []]);
  });

  test('notes only the end where there is no summary: it was a replacement', async () => {
    const episode = await after('');
    expect([episode?.state, episode?.audit]).toEqual(['done', undefined]);
  });

  test.each([
    ['inside a sub-agent', { agent_id: 'a1', agent_type: 'x' }],
    ['without a session', { session_id: undefined }],
  ])('does nothing %s', async (_, more) => {
    const app = hookRig();
    const transcript = conversation();
    await fire('pre-compact', { ...event(transcript, undefined), hook_event_name: 'PreCompact' }, app);
    expect(await fire('post-compact', event(transcript, 'A summary.', more), app)).toBe('');
    const [episode] = await app.withMemory((memory) => memory.episodes({ session: SESSION, limit: 1 }, MS));
    expect(episode?.state).toBe('proposed');
  });

  test('leaves an older compaction alone where this one was never proposed', async () => {
    const app = hookRig();
    const numbers = { trigger: 'auto', strategy: 'need', beforeTokens: 9, afterTokens: 1, dropped: 1, tookMs: 1 };
    const older = { ...numbers, session: SESSION, project: app.project, lastUuid: 'u', embedding: false };
    const memory = openMemory({ home: app.home, now: () => 1_000 });
    await memory.recordEpisode({ ...older, state: 'done' }, MS);
    memory.close();
    await fire('post-compact', event(conversation(), 'A summary.'), app);
    const restored = { ...event(conversation(), undefined), hook_event_name: 'SessionStart', source: 'compact' };
    expect(await fire('session-start', restored, app)).toContain('Never drop data.');
    const [episode] = await app.withMemory((store) => store.episodes({ session: SESSION, limit: 1 }, MS));
    expect([episode?.audit, episode?.restored]).toEqual([undefined, undefined]);
  });

  test('survives a transcript that is gone', async () => {
    const app = hookRig();
    expect(await fire('post-compact', event('/no/such.jsonl', 'A summary.'), app)).toBe('');
    expect(app.logged).toEqual([]);
  });
});
