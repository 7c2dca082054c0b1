import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { handleOf } from '../../src/messages/handle.ts';
import { findTurn, projectTranscripts } from '../../src/transcript/find.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chitta-find-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const row = (uuid: string, text: string): string =>
  `${JSON.stringify({ type: 'user', uuid, message: { role: 'user', content: text } })}\n`;

function write(name: string, rows: readonly string[], ageSeconds: number): string {
  const path = join(folder, name);
  writeFileSync(path, rows.join(''));
  const time = Date.now() / 1000 - ageSeconds;
  utimesSync(path, time, time);
  return path;
}

const handle = (uuid: string): string => handleOf({ role: 'user', content: '', uuid });

describe('a turn by its handle', () => {
  test('is found with those around it', async () => {
    const path = write('a.jsonl', [row('u1', 'one'), row('u2', 'two'), row('u3', 'three')], 0);
    const found = await findTurn([path], handle('u2'), 1);
    expect(found?.turn).toMatchObject({ handle: handle('u2'), role: 'user', text: 'two' });
    expect([found?.before.map(({ text }) => text), found?.after.map(({ text }) => text)]).toEqual([['one'], ['three']]);
  });

  test('is looked for in every transcript, missing files and folders passed over', async () => {
    const old = write('old.jsonl', [row('u1', 'one')], 60);
    expect(await findTurn([join(folder, 'gone.jsonl'), folder, old], handle('u1'), 0)).toMatchObject({
      before: [],
      after: [],
    });
    expect(await findTurn([old], handle('nowhere'), 0)).toBeUndefined();
  });
});

test('the transcripts of a directory come newest first, from where the host keeps them', () => {
  const projects = join(folder, 'projects', '-work-my-app-v2');
  mkdirSync(projects, { recursive: true });
  const at = (name: string): string => join('projects', '-work-my-app-v2', name);
  const older = write(at('a.jsonl'), [], 60);
  const newer = write(at('b.jsonl'), [], 0);
  write(at('notes.txt'), [], 0);
  expect(projectTranscripts({ CLAUDE_CONFIG_DIR: folder }, '/work/my_app.v2')).toEqual([newer, older]);
  expect(projectTranscripts({ CLAUDE_CONFIG_DIR: folder }, '/elsewhere')).toEqual([]);
});
