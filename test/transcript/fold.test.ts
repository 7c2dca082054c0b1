import { describe, expect, test } from 'vitest';
import { parseTranscript } from '../../src/transcript/index.ts';
import { linesOf, shown, TranscriptBuilder, uuidOf } from '../support/transcript.ts';

async function read(made: TranscriptBuilder, all = false): Promise<string[]> {
  return shown((await parseTranscript(made.bytes, { all })).messages);
}

describe('rows of one API message', () => {
  test('become one message with the uuid of its first row', async () => {
    const made = new TranscriptBuilder();
    const first = made.text('m1', 'one');
    made.progress();
    made.call('m1', 't1');
    const { messages } = await parseTranscript(made.bytes);
    expect(shown(messages)).toEqual(['assistant: one + call t1']);
    expect(messages[0]?.uuid).toBe(uuidOf(first));
  });

  test('become one message also when results and prompts stand between them', async () => {
    const made = new TranscriptBuilder();
    made.prompt('go');
    made.call('m1', 't1');
    made.result('t1');
    made.prompt('typed meanwhile');
    made.call('m1', 't2');
    made.result('t2');
    made.text('m2', 'done');
    expect(await read(made)).toEqual([
      'user: go',
      'assistant: call t1 + call t2',
      'user: result t1 + result t2',
      'user: typed meanwhile',
      'assistant: done',
    ]);
  });

  test('give the same messages in whatever order parallel results are written', async () => {
    const results = ['t1', 't2', 't3'];
    const orders = results.flatMap((a) => results.map((b) => [a, b])).filter(([a, b]) => a !== b);
    const outcomes = new Set<string>();
    for (const [a, b] of orders) {
      const made = new TranscriptBuilder();
      for (const id of results) made.call('m1', id);
      for (const id of [a, b, ...results.filter((other) => other !== a && other !== b)]) made.result(String(id));
      outcomes.add(JSON.stringify(await read(made)));
    }
    expect([...outcomes]).toEqual([
      JSON.stringify(['assistant: call t1 + call t2 + call t3', 'user: result t1 + result t2 + result t3']),
    ]);
  });

  test('are not separated from results that were written before their call', async () => {
    const made = new TranscriptBuilder();
    made.result('t1');
    made.progress();
    made.call('m1', 't1');
    const { messages, stats } = await parseTranscript(made.bytes);
    expect(shown(messages)).toEqual(['assistant: call t1', 'user: result t1']);
    expect(stats.repaired['reordered']).toBe(1);
  });

  test('keep text that stands beside a result behind that result', async () => {
    const made = new TranscriptBuilder();
    made.call('m1', 't1');
    made.call('m1', 't2');
    made.result('t1');
    made.prompt([
      { type: 'text', text: 'note' },
      { type: 'tool_result', tool_use_id: 't2', content: 'x' },
    ]);
    expect(await read(made)).toEqual(['assistant: call t1 + call t2', 'user: result t1 + result t2 + note']);
  });

  test('leave real orphans where they are', async () => {
    const made = new TranscriptBuilder();
    made.prompt('go');
    made.result('nobody');
    made.call('m1', 'never');
    made.prompt('next');
    expect(await read(made)).toEqual(['user: go', 'user: result nobody', 'assistant: call never', 'user: next']);
  });
});

describe('copies', () => {
  test('of a resumed history with the same uuids appear once', async () => {
    const made = new TranscriptBuilder();
    made.prompt('go');
    made.call('m1', 't1');
    made.result('t1');
    const bytes = Buffer.concat([made.bytes, made.bytes]);
    const { messages, stats } = await parseTranscript(bytes);
    expect(shown(messages)).toEqual(['user: go', 'assistant: call t1', 'user: result t1']);
    expect(stats.skipped['copy']).toBe(3);
  });

  test('with new uuids and without the parallel calls lose nothing and repeat nothing', async () => {
    const made = new TranscriptBuilder();
    made.prompt('go');
    made.text('m1', 'two at once');
    made.call('m1', 't1');
    made.call('m1', 't2');
    made.result('t1');
    made.result('t2');
    made.prompt('thanks');
    // The copy follows one path through the tree, so the first call is not on it.
    const onPath = [0, 1, 3, 5, 6].map((at) => ({
      ...made.rows[at],
      uuid: `copy-${at}`,
      parentUuid: `copy-${at - 1}`,
    }));
    const bytes = Buffer.concat([made.bytes, linesOf(onPath)]);
    const live = shown((await parseTranscript(bytes)).messages);
    expect(live.filter((line) => line.includes('go'))).toEqual(['user: go']);
    expect(
      live
        .join('\n')
        .match(/call t\d/g)
        ?.sort(),
    ).toEqual(['call t1', 'call t2']);
    expect(live.slice(-4)).toEqual(['user: go', 'assistant: two at once + call t2', 'user: result t2', 'user: thanks']);
    // In the whole file the first copy, which has everything, stays.
    expect(shown((await parseTranscript(bytes, { all: true })).messages)).toEqual([
      'user: go',
      'assistant: two at once + call t1 + call t2',
      'user: result t1 + result t2',
      'user: thanks',
    ]);
  });

  test('are not suspected in equal prompts of the same time', async () => {
    const made = new TranscriptBuilder();
    for (let n = 0; n < 3; n++) made.prompt('again', { timestamp: '2026-01-01T00:00:00.000Z' });
    expect(await read(made)).toHaveLength(3);
  });
});

describe('branches', () => {
  test('given up by going back to an earlier row are left out, and counted', async () => {
    const made = new TranscriptBuilder();
    made.prompt('start');
    const fork = made.text('m1', 'ready');
    made.prompt('wrong way');
    made.call('m2', 't2');
    made.result('t2');
    made.prompt('right way', { parentUuid: uuidOf(fork) });
    made.text('m3', 'good');
    const { messages, stats } = await parseTranscript(made.bytes);
    expect(shown(messages)).toEqual(['user: start', 'assistant: ready', 'user: right way', 'assistant: good']);
    expect(stats.skipped['abandoned']).toBe(3);
  });

  test.each([
    ['point nowhere', () => 'ffffffff'],
    ['are missing', () => undefined],
    ['are all null', () => null],
    ['form a cycle', (n: number) => `00000000-0000-4000-8000-0000${String(((n + 2) % 6) + 1).padStart(8, '0')}`],
  ])('are never seen in parents that %s, unless typed prompts share one', async (_what, parent) => {
    const made = new TranscriptBuilder();
    for (let n = 0; n < 6; n++) {
      if (n % 2 === 0) made.text(`m${n}`, `text ${n}`, { parentUuid: parent(n) });
      else made.prompt(`<command-name>/x${n}</command-name>`, { parentUuid: parent(n) });
    }
    expect(await read(made)).toHaveLength(6);
  });
});

describe('queued prompts', () => {
  test('that exist only as an attachment are messages', async () => {
    const made = new TranscriptBuilder();
    made.prompt('go');
    made.queued('and one more thing');
    made.queued([{ type: 'text', text: 'with blocks' }]);
    made.queued('<task-notification>done</task-notification>', 'task-notification');
    made.text('m1', 'ok');
    expect(await read(made)).toEqual(['user: go', 'user: and one more thing', 'user: with blocks', 'assistant: ok']);
  });

  test('that were also written as a row of their own appear once, as that row', async () => {
    const made = new TranscriptBuilder();
    made.queued('later please');
    const typed = made.prompt('later please');
    const { messages } = await parseTranscript(made.bytes);
    expect(messages.map(({ uuid }) => uuid)).toEqual([uuidOf(typed)]);
  });
});

describe('a compaction', () => {
  test('leaves its summary, what it preserved and what follows; all gives everything', async () => {
    const made = new TranscriptBuilder();
    made.prompt('old');
    const kept = made.text('m1', 'kept');
    made.text('m2', 'gone');
    made.compaction([uuidOf(kept)]);
    made.prompt('new');
    const live = await read(made);
    expect(live.map((line) => line.split('\n')[0])).toEqual([
      'user: This session is being continued from a previous conversation.',
      'assistant: kept',
      'user: new',
    ]);
    expect(await read(made, true)).toHaveLength(5);
  });

  test('in the older form keeps the rows from head to tail', async () => {
    const made = new TranscriptBuilder();
    made.prompt('old');
    const head = made.call('m1', 't1');
    const tail = made.result('t1');
    made.text('m2', 'gone');
    made.compaction([], { preservedSegment: { headUuid: uuidOf(head), tailUuid: uuidOf(tail), anchorUuid: 'x' } });
    expect((await read(made)).slice(1)).toEqual(['assistant: call t1', 'user: result t1']);
  });

  test('whose segment has no head keeps nothing from before', async () => {
    const made = new TranscriptBuilder();
    const tail = made.prompt('old');
    made.compaction([], { preservedSegment: { headUuid: 'lost', tailUuid: uuidOf(tail) } });
    expect(await read(made)).toHaveLength(1);
  });

  test('keeps a message that an earlier compaction had kept, too', async () => {
    const made = new TranscriptBuilder();
    const kept = made.prompt('precious');
    made.compaction([uuidOf(kept)]);
    made.text('m1', 'between');
    made.compaction([uuidOf(kept)]);
    expect((await read(made)).slice(1)).toEqual(['user: precious']);
  });

  test('by a module leaves its survivors, written again behind the boundary', async () => {
    const made = new TranscriptBuilder();
    made.prompt('old');
    made.call('m1', 't1');
    made.result('t1', 'the whole output');
    made.add(
      { type: 'system', subtype: 'compact_boundary', compactMetadata: { trigger: 'manual' } },
      { parentUuid: null },
    );
    made.call('m1', 't1', { rowSource: 'hook' });
    made.result('t1', 'an excerpt', { rowSource: 'hook' });
    made.prompt('a note of the module', { rowSource: 'hook' });
    const live = await parseTranscript(made.bytes);
    expect(shown(live.messages)).toEqual(['assistant: call t1', 'user: result t1', 'user: a note of the module']);
    expect(JSON.stringify(live.messages)).toContain('an excerpt');
    expect(JSON.stringify((await parseTranscript(made.bytes, { all: true })).messages)).toContain('the whole output');
  });

  test('of single results is none', async () => {
    const made = new TranscriptBuilder();
    made.prompt('old');
    made.add({ type: 'system', subtype: 'microcompact_boundary', microcompactMetadata: {} });
    made.prompt('new');
    expect(await read(made)).toEqual(['user: old', 'user: new']);
  });
});
