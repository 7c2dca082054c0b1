// Runs the benchmarks, prints their tables and keeps the results. Usage: npm run bench [-- NAME…] [--json]
//
// A benchmark is bench/<name>/run.mjs with `export async function run()`, which answers
//   { name, title, columns: string[], rows: (string | number)[][], notes: string[],
//     targets?: { what, reach, value, met }[] }
// Results go to bench/results/latest.json; scripts/docs-bench.mjs writes them into README and docs/benchmarks.md.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const bench = dirname(fileURLToPath(import.meta.url));
const latest = join(bench, 'results', 'latest.json');

const available = readdirSync(bench).filter((name) => existsSync(join(bench, name, 'run.mjs')));
const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true });
const unknown = positionals.filter((name) => !available.includes(name));

/** Where and with what a result was measured. */
function circumstances() {
  const { version } = JSON.parse(readFileSync(join(bench, '..', 'package.json'), 'utf8'));
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    chitta: version,
    node: process.versions.node,
    machine: `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${process.platform} ${release()} ${process.arch}`,
  };
}

function table(columns, rows) {
  const cells = [columns, ...rows].map((row) => row.map(String));
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const line = (row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('   ')
      .trimEnd();
  return cells.map(line).join('\n');
}

function print({ name, title, columns, rows, notes, targets = [] }) {
  process.stdout.write(`\n${name}: ${title}\n\n${table(columns, rows)}\n`);
  for (const note of notes) process.stdout.write(`  ${note}\n`);
  for (const { what, reach, value, met } of targets)
    process.stdout.write(`  ${met ? 'reached' : 'MISSED '}  ${what}: ${value} (${reach})\n`);
}

async function main() {
  if (unknown.length > 0) {
    process.stderr.write(`no benchmark ${unknown.join(', ')}\ntry: npm run bench -- ${available.join(' ')}\n`);
    process.exitCode = 2;
    return;
  }
  // Those not run now keep their last result, with the circumstances of that run.
  const kept = existsSync(latest) ? JSON.parse(readFileSync(latest, 'utf8')).results : {};
  for (const name of positionals.length > 0 ? positionals : available) {
    process.stderr.write(`measuring ${name} …\n`);
    const { run } = await import(pathToFileURL(join(bench, name, 'run.mjs')).href);
    const result = await run();
    kept[name] = { ...circumstances(), ...result };
    if (!values.json) print(result);
  }
  const text = `${JSON.stringify({ results: kept }, null, 2)}\n`;
  mkdirSync(dirname(latest), { recursive: true });
  writeFileSync(latest, text);
  if (values.json) process.stdout.write(text);
}

await main();
