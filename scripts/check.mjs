// Everything that is checked besides the tests; runs all steps, says which failed.
// Usage: npm run check [-- STEP…]   a step by how its name begins; without one, all
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const generators = readdirSync(join(root, 'scripts')).filter((name) => /^docs-.*\.mjs$/.test(name));

/** Name, what to try when it fails, and the command; tools come from node_modules/.bin. */
const STEPS = [
  ['types', 'npx tsc --noEmit -p .', () => tool('tsc', '--noEmit', '-p', '.')],
  ['unused code and packages', 'npx knip', () => tool('knip', '--no-progress')],
  ['lint', 'npx oxlint', () => tool('oxlint', '--deny-warnings', '--allow', 'max-lines')],
  ['format', 'npx oxfmt', () => tool('oxfmt', '--check')],
  ['package', 'npx publint', () => tool('publint', '--strict')],
  ['generated pages', 'commit what was regenerated', () => generatedPages()],
];

/** Runs a command to its end; its output is kept, to be printed only if it failed. */
function command(file, argv) {
  return new Promise((resolve) => {
    const child = spawn(file, argv, {
      cwd: root,
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });
}

function tool(name, ...argv) {
  return command(join(root, 'node_modules', '.bin', name), argv);
}

/** Files that a generator may write. */
function pages() {
  const inDocs = readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name));
  const ofPlugin = ['plugin.json', '.mcp.json', '.claude-plugin/plugin.json', '.claude-plugin/marketplace.json'];
  const names = ['README.md', 'NOTICE', ...ofPlugin, ...inDocs];
  return new Map(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

/** Runs the generators; a page that changes was stale. One after the other: several write to the same page. */
async function generatedPages() {
  const before = pages();
  for (const generator of generators) {
    const result = await command(process.execPath, [join(root, 'scripts', generator)]);
    if (!result.ok) return result;
  }
  const stale = [...pages()].filter(([name, text]) => before.get(name) !== text).map(([name]) => name);
  return { ok: stale.length === 0, output: stale.map((name) => `${name} was stale and is written anew\n`).join('') };
}

const asked = process.argv.slice(2);
const queue = STEPS.filter(([name]) => asked.length === 0 || asked.some((one) => name.startsWith(one)));
const failed = [];

async function work() {
  for (let step = queue.shift(); step; step = queue.shift()) {
    const [name, hint, run] = step;
    const startedAt = performance.now();
    const { ok, output } = await run();
    process.stdout.write(
      `${ok ? 'ok  ' : 'FAIL'}  ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)\n`,
    );
    if (ok) continue;
    failed.push(name);
    process.stdout.write(`${output.trimEnd()}\ntry: ${hint}\n\n`);
  }
}

await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
if (failed.length > 0) {
  process.stdout.write(`failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
