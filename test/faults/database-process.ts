/** Programs beside chitta that have the database in their hands: they hold it, or are killed with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { loadSqlite } from '../../src/platform/native.ts';

const sqlite = await loadSqlite();
if (sqlite.state !== 'ok') throw new Error(sqlite.reason);
const { binding } = sqlite;

/** Where a script finds better-sqlite3. */
const SQLITE_URL: string = pathToFileURL(createRequire(import.meta.url).resolve('better-sqlite3')).href;

/** Begins a script: `open(path)` opens a database. */
const PRELUDE = `
const { default: Database } = await import(${JSON.stringify(SQLITE_URL)});
const open = (path) => new Database(path, ${JSON.stringify(binding === undefined ? {} : { nativeBinding: binding })});
`;

/** Starts a script with arguments; it is killed after the test. `say` in it writes a line to the test. */
export function script(source: string, ...args: string[]): ChildProcess {
  const say = 'const say = (line) => process.stdout.write(`${line}\\n`);';
  const all = `${PRELUDE}${say}const args = process.argv.slice(1);${source}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', all, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Calls `heard` with every whole line that it says. */
export function listen(child: ChildProcess, heard: (line: string) => void): void {
  let rest = '';
  child.stdout?.on('data', (bytes: Buffer) => {
    const lines = (rest + bytes.toString()).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(heard);
  });
}

/** When it has said its next line. */
export function nextLine(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('close', (code) => reject(new Error(`it ended with ${code}`)));
  });
}

/** When it has ended. */
export function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('close', () => resolve());
  });
}
