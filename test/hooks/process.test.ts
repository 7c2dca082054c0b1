import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { handleOf } from '../../src/messages/handle.ts';
import { readTranscript } from '../../src/transcript/index.ts';
import { cliRig } from '../support/cli.ts';
import { TranscriptBuilder, uuidOf } from '../support/transcript.ts';

const rig = cliRig();

const rows = new TranscriptBuilder();
rows.prompt('Rename the column. Never drop data.');
rows.text('m1', 'The column `user_id` is now called `account_id` in all tables.');
const transcript = join(rig.folder, 'session.jsonl');
writeFileSync(transcript, rows.rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

const event = (fields: Record<string, unknown> = {}): string =>
  `${JSON.stringify({
    session_id: 's',
    transcript_path: transcript,
    cwd: rig.folder,
    hook_event_name: 'PreCompact',
    trigger: 'auto',
    custom_instructions: null,
    ...fields,
  })}\n`;

describe('chitta hook pre-compact, as a process', () => {
  test('prints the instructions and nothing else', async () => {
    const { stdout, stderr, exitCode } = await rig.run(['hook', 'pre-compact'], { input: event() });
    expect(exitCode).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toContain('> Rename the column. Never drop data.');
  });

  test.each([
    ['empty input', ''],
    ['input that is not JSON', 'Not JSON'],
    ['a missing transcript', event({ transcript_path: '/no/such/file' })],
    ['a device', event({ transcript_path: '/dev/zero' })],
    ['a sub-agent', event({ agent_id: 'a1', agent_type: 'x' })],
  ])('exits 0 with nothing on either stream on %s', async (_, input) => {
    expect(await rig.run(['hook', 'pre-compact'], { input })).toEqual({ stdout: '', stderr: '', exitCode: 0 });
  });

  test.each([['no-such-event'], ['stop']])('exits 0 on the event %s', async (name) => {
    expect(await rig.run(['hook', name], { input: event() })).toEqual({ stdout: '', stderr: '', exitCode: 0 });
  });

  test('brings every turn since the last compaction within reach, also those it did not look at', async () => {
    const long = new TranscriptBuilder(3);
    for (let i = 0; i < 100; i += 1) {
      long.prompt(`Step ${i}: do it properly.`);
      long.text(`s${i}`, `Step ${i} is done: ${'it works as it should. '.repeat(20)}`);
    }
    const path = join(rig.folder, 'long.jsonl');
    writeFileSync(path, long.rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const { exitCode } = await rig.run(['hook', 'pre-compact'], { input: event({ transcript_path: path }) });
    expect(exitCode).toBe(0);
    const { episodes } = JSON.parse((await rig.run(['episodes', '--json'])).stdout);
    expect(episodes[0]).toMatchObject({ transcript: path, transcript_bytes: statSync(path).size });
    const { messages } = await readTranscript(path);
    for (const at of [0, 1]) {
      const { stdout, stderr } = await rig.run(['show', handleOf(messages[at] ?? { role: '' }), '--json']);
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toMatchObject({ source: 'transcript', text: expect.stringContaining('Step 0') });
    }
  });

  test('says in the log what it could not do', async () => {
    await rig.run(['hook', 'pre-compact'], { input: 'Not JSON' });
    const log = join(rig.env['CHITTA_HOME'] ?? '', 'chitta.log');
    expect(existsSync(log)).toBe(true);
    expect(readFileSync(log, 'utf8')).toContain('pre-compact: standard input is not JSON');
  });

  test('ends within 4 seconds when the host never closes its input', async () => {
    const child = rig.start(['hook', 'pre-compact']);
    const startedAt = performance.now();
    child.stdin?.write('{"session_id"');
    const exitCode = await new Promise((resolve) => {
      child.on('exit', resolve);
    });
    expect(exitCode).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  test('does not mind a host that has stopped listening', async () => {
    const { exitCode } = await rig.shell('chitta hook pre-compact | true', { input: event() });
    expect(exitCode).toBe(0);
  });
});

test('what SessionEnd has no time for is archived behind its back', async () => {
  const long = new TranscriptBuilder(4);
  long.prompt('Where is the marmot?');
  for (let i = 0; i < 12; i += 1) long.result(`t${i}`, 'a line of a long dump\n'.repeat(2_500));
  const path = join(rig.folder, 'ended.jsonl');
  writeFileSync(path, long.bytes);
  const ended = event({ hook_event_name: 'SessionEnd', reason: 'other', transcript_path: path });
  expect(await rig.run(['hook', 'session-end'], { input: ended })).toEqual({ stdout: '', stderr: '', exitCode: 0 });
  const archived = async (): Promise<void> => {
    expect(
      (await rig.run(['show', handleOf({ role: 'user', uuid: uuidOf(long.rows[0] ?? {}) }), '--json'])).stdout,
    ).toContain('"source":"archive"');
  };
  await vi.waitFor(archived, { timeout: 20_000, interval: 200 });
});
