/** `npm run demo` as a user runs it, once: it says what it promises, and leaves nothing behind. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadSqlite, probeLlama } from '../src/platform/native.ts';

const repository = join(import.meta.dirname, '..');
const parts = [await loadSqlite(), probeLlama()];
const absence = parts.flatMap((part) => (part.state === 'ok' ? [] : [part.reason])).join(', ');

// Short: a socket's path has little room.
const work = mkdtempSync(join(tmpdir(), 'cd-'));
const [home, temporary] = [join(work, 'h'), join(work, 't')];
interface Run {
  readonly output: string;
  readonly complaints: string;
  readonly exitCode: number | null;
}
let whole: Run;

/** The demo of that checkout, to its end. */
async function demoIn(root: string): Promise<Run> {
  const child = spawn(process.execPath, [join(root, 'scripts', 'demo.mjs')], {
    cwd: work,
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, complaints] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const exitCode = await new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  return { output, complaints, exitCode };
}

/** Processes, other than this one, in whose environment `text` stands; none where there is no /proc. */
function processesWith(text: string): string[] {
  let ids: string[];
  try {
    ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  return ids.filter((id) => {
    try {
      return readFileSync(join('/proc', id, 'environ'), 'utf8').includes(text);
    } catch {
      // Another user's, or gone.
      return false;
    }
  });
}

beforeAll(async () => {
  mkdirSync(home);
  mkdirSync(temporary);
  whole = await demoIn(repository);
}, 150_000);

afterAll(() => {
  rmSync(work, { recursive: true, force: true });
});

const after = (heading: string, { output }: Run = whole): string => output.slice(output.indexOf(heading));

/** What the demo looked at again itself and found broken, and what it complained of. */
function faultsOf(run: Run): string[] {
  // What a command says to a person, who would see it too, is no complaint.
  const complaints = run.complaints.replaceAll(/^chitta: (?:memory \d+ is stored|lines are cut).*\n/gm, '');
  const checks = after('Checked here', run).match(/^ {2}(?:yes|NO ) .*$/gm) ?? ['no checks'];
  return [complaints, ...checks.filter((line) => !line.startsWith('  yes'))].filter((line) => line !== '');
}

/** Processes and files that are left. */
function leftovers(): string[] {
  return [...processesWith(temporary), ...readdirSync(temporary), ...readdirSync(home)];
}

test('ends well, every promise that it checks holds, and nothing is left: no process, no file, the home as it was', () => {
  expect({ exitCode: whole.exitCode, faults: faultsOf(whole) }).toEqual({ exitCode: 0, faults: [] });
  expect(leftovers()).toEqual([]);
});

test('without the native packages it says why, shows the rest, and leaves nothing either', async () => {
  const bare = join(work, 'bare');
  for (const name of ['package.json', 'demo', 'dist', join('scripts', 'demo.mjs')])
    cpSync(join(repository, name), join(bare, name), { recursive: true });
  const run = await demoIn(bare);
  expect(run.output).toMatch(/^Shown without memory and vectors \(.*better-sqlite3 is not installed/m);
  expect(run.output).toContain('they stand in the transcript, under these handles');
  expect({ exitCode: run.exitCode, faults: faultsOf(run) }).toEqual({ exitCode: 0, faults: [] });
  expect(leftovers()).toEqual([]);
});

describe.skipIf(absence !== '')(`with memory${absence === '' ? '' : ` (skipped: ${absence})`}`, () => {
  test('turns that the memory covers are drawn as covered, and named with their handles', () => {
    expect(whole.output).toMatch(/^ +2 user +\d+ covered ▒/m);
    expect(whole.output).toMatch(/^ {2}#[a-z2-7]{7} +\d+ tokens {2}covered 0\.\d\d {2}The public API of Queue/m);
    expect(whole.output).toMatch(/Dropped because the memory covers them: [1-9]; without it [1-9] of these stayed/);
  });

  test('the opening page shows what it prints', () => {
    const page = readFileSync(join(repository, 'README.md'), 'utf8');
    const [, block = ''] = /<!-- demo -->\n```text\n([\s\S]*?)\n```/.exec(page) ?? [];
    // Processors differ in the last digits.
    const rounded = (text: string): string => text.replaceAll(/0\.\d\d/g, '0.NN');
    const printed = rounded(whole.output).split('\n');
    const lines = rounded(block).split('\n');
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.filter((line) => !printed.includes(`  ${line}`))).toEqual([]);
  });

  test('a dropped turn is shown, a fact recalled, and the compaction in the history', () => {
    expect(whole.output).toMatch(
      /^\$ chitta show '#[a-z2-7]{7}'\n── #[a-z2-7]{7} user, .* from the archive\nThe public API/m,
    );
    expect(after('$ chitta recall')).toMatch(/^memory 2 +fact +Tests run on ManualClock/m);
    expect(after('$ chitta hook')).toContain('[chitta:guide]');
    expect(after('$ chitta episodes')).toMatch(/→\d+ tokens, .*[1-9] of them covered/);
  });
});
