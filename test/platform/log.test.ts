import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SECRETS } from '../redact/secrets.ts';
import { appendLog, logFile, readLogTail } from '../../src/platform/log.ts';
import { maskSecrets } from '../../src/redact/mask.ts';
import { builtModule } from './built.ts';
import { makePipe } from './pipe.ts';

let dir: string;
let home: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'chitta-log-'));
  home = join(dir, 'home');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const posix = process.platform !== 'win32';
const read = (path: string = logFile(home)): string => readFileSync(path, 'utf8');
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test('one line with the time before it, in a file only this user can read', () => {
  appendLog(home, 'hook pre-compact: no transcript');
  expect(read()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z hook pre-compact: no transcript\n$/);
  expect([mode(home), mode(logFile(home))]).toEqual(posix ? ['700', '600'] : ['666', '666']);
});

test.runIf(posix)('closes a log that others could read (needs POSIX modes)', () => {
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(logFile(home), '', { mode: 0o644 });
  appendLog(home, 'x');
  expect(mode(logFile(home))).toBe('600');
});

test('line ends, escapes and bidirectional characters cannot forge a line or a colour', () => {
  appendLog(home, 'a\nb\r\u001b[31m\u0000\u202e\u2028c é 漢 😀');
  expect(read()).toMatch(/ a\\u000ab\\u000d\\u001b\[31m\\u0000\\u202e\\u2028c é 漢 😀\n$/);
});

test('no planted secret reaches the disk, wherever a message has it from', () => {
  for (const { text, secret } of SECRETS) {
    appendLog(home, `error: ${text}`);
    appendLog(home, `warning: config.json: "${secret}" is no number, near ${text}`);
    appendLog(home, `Error: ENOENT: no such file or directory, open '/home/me/${text}'\n    at open (node:fs:1)`);
    appendLog(home, `${'x'.repeat(8_150)} ${text}`);
    appendLog(home, `${'x'.repeat(16_360)} ${text}`);
  }
  const bytes = `${existsSync(`${logFile(home)}.1`) ? read(`${logFile(home)}.1`) : ''}${read()}`;
  // The bare value beside a warning is known only by its form; the mask is named after one of them.
  const told = SECRETS.filter(({ secret }) => secret !== 'password' && maskSecrets(`"${secret}"`).masked > 0);
  expect(told.length).toBeGreaterThan(20);
  expect(told.filter(({ secret }) => bytes.includes(secret))).toEqual([]);
});

test('an endless line is cut', () => {
  appendLog(home, 'x'.repeat(1_000_000));
  expect(statSync(logFile(home)).size).toBeLessThan(10_000);
});

test('starts a new file at one mebibyte and keeps one predecessor', () => {
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(`${logFile(home)}.1`, 'oldest\n');
  writeFileSync(logFile(home), `${'x'.repeat(1_048_576)}\n`);
  appendLog(home, 'new');
  expect(read()).toMatch(/^\S+ new\n$/);
  expect(read(`${logFile(home)}.1`)).toHaveLength(1_048_577);
  expect(existsSync(`${logFile(home)}.2`)).toBe(false);
});

test('processes that log at the same time do not mix their lines', async () => {
  const built = await builtModule('platform/log.ts');
  try {
    const script = `const { appendLog } = await import(${JSON.stringify(built)});
      for (let i = 0; i < 200; i++) appendLog(${JSON.stringify(home)}, process.argv[1].repeat(300));`;
    const writers = ['a', 'b', 'c'].map((letter) =>
      spawn(process.execPath, ['--input-type=module', '-e', script, letter]),
    );
    await Promise.all(writers.map((writer) => once(writer, 'exit')));
    const lines = read().trimEnd().split('\n');
    expect(lines).toHaveLength(600);
    expect(lines.filter((line) => !/^\S+ (a{300}|b{300}|c{300})$/.test(line))).toEqual([]);
  } finally {
    rmSync(dirname(built), { recursive: true });
  }
});

test('a log that cannot be written stops nobody', () => {
  writeFileSync(home, 'a file where the folder should be');
  expect(() => appendLog(home, 'x')).not.toThrow();
});

test.runIf(posix)('neither follows a link nor waits for a pipe (needs named pipes)', () => {
  mkdirSync(home, { mode: 0o700 });
  const precious = join(dir, 'precious');
  writeFileSync(precious, 'keep');
  symlinkSync(precious, logFile(home));
  appendLog(home, 'x');
  expect(read(precious)).toBe('keep');
  rmSync(logFile(home));
  makePipe(logFile(home));
  appendLog(home, 'x');
  expect(readLogTail(home, 5)).toEqual([]);
});

test('the tail gives whole lines only, the newest ones', () => {
  expect(readLogTail(home, 2)).toEqual([]);
  for (const word of ['one', 'two', 'three']) appendLog(home, word);
  expect(readLogTail(home, 2).map((line) => line.split(' ')[1])).toEqual(['two', 'three']);
  expect(readLogTail(home, 9, 40).map((line) => line.split(' ')[1])).toEqual(['three']);
});
