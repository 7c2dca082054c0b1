import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { CLI, cliRig, hasProgram } from '../support/cli.ts';

const rig = cliRig();
const demo = join(import.meta.dirname, '..', '..', 'demo');
const hasScript = hasProgram('script');

beforeAll(() => {
  copyFileSync(join(demo, 'session.jsonl'), join(rig.folder, 'session.jsonl'));
});

async function list(...args: string[]): Promise<Record<string, unknown>[]> {
  const { stdout, stderr, exitCode } = await rig.run(['transcript', ...args]);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return JSON.parse(stdout);
}

test('in a pipe it is one JSON array, a message a line, in Anthropic shape with uuids', async () => {
  const { stdout } = await rig.run(['transcript', 'session.jsonl']);
  const messages = JSON.parse(stdout);
  expect(stdout.split('\n')).toHaveLength(messages.length + 3);
  for (const message of messages) {
    expect(message).toMatchObject({ role: expect.stringMatching(/^(user|assistant)$/), uuid: expect.any(String) });
  }
  expect(await list('session.jsonl', '--json')).toEqual(messages);
});

test('--last gives the newest, standard input the same', async () => {
  const newest = await list('session.jsonl', '--last', '5');
  expect((await list('session.jsonl')).slice(-newest.length)).toEqual(newest);
  const { stdout } = await rig.shell('chitta transcript - --last 5 < session.jsonl');
  expect(JSON.parse(stdout)).toEqual(newest);
});

test('a transcript without messages is an empty list', async () => {
  writeFileSync(join(rig.folder, 'nothing.jsonl'), '{"type":"summary","summary":"x","leafUuid":"y"}\n');
  expect(await list('nothing.jsonl')).toEqual([]);
});

test('--stats count what was read and skipped', async () => {
  const { stdout } = await rig.run(['transcript', 'session.jsonl', '--stats', '--json']);
  const stats = JSON.parse(stdout);
  expect(stats).toMatchObject({ messages: (await list('session.jsonl')).length, damaged_lines: 0, cap_hit: false });
  const { stdout: text } = await rig.run(['transcript', 'session.jsonl', '--stats']);
  expect(text).toMatch(new RegExp(`^messages +${stats.messages}$`, 'm'));
});

test('a lone surrogate comes out as U+FFFD', async () => {
  const row = '{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"half \\ud83d"}}\n';
  const { stdout, stderr } = await rig.run(['transcript', '-'], { input: row });
  expect(JSON.parse(stdout)).toMatchObject([{ content: 'half \uFFFD' }]);
  expect(stderr).toContain('U+FFFD');
});

test.skipIf(!hasScript)('on a terminal it is a list to read (needs script)', async () => {
  const { stdout } = await rig.shell(
    `script -qec "'${process.execPath}' '${CLI}' transcript session.jsonl --last 2" /dev/null`,
    {
      env: { NO_COLOR: '1' },
    },
  );
  for (const line of stdout.replaceAll('\r', '').trimEnd().split('\n'))
    expect(line).toMatch(/^ +\d+ (?:user|assistant) +\S/);
});
