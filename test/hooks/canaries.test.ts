/** Paths in a conversation are words: nothing that stands in a transcript makes chitta open, run or write anything. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { handleOf } from '../../src/messages/handle.ts';
import { CLI, cliRig } from '../support/cli.ts';
import { TranscriptBuilder, uuidOf } from '../support/transcript.ts';

const rig = cliRig();
/** In the name of every file that must not be touched. */
const CANARY = 'canary-7f3a';

let transcript: string;
let handle: string;
let project: string;

function planted(folder: string): TranscriptBuilder {
  const file = join(folder, `${CANARY}.txt`);
  const script = join(folder, `${CANARY}.sh`);
  const words = `Read @${file}, file://${file}, \`${script}\`, ~/${CANARY}.txt, ./${CANARY}.txt, $(${script}), !${script} and <file path="${file}">.`;
  const rows = new TranscriptBuilder(9);
  rows.prompt(words, {
    cwd: join(folder, CANARY),
    gitBranch: script,
    transcript_path: file,
    agentTranscriptPath: file,
  });
  const inputs: [string, Record<string, unknown>][] = [
    ['Read', { file_path: file }],
    ['Bash', { command: script }],
    ['Edit', { file_path: `./${CANARY}.txt`, old_string: words, new_string: words }],
    ['NotebookEdit', { notebook_path: file }],
    ['TodoWrite', { todos: [{ content: words, status: 'pending', activeForm: file }] }],
  ];
  for (const [at, [name, input]] of inputs.entries()) {
    rows.assistant(`m${at}`, [{ type: 'tool_use', id: `t${at}`, name, input }], { cwd: folder });
    rows.result(`t${at}`, `<persisted-output>\nOutput saved to: ${file}\n</persisted-output>\n${words}`);
  }
  const image = { type: 'image', source: { type: 'file', path: file, url: `file://${file}` } };
  rows.add({
    type: 'user',
    message: { role: 'user', content: [image, { type: 'document', source: { type: 'url', url: file } }] },
  });
  rows.add({ type: 'attachment', attachment: { type: 'file', filename: file, path: file, content: words } });
  rows.prompt(`Go on with ${file} and ${script}. ${words}`);
  rows.text('m9', words);
  return rows;
}

beforeAll(() => {
  project = mkdtempSync(join(rig.folder, 'project-'));
  writeFileSync(join(project, `${CANARY}.txt`), 'secret');
  writeFileSync(join(rig.folder, `${CANARY}.txt`), 'secret');
  writeFileSync(join(project, `${CANARY}.sh`), '#!/bin/sh\ntouch was-run\n', { mode: 0o755 });
  mkdirSync(join(project, CANARY));
  const rows = planted(project);
  transcript = join(project, 'session.jsonl');
  writeFileSync(transcript, rows.bytes);
  handle = handleOf({ role: 'user', uuid: uuidOf(rows.rows[0] ?? {}) }).slice(1);
});

const event = (name: string, more: object): string =>
  JSON.stringify({ session_id: 's', transcript_path: transcript, cwd: project, hook_event_name: name, ...more });

/** Some containers have it and do not allow it. */
const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

describe.skipIf(!canTrace)('seen from the kernel (needs strace)', () => {
  test.each([
    ['hook pre-compact', () => event('PreCompact', { trigger: 'auto' })],
    ['hook stop', () => event('Stop', {})],
    ['hook session-start', () => event('SessionStart', { source: 'compact' })],
    [
      'hook user-prompt-submit',
      () => event('UserPromptSubmit', { prompt: `what of ${CANARY}.txt and ${project}/${CANARY}.sh?` }),
    ],
    ['compact - --json --detail excerpt --ratio 0.2', () => readFileSync(transcript)],
    ['transcript - --json', () => readFileSync(transcript)],
    ['show HANDLE', () => ''],
  ])('chitta %s', async (line, input) => {
    const trace = join(rig.folder, 'trace.txt');
    const words = line.replace('HANDLE', `${handle} --file ${transcript}`);
    const command = `strace -f -qq -s 4096 -e trace=%file,%process -o '${trace}' '${process.execPath}' '${CLI}' ${words}`;
    const { exitCode } = await rig.shell(command, { input: input(), cwd: project });
    expect(exitCode).toBe(0);
    const calls = readFileSync(trace, 'utf8').split('\n');
    expect(calls.some((call) => call.includes('cli.mjs'))).toBe(true);
    expect(calls.filter((call) => call.includes(CANARY))).toEqual([]);
    const ran = calls.filter((call) => call.includes('execve(') && !call.includes('ENOENT'));
    expect(ran.every((call) => call.includes(`execve("${process.execPath}"`))).toBe(true);
    const written = calls.filter(
      (call) => /O_WRONLY|O_RDWR|O_CREAT|rename|unlink|mkdir/.test(call) && call.includes('"/'),
    );
    const home = rig.env['CHITTA_HOME'] ?? '';
    expect(written.filter((call) => !call.includes(`"${home}`) && !/"\/dev\/|"\/proc\//.test(call))).toEqual([]);
  });

  test('and nothing new stands in the project', () => {
    const names = [CANARY, `${CANARY}.sh`, `${CANARY}.txt`, 'session.jsonl'];
    expect(readdirSync(project).sort()).toEqual(names.sort());
  });
});
