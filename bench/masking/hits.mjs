// Counts what would be masked in the files of folders, by kind. Prints no text of them, whatever it finds.
// Usage: node bench/masking/hits.mjs [--where] FOLDER…      --where: file and line of every hit, to look at them
//
// Of .jsonl files every string of every row is masked by itself, as chitta does; of other text files the whole.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { builtMask } from './built.mjs';

const TEXT =
  /\.(?:jsonl|json|[cm]?[jt]sx?|md|txt|ya?ml|toml|ini|html|css|map|py|rb|go|rs|java|c|h|cc|hpp|sh|sql|xml|lock)$/i;
const MAX_BYTES = 64_000_000;
const MARK = /\[masked:([a-z-]+)\]/g;

const { values, positionals } = parseArgs({ options: { where: { type: 'boolean' } }, allowPositionals: true });
if (positionals.length === 0) {
  process.stderr.write('usage: node bench/masking/hits.mjs [--where] FOLDER…\n');
  process.exit(2);
}

const maskSecrets = await builtMask();
const kinds = new Map();
const total = { files: 0, characters: 0, hits: 0, ms: 0 };

function marksIn(text) {
  return [...text.matchAll(MARK)].map(([, kind]) => kind);
}

function mask(text, place) {
  total.characters += text.length;
  const before = performance.now();
  const { text: masked, masked: count } = maskSecrets(text);
  total.ms += performance.now() - before;
  if (count === 0) return;
  // Marks that stand in the text already are no hits.
  const there = new Map();
  for (const kind of marksIn(text)) there.set(kind, (there.get(kind) ?? 0) + 1);
  for (const kind of marksIn(masked)) {
    const old = there.get(kind) ?? 0;
    if (old > 0) {
      there.set(kind, old - 1);
      continue;
    }
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    total.hits += 1;
  }
  if (values.where) process.stdout.write(`${place(text, masked)}\n`);
}

/** The line on which two texts begin to differ. */
function lineOf(text, masked) {
  let at = 0;
  while (at < text.length && text[at] === masked[at]) at += 1;
  return text.slice(0, at).split('\n').length;
}

function maskStrings(value, place) {
  if (typeof value === 'string') mask(value, place);
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) maskStrings(one, place);
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    // Damaged, or no JSON at all: as it is.
    return line;
  }
}

for (const folder of positionals) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() !== true || stat.size > MAX_BYTES || !TEXT.test(name)) continue;
    total.files += 1;
    const text = readFileSync(path, 'utf8');
    if (!name.endsWith('.jsonl')) {
      mask(text, (whole, masked) => `${path}:${lineOf(whole, masked)}`);
      continue;
    }
    for (const [index, line] of text.split('\n').entries()) maskStrings(parsed(line), () => `${path}:${index + 1}`);
  }
}

for (const [kind, count] of [...kinds].toSorted((a, b) => b[1] - a[1])) {
  process.stdout.write(`${String(count).padStart(6)}  ${kind}\n`);
}
process.stdout.write(
  `${String(total.hits).padStart(6)}  in ${total.files} files, ${(total.characters / 1e6).toFixed(1)} million characters, ` +
    `${(total.characters / 1e6 / (total.ms / 1e3)).toFixed(0)} million a second\n`,
);
