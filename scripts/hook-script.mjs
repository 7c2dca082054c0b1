// Puts the chunks of the hook into one script: an expression whose value is a function (require, path) that gives the exports of
// the first chunk. One file is opened instead of a dozen, and its compiled code can be kept (src/platform/kept-code.ts).
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Compiled code is kept with ASCII sources only: one byte for each character. Escapes mean the same in texts and expressions. */
function ascii(source) {
  if (/String\.raw`[^`]*[^\0-\x7f`]/.test(source)) throw new Error('String.raw keeps escapes as they are');
  return source.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Makes `file` of the chunks in `folder`, and removes the folder. `first` is the name of the chunk to begin with. */
export function writeHookScript(folder, first, file) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.cjs'));
  if (!names.includes(first)) throw new Error(`${first} was not built`);
  const chunks = names.map((name) => {
    const source = readFileSync(join(folder, name), 'utf8');
    // In such a script there is nobody to answer them.
    const dynamic = /(?<![\w.$])import\(.*/.exec(source.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, ''));
    if (dynamic) throw new Error(`${name}: ${dynamic[0]}`);
    return `${JSON.stringify(`./${name}`)}(exports, require, module, __filename) {\n${source}\n}`;
  });
  const script = `((require, path) => {
const chunks = {\n${chunks.join(',\n')}\n};
const loaded = new Map();
const load = (name) => {
  if (!Object.hasOwn(chunks, name)) return require(name);
  let module = loaded.get(name);
  if (module === undefined) {
    module = { exports: {} };
    loaded.set(name, module);
    chunks[name](module.exports, load, module, path);
  }
  return module.exports;
};
return load(${JSON.stringify(`./${first}`)});
})`;
  writeFileSync(file, ascii(script));
  rmSync(folder, { recursive: true });
}
