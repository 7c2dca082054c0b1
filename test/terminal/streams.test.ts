import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAll, writeTo } from '../../src/terminal/streams.ts';
import { builtModule } from '../platform/built.ts';

let built: string;
beforeAll(async () => {
  built = await builtModule('terminal/streams.ts');
});
afterAll(() => rmSync(dirname(built), { recursive: true }));

/** Runs a script that has the module's exports as `streams`. */
const run = (script: string) =>
  spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `const streams = await import(${JSON.stringify(built)});\n${script}`,
  ]);

describe('readAll', () => {
  test.each([
    ['nothing', [], 10, '', true],
    ['chunks, also of text', ['ab', Buffer.from('cd')], 10, 'abcd', true],
    ['exactly the limit', ['ab', 'cd'], 4, 'abcd', true],
    ['more than the limit, cut there', ['ab', 'cdef'], 3, 'abc', false],
  ])('%s', async (_what, chunks, maxBytes, text, complete) => {
    const { bytes, ...rest } = await readAll(Readable.from(chunks), { maxBytes });
    expect([bytes.toString(), rest]).toEqual([text, { complete }]);
  });

  test('what came before the deadline, if the writer never ends', async () => {
    const stream = new PassThrough();
    stream.write('half');
    const { bytes, complete } = await readAll(stream, { maxBytes: 10, deadlineMs: 20 });
    expect([bytes.toString(), complete, stream.destroyed]).toEqual(['half', false, true]);
  });

  test('a stream that is over already', async () => {
    const stream = new PassThrough();
    stream.destroy();
    expect(await readAll(stream, { maxBytes: 10 })).toEqual({ bytes: Buffer.alloc(0), complete: false });
  });

  test('a stream that breaks is an error that names standard input', async () => {
    const stream = new PassThrough();
    const reading = readAll(stream, { maxBytes: 10 });
    stream.destroy(new Error('EISDIR: illegal operation'));
    await expect(reading).rejects.toMatchObject({ code: 'E_INPUT_MISSING', message: /standard input.*EISDIR/ });
  });

  test('an open pipe does not keep the process once the deadline has passed', async () => {
    const child = run(`const { complete } = await streams.readAll(process.stdin, { maxBytes: 10, deadlineMs: 20 });
      await streams.writeStdout(String(complete));`);
    let said = '';
    child.stdout.on('data', (chunk) => (said += String(chunk)));
    const [code] = await once(child, 'close');
    expect([code, said]).toEqual([0, 'false']);
  });
});

describe('writing', () => {
  test('a reader that has gone away is success: exit code 0 and not a word', async () => {
    const child = run(`process.stdin.resume();
      await new Promise((go) => process.stdin.once('end', go));
      for (let i = 0; i < 5; i++) await streams.writeStdout('x'.repeat(200_000));
      streams.writeStderr('still here');`);
    let said = '';
    child.stderr.on('data', (chunk) => (said += String(chunk)));
    child.stdout.destroy();
    child.stdin.end();
    const [code] = await once(child, 'close');
    expect([code, said]).toEqual([0, 'still here']);
  });

  test('a closed standard error is no reason to stop', async () => {
    const child = run(`process.stdin.resume();
      await new Promise((go) => process.stdin.once('end', go));
      for (let i = 0; i < 5; i++) streams.writeStderr('x'.repeat(200_000));
      await streams.writeStdout('done');`);
    let said = '';
    child.stdout.on('data', (chunk) => (said += String(chunk)));
    child.stderr.destroy();
    child.stdin.end();
    const [code] = await once(child, 'close');
    expect([code, said]).toEqual([0, 'done']);
  });

  test('resolves when all is handed over: a slow reader gets every byte though the process ends at once', async () => {
    const child = run(`await streams.writeStdout('x'.repeat(3_000_000)); process.exit(0);`);
    let length = 0;
    for await (const chunk of child.stdout) length += Buffer.byteLength(String(chunk));
    expect(length).toBe(3_000_000);
  });

  test('any other error is told', async () => {
    const full = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('disk full'), { code: 'ENOSPC' })),
    });
    await expect(writeTo(full, 'x')).rejects.toThrow('disk full');
  });

  test('adds no listener per write', async () => {
    const stream = new PassThrough().resume();
    for (let i = 0; i < 30; i++) await writeTo(stream, 'x');
    expect(stream.listenerCount('error')).toBe(1);
  });
});
