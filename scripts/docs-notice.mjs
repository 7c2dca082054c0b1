// Writes NOTICE: whose code the build contains, and under which licence. Reads the marks that the bundler leaves where
// each module begins, so nothing has to be kept in step by hand. Usage: node scripts/docs-notice.mjs (npm run check runs it)
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

/** Texts that many packages share; the copyright line is each one's own. */
const SHARED = {
  MIT: readFileSync(join(root, 'LICENSE'), 'utf8')
    .split(/\n\n(?=Permission)/)[1]
    .trim(),
  ISC: `Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.`,
};

function bundledPackages() {
  const names = new Set();
  for (const file of readdirSync(dist).filter((name) => name.endsWith('.mjs'))) {
    const code = readFileSync(join(dist, file), 'utf8');
    for (const [, path] of code.matchAll(/^\/\/#region (.*node_modules\/.*)$/gm)) {
      const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path);
      names.add(name);
    }
  }
  return [...names].toSorted();
}

function licenceOf(name) {
  const folder = join(root, 'node_modules', name);
  const { license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!license || !file) throw new Error(`${name} is bundled, but its licence is not clear: look into ${folder}`);
  const text = readFileSync(join(folder, file), 'utf8').trim();
  const copyright = text.match(/^.*copyright (?:\(c\)|\d{4}).*$/im)?.[0].trim() ?? 'see the text below';
  return { name, license, copyright, text };
}

const licences = bundledPackages().map(licenceOf);
const width = Math.max(...licences.map(({ name }) => name.length));
const parts = [
  `chitta
Copyright (c) 2026 chitta contributors. MIT licence, see LICENSE.

The files in dist/ contain code of the packages listed here, under their licences.

Two packages are optional. npm installs them beside chitta if it can: better-sqlite3, whose native part is not in dist/ (it
contains SQLite, which is in the public domain), and node-llama-cpp, of which nothing is (MIT, Copyright (c) 2023 Gilad S.;
contains llama.cpp, MIT, Copyright (c) The ggml authors).

models/ contains all-MiniLM-L6-v2 by the sentence-transformers authors (UKP Lab; Nils Reimers and Iryna Gurevych),
Apache-2.0, see models/LICENSE-all-MiniLM-L6-v2.txt; converted to GGUF and quantised to 8 bits (Q8_0).
models/tokenizer.json is its tokenizer, unchanged.

The conversations in demo/, and those that bench/ measures with, are invented for chitta.`,
];
for (const license of [...new Set(licences.map((one) => one.license))].toSorted()) {
  const group = licences.filter((one) => one.license === license);
  const lines = group.map(({ name, copyright }) => `${name.padEnd(width)}  ${copyright}`.trimEnd());
  const text = SHARED[license] ?? group.map((one) => one.text).join('\n\n');
  parts.push(`${'='.repeat(80)}\n${license}\n\n${lines.join('\n')}\n\n${text}`);
}
writeFileSync(join(root, 'NOTICE'), `${parts.join('\n\n')}\n`);
