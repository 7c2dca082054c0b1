import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linesOf, TranscriptBuilder } from '../support/transcript.ts';
import { fire, hookRig, MS, newFolder, SESSION, transcriptOf } from './rig.ts';

const OLD_HOST = '2.1.197';

interface Told {
  readonly version?: string;
  /** Whether the main conversation has gone on behind its call. */
  readonly isAnswered?: boolean;
  readonly isAgentFinished?: boolean;
  readonly agentTokens?: number;
  readonly ageMs?: number;
}

/** A main conversation with a sub-agent beside it; what the host says of neither. */
function session({ version = OLD_HOST, isAnswered, isAgentFinished, agentTokens = 9, ageMs = 0 }: Told = {}): string {
  const rows = new TranscriptBuilder();
  rows.prompt('Never restart the broker; find out why it stalls.');
  rows.assistant('m1', [{ type: 'tool_use', id: 'a', name: 'Agent', input: { prompt: 'Look.' } }]);
  if (isAnswered === true) rows.result('a', 'Launched.');
  for (const row of rows.rows) row['version'] = version;
  const path = transcriptOf(rows);

  const own = new TranscriptBuilder(2);
  own.prompt('Look.');
  const usage = { input_tokens: agentTokens };
  own.add({
    type: 'assistant',
    message: { id: 's1', role: 'assistant', content: [{ type: 'text', text: 'x' }], usage },
  });
  if (isAgentFinished !== true) own.prompt('On.');
  for (const row of own.rows) row['isSidechain'] = true;
  const folder = join(dirname(path), 'session', 'subagents');
  mkdirSync(folder, { recursive: true });
  const agent = join(folder, 'agent-a1.jsonl');
  writeFileSync(agent, linesOf(own.rows));
  const at = (Date.now() - ageMs) / 1_000;
  utimesSync(agent, at, at);
  return path;
}

const event = (name: string, transcript: string, more: object = {}): object => ({
  session_id: SESSION,
  transcript_path: transcript,
  cwd: '/work',
  hook_event_name: name,
  trigger: 'auto',
  ...more,
});

describe('where the host does not say whose compaction it is', () => {
  test("a sub-agent's gets no guide and no restored context, and leaves no trace", async () => {
    const app = hookRig();
    const path = session();
    expect(await fire('pre-compact', event('PreCompact', path), app)).toBe('');
    const start = event('SessionStart', path, { source: 'compact', trigger: undefined });
    expect(await fire('session-start', start, app)).toBe('');
    expect(await fire('post-compact', event('PostCompact', path, { compact_summary: 'all lost' }), app)).toBe('');
    expect(await app.withMemory((memory) => memory.episodes({ limit: 9 }, MS))).toEqual([]);
    expect(app.logged).toEqual([]);
  });

  test("a background sub-agent's with the fuller context is told apart, too", async () => {
    const path = session({ isAnswered: true, agentTokens: 99_000 });
    expect(await fire('pre-compact', event('PreCompact', path), hookRig())).toBe('');
  });

  test.each<[string, Told, object]>([
    ['/compact is always about the main conversation', { isAnswered: true, agentTokens: 9_000 }, { trigger: 'manual' }],
    ['the sub-agent has finished', { isAgentFinished: true }, {}],
    ['the main conversation has the fuller context', { isAnswered: true, agentTokens: 0 }, {}],
    ['the sub-agent was last heard of an hour ago', { ageMs: 3_600_000 }, {}],
    ['a newer host would have said so', { version: '2.1.332' }, {}],
  ])('the main conversation is served: %s', async (_, told, more) => {
    const text = await fire('pre-compact', event('PreCompact', session(told), more), hookRig());
    expect(text).toContain('Never restart the broker');
  });

  test('what PreCompact has guided is restored, whatever the sub-agents do meanwhile', async () => {
    const app = hookRig();
    const path = session({ isAnswered: true, agentTokens: 9_000 });
    expect(await fire('pre-compact', event('PreCompact', path, { trigger: 'manual' }), app)).not.toBe('');
    const start = event('SessionStart', path, { source: 'compact', trigger: undefined });
    expect(await fire('session-start', start, app)).toContain('Never restart the broker');
  });

  test.each([
    ['no folder of sub-agents', transcriptOf(new TranscriptBuilder(), newFolder())],
    ['a device', '/dev/zero'],
    ['nothing', '/no/such.jsonl'],
  ])('%s is no reason to fail', async (_, path) => {
    expect(await fire('pre-compact', event('PreCompact', path), hookRig())).toBe('');
  });
});
