// Writes the help of every command into docs/cli.md, between marks. Needs a build.
// Usage: node scripts/docs-cli.mjs   (npm run check runs it)
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs', 'cli.md');
const [START, END] = ['<!-- help -->', '<!-- /help -->'];

function helpOf(command) {
  return execFileSync(process.execPath, [join(root, 'dist', 'cli.mjs'), ...command, '--help'], { encoding: 'utf8' });
}

/** Names under "Commands:"; `help` is the same everywhere. */
function subcommandsOf(help) {
  const [, block = ''] = /^Commands:\n((?: {2}.*\n)+)/m.exec(help) ?? [];
  return [...block.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name).filter((name) => name !== 'help');
}

function sections(command) {
  const help = helpOf(command);
  const title = `${'#'.repeat(Math.min(command.length + 2, 4))} chitta${command.map((word) => ` ${word}`).join('')}`;
  const own = `${title}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`;
  return [own, ...subcommandsOf(help).flatMap((name) => sections([...command, name]))];
}

const text = readFileSync(page, 'utf8');
const [before, after] = [text.indexOf(START), text.indexOf(END)];
if (before < 0 || after < before) throw new Error(`${page} has no ${START} … ${END}`);
const written = `${text.slice(0, before)}${START}\n\n${sections([]).join('\n')}\n${text.slice(after)}`;
writeFileSync(page, written);
