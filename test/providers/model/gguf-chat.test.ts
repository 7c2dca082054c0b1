import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { loadGgufChat } from '../../../src/providers/gguf-chat.ts';
import { note, whyNot } from '../../embedding/model/load.ts';
import { writeTinyChat } from './tiny-chat.ts';

const folder = mkdtempSync(join(tmpdir(), 'chitta-gguf-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ASK = { system: 'Be brief.', prompt: 'Summarise this.', maxTokens: 50 };

describe.skipIf(whyNot !== undefined)(`a chat model in this process${note}`, () => {
  // Starting llama.cpp takes longest, so all is tried with one model.
  test('answers, streams, counts, begins each time anew, says what was cut, refuses what does not fit, and can be cancelled', async () => {
    const path = writeTinyChat(join(folder, 'tiny.gguf'), 'Plan:ok');
    const model = await loadGgufChat({ path, contextWindow: 1_024, log: () => undefined });
    onTestFinished(async () => model.dispose?.());
    expect([model.name, model.contextWindow]).toEqual([`gguf:${path}`, 1_024]);
    const heard: number[] = [];
    const first = await model.complete({ ...ASK, onProgress: (characters) => heard.push(characters) });
    expect(first).toMatchObject({ text: 'Plan:ok', stop: 'end' });
    expect(heard.at(-1)).toBe('Plan:ok'.length);
    expect(first.usage?.inputTokens).toBeGreaterThan(20);
    expect(first.usage?.outputTokens).toBeGreaterThan(5);
    expect(await model.complete({ ...ASK, maxTokens: 3 })).toMatchObject({ text: 'Pla', stop: 'length' });
    await expect(model.complete({ ...ASK, prompt: 'word '.repeat(300) })).rejects.toMatchObject({
      code: 'E_PROVIDER',
      message: expect.stringContaining('exceed the window of 1024'),
    });
    const controller = new AbortController();
    const onProgress = (): void => controller.abort(new Error('enough'));
    await expect(model.complete({ ...ASK, signal: controller.signal, onProgress })).rejects.toThrow('enough');
    expect(await model.complete(ASK)).toMatchObject({ text: 'Plan:ok', stop: 'end' });
  });

  test('a file that was cut off is an error that names it', async () => {
    const whole = readFileSync(writeTinyChat(join(folder, 'whole.gguf'), 'ab'));
    const path = join(folder, 'cut.gguf');
    writeFileSync(path, whole.subarray(0, whole.length / 2));
    await expect(loadGgufChat({ path, log: () => undefined })).rejects.toMatchObject({
      code: 'E_PROVIDER',
      message: expect.stringContaining('cut.gguf cannot be loaded'),
    });
  });
});

test.each([
  ['something else', 'GGUF, but not really: a longer text'],
  ['nothing', ''],
])('a file that holds %s is an error that names it, and llama.cpp is not started', async (name, content) => {
  const path = join(folder, `${name}.gguf`);
  writeFileSync(path, content);
  await expect(loadGgufChat({ path, log: () => undefined })).rejects.toMatchObject({
    code: 'E_PROVIDER',
    message: `gguf: ${path} cannot be loaded: it is no GGUF file with weights`,
  });
});
