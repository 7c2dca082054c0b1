// Writes the help of every command into docs/cli.md, between marks. Needs a build.
// Usage: node scripts/docs-cli.mjs   (npm run check runs it)
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs', 'cli.md');
const [START, END] = ['<!-- help -->', '<!-- /help -->'];

const run = promisify(execFile);

async function helpOf(command) {
  const { stdout } = await run(process.execPath, [join(root, 'dist', 'cli.mjs'), ...command, '--help']);
  return stdout;
}

/** Names under "Commands:"; `help` is the same everywhere. */
function subcommandsOf(help) {
  const [, block = ''] = /^Commands:\n((?: {2}.*\n)+)/m.exec(help) ?? [];
  return [...block.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name).filter((name) => name !== 'help');
}

/** One command's subcommands at the same time; of the commands themselves, one after the other. */
async function sections(command) {
  const help = await helpOf(command);
  const title = `${'#'.repeat(Math.min(command.length + 2, 4))} chitta${command.map((word) => ` ${word}`).join('')}`;
  const own = `${title}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`;
  const names = subcommandsOf(help);
  const below = command.length === 0 ? [] : await Promise.all(names.map((name) => sections([...command, name])));
  if (command.length === 0) for (const name of names) below.push(await sections([name]));
  return [own, ...below.flat()];
}

const text = readFileSync(page, 'utf8');
const [before, after] = [text.indexOf(START), text.indexOf(END)];
if (before < 0 || after < before) throw new Error(`${page} has no ${START} … ${END}`);
const written = `${text.slice(0, before)}${START}\n\n${(await sections([])).join('\n')}\n${text.slice(after)}`;
writeFileSync(page, written);
