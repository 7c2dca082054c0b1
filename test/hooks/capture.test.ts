import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { handleOf } from '../../src/messages/handle.ts';
import type { StoredTurn } from '../../src/ports/turns.ts';
import { linesOf, type RawRow, TranscriptBuilder, uuidOf } from '../support/transcript.ts';
import { readTranscriptPart } from '../../src/transcript/index.ts';
import { beside } from '../memory/home.ts';
import { ended, fire, type HookRig, hookRig, MS, newFolder, SESSION, stopped, transcriptOf } from './rig.ts';

const found = (app: HookRig, words: string): Promise<readonly StoredTurn[]> =>
  app.withMemory(async (memory) => (await memory.searchText(words, app.project, 50, MS)).turns);

const byHandle = (app: HookRig, row: RawRow): Promise<readonly StoredTurn[]> =>
  app.withMemory((memory) => memory.turns(handleOf({ role: 'user', uuid: uuidOf(row) }), MS));

function begun(): { rows: TranscriptBuilder; transcript: string } {
  const rows = new TranscriptBuilder();
  rows.prompt('Look for the marmot.');
  rows.call('m1', 't1');
  rows.result('t1', 'marmot in cave 7');
  rows.text('m2', 'The marmot sleeps in cave 7.');
  return { rows, transcript: transcriptOf(rows) };
}

function append(transcript: string, rows: readonly RawRow[]): void {
  appendFileSync(transcript, linesOf(rows));
}

describe('Stop', () => {
  test('archives each turn once, and prints nothing', async () => {
    const app = hookRig();
    const { rows, transcript } = begun();
    expect(await fire('stop', stopped(transcript), app)).toBe('');
    expect((await found(app, 'marmot')).map(({ session, role }) => [session, role]).toSorted()).toEqual([
      [SESSION, 'assistant'],
      [SESSION, 'user'],
      [SESSION, 'user'],
    ]);
    const before = rows.rows.length;
    rows.prompt('And the ibex?');
    const said = rows.text('m3', 'No ibex was seen with the marmot.');
    append(transcript, rows.rows.slice(before));
    await fire('stop', stopped(transcript), app);
    await fire('stop', stopped(transcript), app);
    expect(await found(app, 'marmot')).toHaveLength(4);
    expect(await byHandle(app, said)).toHaveLength(1);
    expect(app.logged).toEqual([]);
  });

  test('reads on from where it was, and not all over again', async () => {
    const { rows, transcript } = begun();
    const from: number[] = [];
    const app: HookRig = hookRig();
    const watched: HookRig = {
      ...app,
      readTranscriptPart: (path, at, limits) => {
        from.push(at);
        return app.readTranscriptPart(path, at, limits);
      },
    };
    await fire('stop', stopped(transcript), watched);
    const before = rows.rows.length;
    rows.prompt('And the ibex?');
    rows.text('m3', 'No ibex.');
    const size = readFileSync(transcript).length;
    append(transcript, rows.rows.slice(before));
    await fire('stop', stopped(transcript), watched);
    await fire('stop', stopped(transcript), watched);
    expect(from).toEqual([0, 0, size]);
  });

  test('gets the rest of a turn that was not all there the first time', async () => {
    const app = hookRig();
    const { rows, transcript } = begun();
    const first = rows.assistant('m9', [{ type: 'text', text: 'First half,' }]);
    append(transcript, [first]);
    await fire('stop', stopped(transcript), app);
    append(transcript, [rows.assistant('m9', [{ type: 'text', text: 'second half of the lynx.' }])]);
    await fire('stop', stopped(transcript), app);
    expect((await byHandle(app, first)).map(({ text }) => text)).toEqual(['First half,\nsecond half of the lynx.']);
    expect(await found(app, 'lynx')).toHaveLength(1);
  });

  test('leaves out summaries, what a harness wrote, and what chitta gave', async () => {
    const app = hookRig();
    const { rows, transcript } = begun();
    const before = rows.rows.length;
    rows.compaction();
    rows.prompt('<command-name>/compact</command-name>');
    rows.prompt('[chitta:restored]\na chough\n[/chitta:restored]');
    append(transcript, rows.rows.slice(before));
    await fire('stop', stopped(transcript), app);
    for (const words of ['summary continued', 'compact', 'chough']) expect(await found(app, words)).toEqual([]);
  });

  test('archives turns from both sides of a compaction', async () => {
    const app = hookRig();
    const { rows, transcript } = begun();
    const before = rows.rows.length;
    rows.compaction();
    rows.text('m5', 'After it, a chamois.');
    append(transcript, rows.rows.slice(before));
    await fire('stop', stopped(transcript), app);
    expect(await found(app, 'marmot')).toHaveLength(3);
    expect(await found(app, 'chamois')).toHaveLength(1);
  });

  test('a file that became shorter is read from its beginning', async () => {
    const app = hookRig();
    const { transcript } = begun();
    for (let i = 0; i < 3; i += 1) append(transcript, [new TranscriptBuilder(i + 20).prompt(`Prompt ${i}`)]);
    await fire('stop', stopped(transcript), app);
    const other = new TranscriptBuilder(5);
    other.prompt('A vulture?');
    writeFileSync(transcript, other.bytes);
    await fire('stop', stopped(transcript), app);
    expect(await found(app, 'vulture')).toHaveLength(1);
  });

  test('takes up part after part, keeps each, and leaves the rest to the next event where it has no time', async () => {
    const { rows, transcript } = begun();
    const before = rows.rows.length;
    for (let i = 0; i < 40; i += 1) rows.result(`d${i}`, `dump ${i}\n${'a line of a long dump\n'.repeat(9_000)}`);
    rows.text('m7', 'At last the wolverine.');
    append(transcript, rows.rows.slice(before));
    const rig = hookRig();
    const read: number[] = [];
    const readAll: HookRig['readTranscriptPart'] = (path, from, limits) => {
      read.push(from);
      return readTranscriptPart(path, from, limits);
    };
    const { captureTranscript } = await import('../../src/actions/capture.ts');
    const once = (isLate: () => boolean): Promise<boolean> =>
      rig.withMemory((store) =>
        captureTranscript(
          { transcriptPath: transcript, session: SESSION, project: rig.project, deadlineMs: MS, isLate },
          { store, readPart: readAll },
        ),
      );
    await once(() => true);
    expect(read).toEqual([0]);
    expect(await found(rig, 'marmot')).toHaveLength(3);
    expect(await found(rig, 'wolverine')).toEqual([]);
    await once(() => false);
    expect(read.length).toBeGreaterThan(3);
    expect(read.slice(1).toSorted((a, b) => a - b)).toEqual(read.slice(1));
    expect(read[1]).toBeGreaterThan(1_500_000);
    expect(await found(rig, 'wolverine')).toHaveLength(1);
    expect(await found(rig, 'dump')).toHaveLength(40);
  });

  test('what there was no time to mask is archived by the next event, whatever was read behind it', async () => {
    const { rows, transcript } = begun();
    const before = rows.rows.length;
    rows.result('d', `walrus\n${'a line of a long dump\n'.repeat(32_000)}`);
    for (let i = 0; i < 40; i += 1) rows.result(`d${i}`, `dump ${i}\n${'a line of a long dump\n'.repeat(3_000)}`);
    rows.text('m7', 'At last the wolverine.');
    append(transcript, rows.rows.slice(before));
    const rig = hookRig();
    const { captureTranscript } = await import('../../src/actions/capture.ts');
    const once = (maskingMs: number): Promise<boolean> =>
      rig.withMemory((store) =>
        captureTranscript(
          { transcriptPath: transcript, session: SESSION, project: rig.project, deadlineMs: MS },
          {
            store: {
              session: (...asked) => store.session(...asked),
              capture: (part) => store.capture(part, maskingMs * 4),
            },
            readPart: readTranscriptPart,
          },
        ),
      );
    // 700 kB are counted as 140 ms.
    expect(await once(125)).toBe(false);
    expect(rig.logged.join()).toContain('1 turns are left to the next event');
    expect(await found(rig, 'walrus')).toEqual([]);
    expect(await found(rig, 'wolverine')).toHaveLength(1);
    rows.text('m8', 'And a weasel.');
    append(transcript, rows.rows.slice(-1));
    expect(await once(MS)).toBe(true);
    for (const [word, count] of Object.entries({ marmot: 3, walrus: 1, dump: 41, wolverine: 1, weasel: 1 })) {
      expect({ word, found: (await found(rig, word)).length }).toEqual({ word, found: count });
    }
  });

  test('what it archives from before a compaction is not before the eyes of the session', async () => {
    const app = hookRig();
    const { rows, transcript } = begun();
    const before = rows.rows.length;
    rows.compaction();
    rows.text('m5', 'After it, a chamois.');
    append(transcript, rows.rows.slice(before));
    await fire('stop', stopped(transcript), app);
    const live = await app.withMemory((memory) => memory.areLive(SESSION, ['marmot', 'chamois'], MS));
    expect(live).toEqual([false, true]);
  });

  test.each([
    ['a missing transcript', '/no/such.jsonl', []],
    ['a folder', newFolder(), ['stop: the transcript is a folder']],
    ['a device', '/dev/zero', ['stop: the transcript is no regular file']],
    ['no path', '', ['stop: no transcript was named']],
  ])('does nothing on %s, and says so where it is odd', async (_, path, logged) => {
    const app = hookRig();
    expect(await fire('stop', stopped(path), app)).toBe('');
    expect(app.logged).toEqual(logged);
  });

  test('spools what a locked database cannot take', async () => {
    const app = hookRig();
    const { transcript } = begun();
    await app.withMemory((memory) => memory.stats(MS));
    const other = beside(join(app.home, 'memory.db'));
    other.exec('BEGIN IMMEDIATE');
    const { capture } = await import('../../src/hooks/capture.ts');
    const input = { sessionId: SESSION } as Parameters<typeof capture>[0];
    await capture(input, app, { path: transcript, deadlineMs: 150 });
    other.exec('ROLLBACK');
    expect(app.logged).toEqual([expect.stringContaining('5 of 5 records were spooled')]);
    expect(await found(app, 'marmot')).toHaveLength(3);
  });
});

describe('SessionEnd', () => {
  test('only spools, and lets go of the transcript', async () => {
    const app = hookRig();
    const { transcript } = begun();
    expect(await fire('session-end', ended(transcript), app)).toBe('');
    expect(existsSync(join(app.home, 'spool.ndjson'))).toBe(true);
    expect(app.followed).toEqual([[transcript, true]]);
    expect(await found(app, 'marmot')).toHaveLength(3);
  });

  test('spools only what Stop has not archived', async () => {
    const app = hookRig();
    const { rows, transcript } = begun();
    await fire('stop', stopped(transcript), app);
    const before = rows.rows.length;
    rows.prompt('And the ibex?');
    append(transcript, rows.rows.slice(before));
    await fire('stop', stopped(transcript), app);
    await fire('session-end', ended(transcript), app);
    expect(readFileSync(join(app.home, 'spool.ndjson'), 'utf8')).not.toContain('marmot');
  });

  test('leaves what is too much for its time to a process of its own', async () => {
    const app = hookRig();
    const { rows, transcript } = begun();
    const before = rows.rows.length;
    for (let i = 0; i < 12; i += 1) rows.result(`t${i}`, 'a line of a long dump\n'.repeat(2_500));
    append(transcript, rows.rows.slice(before));
    await fire('session-end', ended(transcript), app);
    expect(app.beside).toEqual([transcript]);
    expect(readdirSync(app.home)).not.toContain('spool.ndjson');
    expect(app.followed).toEqual([[transcript, true]]);
  });

  test('leaves what it had no time to mask to a process of its own', async () => {
    const app = hookRig();
    const { rows, transcript } = begun();
    // Within what it reads, and longer than it masks in its time.
    rows.text('m9', 'a line of a long dump\n'.repeat(18_000));
    append(transcript, rows.rows.slice(-1));
    await fire('session-end', ended(transcript), app);
    expect(app.beside).toEqual([transcript]);
    expect(await found(app, 'marmot')).toHaveLength(3);
    await fire('stop', stopped(transcript), app);
    expect(await found(app, 'dump')).toHaveLength(1);
  });

  test('of a long transcript spools what is new, if that is little', async () => {
    const app = hookRig();
    const { rows, transcript } = begun();
    const before = rows.rows.length;
    for (let i = 0; i < 12; i += 1) rows.result(`t${i}`, 'a line of a long dump\n'.repeat(2_500));
    rows.prompt('And the ibex?');
    append(transcript, rows.rows.slice(before));
    await fire('stop', stopped(transcript), app);
    await fire('session-end', ended(transcript), app);
    expect(app.beside).toEqual([]);
  });
});

describe('SubagentStop', () => {
  const subStopped = (agentTranscript: string, more: object = {}): object => ({
    ...stopped('/main.jsonl'),
    hook_event_name: 'SubagentStop',
    agent_id: 'a38c',
    agent_type: 'general-purpose',
    agent_transcript_path: agentTranscript,
    ...more,
  });

  function ofAgent(): string {
    const rows = new TranscriptBuilder(3);
    rows.prompt('Find the weasel.', { isSidechain: true, agentId: 'a38c' });
    rows.text('m1', 'The weasel is behind the shed.', { isSidechain: true, agentId: 'a38c' });
    return transcriptOf(rows);
  }

  test("archives the agent's turns under its own id", async () => {
    const app = hookRig();
    expect(await fire('subagent-stop', subStopped(ofAgent()), app)).toBe('');
    expect(new Set((await found(app, 'weasel')).map(({ session }) => session))).toEqual(new Set([`${SESSION}/a38c`]));
  });

  test('does nothing for the fork that writes a summary, or without an agent', async () => {
    const app = hookRig();
    await fire('subagent-stop', subStopped(ofAgent(), { agent_type: '' }), app);
    await fire('subagent-stop', subStopped(ofAgent(), { agent_id: undefined }), app);
    await fire('subagent-stop', subStopped('/no/such/agent.jsonl'), app);
    expect(await found(app, 'weasel')).toEqual([]);
    expect(app.logged).toEqual([]);
  });

  test.each(['stop', 'session-end'])('%s of a sub-agent is no event of the main session', async (name) => {
    const app = hookRig();
    const { transcript } = begun();
    const event = { ...(name === 'stop' ? stopped(transcript) : ended(transcript)), agent_id: 'a38c', agent_type: 'x' };
    await fire(name, event, app);
    expect(await found(app, 'marmot')).toEqual([]);
  });
});

test.each(['stop', 'session-end', 'subagent-stop'])('a private session leaves nothing behind: %s', async (name) => {
  const rig = hookRig();
  const app = { ...rig, settings: { ...rig.settings, private: true } };
  const { transcript } = begun();
  const events: Record<string, object> = {
    stop: stopped(transcript),
    'session-end': ended(transcript),
    'subagent-stop': {
      ...stopped(transcript),
      hook_event_name: 'SubagentStop',
      agent_id: 'a',
      agent_type: 'x',
      agent_transcript_path: transcript,
    },
  };
  expect(await fire(name, events[name], app)).toBe('');
  expect(readdirSync(app.home)).toEqual([]);
  expect(app.followed).toEqual([]);
  expect(app.beside).toEqual([]);
});
