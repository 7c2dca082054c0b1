/** What the pages say is tried: commands run, links lead somewhere, names exist. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const repository = join(import.meta.dirname, '..');
const work = mkdtempSync(join(tmpdir(), 'chitta-docs-'));
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(repository, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const TRIED = ['README.md', join('docs', 'quickstart.md'), join('docs', 'how-compaction-works.md')];

const page = (name: string): string => readFileSync(join(repository, name), 'utf8');
const hasJq = spawnSync('jq', ['--version']).status === 0;

/** Lines of fenced sh blocks. */
function commandsOf(text: string): string[] {
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, body = '']) => body.trim().split('\n'));
}

beforeAll(() => {
  mkdirSync(join(work, 'bin'));
  symlinkSync(join(repository, 'dist', 'cli.mjs'), join(work, 'bin', 'chitta'));
  symlinkSync(join(repository, 'demo'), join(work, 'demo'));
  copyFileSync(join(repository, 'demo', 'session.jsonl'), join(work, 'session.jsonl'));
  copyFileSync(join(repository, 'demo', 'six-messages.json'), join(work, 'messages.json'));
  const messages: unknown = JSON.parse(readFileSync(join(work, 'messages.json'), 'utf8'));
  writeFileSync(join(work, 'request.json'), JSON.stringify({ model: 'any', messages }));
});

afterAll(() => {
  rmSync(work, { recursive: true, force: true });
});

function shell(command: string): { status: number | null; stdout: string; stderr: string } {
  const path = [join(work, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
  const env = {
    PATH: path,
    HOME: work,
    CHITTA_HOME: join(work, 'home'),
    CHITTA_RUNTIME_DIR: '/dev/null',
    COLUMNS: '100',
  };
  return spawnSync('bash', ['-o', 'pipefail', '-c', command], { cwd: work, env, encoding: 'utf8' });
}

const commands = TRIED.flatMap((name) => commandsOf(page(name)).map((command) => [name, command] as const)).filter(
  ([, command]) => !command.startsWith('npm '),
);
const usesJq = ([, command]: readonly [string, string]): boolean => command.includes('jq');

/** What a command did: it should end well, and say something. */
function outcomeOf(command: string): { status: number | null; stderr: string; says: boolean } {
  const { status, stdout, stderr } = shell(command);
  return { status, stderr: status === 0 ? '' : stderr, says: stdout !== '' };
}

const WELL = { status: 0, stderr: '', says: true };

test.each(commands.filter((one) => !usesJq(one)))('%s: %s', (_name, command) => {
  expect(outcomeOf(command)).toEqual(WELL);
});

describe.skipIf(!hasJq)('commands of the pages that use jq (skipped where it is not installed)', () => {
  test.each(commands.filter(usesJq))('%s: %s', (_name, command) => {
    expect(outcomeOf(command)).toEqual(WELL);
  });
});

test('every npm script that a page names is there', () => {
  // The manifest is ours: scripts by name.
  const { scripts } = JSON.parse(page('package.json')) as { scripts: Record<string, string> };
  const named = PAGES.flatMap((name) =>
    [...page(name).matchAll(/\bnpm run ([\w:]+)/g)].map(([, script = '']) => script),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((script) => !(script in scripts))).toEqual([]);
});

test('every link within the repository leads to a file and, where it names one, to a heading', () => {
  const broken: string[] = [];
  for (const name of PAGES) {
    for (const [, target = ''] of page(name).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = '', heading] = target.split('#');
      const file = path === '' ? name : join(dirname(name), path);
      if (!existsSync(join(repository, file))) broken.push(`${name}: ${target}`);
      else if (heading !== undefined && !headingsOf(page(file)).includes(heading)) broken.push(`${name}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const printed = TRIED.flatMap((name) =>
  [...page(name).matchAll(/<!-- printed: (.+?) -->\n```text\n([\s\S]*?)\n```/g)].map(
    ([, command = '', output = '']) => [name, command, output] as const,
  ),
);

test('the opening page and the explanation show real output', () => {
  expect(new Set(printed.map(([name]) => name)).size).toBe(2);
});

test.each(printed)('%s shows what `%s` prints', (_name, command, output) => {
  const withoutTimes = (text: string): string => text.replaceAll(/\d+(?:\.\d+)? ms\b/g, 'N ms');
  expect(withoutTimes(`$ ${command}\n${shell(command).stdout.trimEnd()}`)).toBe(withoutTimes(output));
});
