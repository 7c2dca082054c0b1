import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChittaError } from '../../src/errors.ts';
import { parseTranscript, readTranscript } from '../../src/transcript/index.ts';
import { isTypedPrompt } from '../../src/messages/typed.ts';
import { longConversation, shown, TranscriptBuilder, uuidOf } from '../support/transcript.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chitta-transcript-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function fileOf(bytes: Buffer): string {
  const path = join(folder, 'session.jsonl');
  writeFileSync(path, bytes);
  return path;
}

/** The rule of `last`, written once more in the plainest way. */
function plainTail<M extends { role: string; content?: unknown }>(messages: readonly M[], last: number): readonly M[] {
  let start = Math.max(0, messages.length - last);
  const ids = (message: M | undefined, type: string, key: string): string[] =>
    Array.isArray(message?.content) ? message.content.filter((b) => b.type === type).map((b) => String(b[key])) : [];
  const answers = ids(messages[start], 'tool_result', 'tool_use_id');
  const calls = new Set(ids(messages[start - 1], 'tool_use', 'id'));
  if (answers.some((id) => calls.has(id))) start -= 1;
  const prompt = messages.findLastIndex((message) => isTypedPrompt(message as never));
  return messages.slice(prompt < 0 ? start : Math.min(start, prompt));
}

describe('the newest messages', () => {
  test('are the same whether the whole file is read or only its end', async () => {
    // Mostly plain turns, so that many runs find their end long before the beginning of the file.
    const step = fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(0, 1, 2, 3, 0, 2) },
      { weight: 1, arbitrary: fc.constantFrom(4, 5, 6, 7, 8, 9) },
    );
    const steps = fc.array(step, { minLength: 100, maxLength: 500, size: 'max' });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 80 }), async (kinds, last) => {
        const path = fileOf(longConversation(kinds).bytes);
        const whole = await readTranscript(path);
        const tail = await readTranscript(path, { last });
        expect(tail.messages).toEqual(plainTail(whole.messages, last));
      }),
      { numRuns: 60 },
    );
  });

  test('are found without reading the beginning of a long file', async () => {
    const made = new TranscriptBuilder();
    for (let n = 0; n < 4000; n++) {
      if (n % 20 === 0) made.prompt(`prompt ${n} ${'x'.repeat(500)}`);
      else {
        made.call(`m${n}`, `t${n}`);
        made.result(`t${n}`, 'y'.repeat(500));
      }
    }
    const { messages, stats } = await readTranscript(fileOf(made.bytes), { last: 60 });
    expect(stats.bytesRead).toBeLessThan(stats.fileBytes / 4);
    expect(stats.capHit).toBe(false);
    expect(messages.length).toBeGreaterThanOrEqual(60);
    expect(messages.length).toBeLessThan(65);
  });

  test('reach back to the newest typed prompt', async () => {
    const made = new TranscriptBuilder();
    made.prompt('older');
    made.prompt('the goal');
    for (let n = 0; n < 40; n++) {
      made.call(`m${n}`, `t${n}`);
      made.result(`t${n}`);
    }
    const { messages } = await readTranscript(fileOf(made.bytes), { last: 4 });
    expect(messages).toHaveLength(81);
    expect(shown(messages)[0]).toBe('user: the goal');
  });

  test('never begin with a result whose call was left out', async () => {
    const made = new TranscriptBuilder();
    made.prompt('go');
    made.call('m1', 't1');
    made.result('t1');
    made.prompt('and now');
    const { messages } = await readTranscript(fileOf(made.bytes), { last: 2 });
    expect(shown(messages)).toEqual(['assistant: call t1', 'user: result t1', 'user: and now']);
  });

  test('come with their call even when it stands far before the result', async () => {
    const made = new TranscriptBuilder();
    made.prompt('go');
    made.call('m0', 'slow');
    for (let n = 0; n < 400; n++) made.prompt(`meanwhile ${n}`);
    made.result('slow');
    const whole = await readTranscript(fileOf(made.bytes));
    const tail = await readTranscript(fileOf(made.bytes), { last: 5 });
    expect(shown(whole.messages).slice(0, 3)).toEqual(['user: go', 'assistant: call slow', 'user: result slow']);
    expect(tail.messages).toEqual(whole.messages.slice(-5));
  });

  test('know a rewind and the first rows of a message that stand before the cut', async () => {
    const made = new TranscriptBuilder();
    for (let n = 0; n < 300; n++) made.prompt(`early ${n}`);
    const fork = made.text('m0', 'ready');
    made.prompt('given up');
    for (let n = 0; n < 50; n++) made.text(`g${n}`, `given up ${n}`);
    made.prompt('other way', { parentUuid: uuidOf(fork) });
    made.call('m1', 't1');
    for (let n = 0; n < 50; n++) made.prompt(`meanwhile ${n}`);
    made.text('m1', 'still the same message');
    const path = fileOf(made.bytes);
    const whole = (await readTranscript(path)).messages;
    expect(shown(whole).slice(-54, -49)).toEqual([
      'user: early 299',
      'assistant: ready',
      'user: other way',
      'assistant: call t1 + still the same message',
      'user: meanwhile 0',
    ]);
    for (const last of [1, 50, 51, 52, 53, 60]) {
      expect((await readTranscript(path, { last })).messages).toEqual(whole.slice(-last));
    }
  });

  test('stop at the byte cap, say so, and leave out a result whose call lies beyond it', async () => {
    const made = new TranscriptBuilder();
    made.prompt('the goal');
    made.call('m0', 't0');
    for (let n = 1; n < 200; n++) made.text(`m${n}`, 'z'.repeat(200));
    made.result('t0');
    const { messages, stats } = await readTranscript(fileOf(made.bytes), { last: 10, maxBytes: 20_000 });
    expect(stats.capHit).toBe(true);
    expect(stats.bytesRead).toBe(20_000);
    expect(stats.skipped['beyond-cap']).toBe(1);
    expect(messages).toHaveLength(10);
  });

  test('survive one line of 8 MB, with characters of many bytes at every chunk border', async () => {
    const made = new TranscriptBuilder();
    made.prompt('before');
    const long = '漢é😀'.repeat(900_000);
    made.prompt(long);
    made.text('m1', 'after');
    const path = fileOf(made.bytes);
    const { messages } = await readTranscript(path, { last: 2 });
    expect(messages.at(-2)?.content === long).toBe(true);
    expect((await readTranscript(path, { all: true })).messages[1]?.content === long).toBe(true);
  });

  test('respect a boundary found on the way, and find what it preserved', async () => {
    const made = new TranscriptBuilder();
    made.prompt('long ago');
    const call = made.call('m1', 't1');
    const result = made.result('t1');
    made.progress();
    made.compaction([uuidOf(call), uuidOf(result)]);
    made.text('m2', 'going on');
    const { messages, stats } = await readTranscript(fileOf(made.bytes), { last: 60 });
    expect(shown(messages).slice(1)).toEqual(['assistant: call t1', 'user: result t1', 'assistant: going on']);
    expect(messages[0]?.content).toMatch(/^This session is being continued/);
    expect(stats.boundaries).toBe(1);
  });
});

describe('a stream', () => {
  test('gives the same as a file, whatever the chunks', async () => {
    const steps = fc.array(fc.nat(9), { maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5000 }), fc.boolean(), async (kinds, size, all) => {
        const { bytes } = longConversation(kinds);
        async function* chunks(): AsyncGenerator<Buffer> {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
        }
        const streamed = await parseTranscript(chunks(), { all });
        const read = await readTranscript(fileOf(bytes), { all });
        expect(streamed.messages).toEqual(read.messages);
        expect((await parseTranscript(bytes, { all })).messages).toEqual(read.messages);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a file that cannot be used', () => {
  const refused: [what: string, path: () => string, code: string, message: RegExp][] = [
    ['is missing', () => join(folder, 'nowhere.jsonl'), 'E_INPUT_MISSING', /there is no such file/],
    ['is a directory', () => folder, 'E_INPUT_MISSING', /it is a directory/],
    [
      "is another agent's",
      () => fileOf(Buffer.from('{"timestamp":"t","type":"session_meta","payload":{"id":"x"}}\n')),
      'E_INPUT_FORMAT',
      /Codex CLI rollout/,
    ],
  ];
  test.each(refused)('%s: a clear error with a hint', async (_what, path, code, message) => {
    const error = await readTranscript(path()).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ChittaError);
    expect(error).toMatchObject({ code, hint: expect.any(String) });
    expect(String(error)).toMatch(message);
  });
});
