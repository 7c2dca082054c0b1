// Runs the commands whose output a page shows, and writes the output in. A block is
//   <!-- printed: chitta compact demo/session.jsonl --stats -->
//   ```text
//   $ chitta compact …
//   …
//   ```
// Times differ from run to run and do not count as a change. Usage: node scripts/docs-examples.mjs (npm run check runs it)
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'chitta-docs-'));

function outputOf(command) {
  const [name, ...argv] = command.split(' ');
  if (name !== 'chitta') throw new Error(`only chitta's own output is shown, not ${name}'s`);
  const env = { PATH: process.env.PATH, HOME: home, CHITTA_HOME: home, CHITTA_RUNTIME_DIR: '/dev/null' };
  const cli = join(root, 'dist', 'cli.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...argv], { cwd: root, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}: exit ${status}\n${stderr}`);
  return stdout.trimEnd();
}

const withoutTimes = (text) => text.replaceAll(/\d+(?:\.\d+)? ms\b/g, 'N ms');

try {
  const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => join('docs', name))];
  for (const page of pages.filter((name) => name.endsWith('.md'))) {
    const before = readFileSync(join(root, page), 'utf8');
    const after = before.replaceAll(/<!-- printed: (.+?) -->\n```text\n[\s\S]*?```/g, (block, command) => {
      const fresh = `<!-- printed: ${command} -->\n\`\`\`text\n$ ${command}\n${outputOf(command)}\n\`\`\``;
      return withoutTimes(fresh) === withoutTimes(block) ? block : fresh;
    });
    if (after !== before) writeFileSync(join(root, page), after);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
