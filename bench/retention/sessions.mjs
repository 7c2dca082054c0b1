// Sessions of an invented coding agent, the same for the same seed: it is asked for something, searches, reads, plans,
// edits, runs tests that fail, mends, and comes back to files that it read long before. What it edits and names later really
// stood in what it had read, so the future of each session shows what was needed of its past. No text from anywhere.

/** Numbers in 0..1 (mulberry32). */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const words = (text) => text.split(' ');
const NOUNS = words(
  'ledger lease parcel tariff ticket courier depot invoice route beacon harbor meadow orchard quarry signal tunnel valve window anchor barrel canvas dynamo engine filter gasket hinge insulator joint kettle lantern magnet needle outlet piston quiver rotor socket turbine washer',
);
const VERBS = words(
  'load store merge split check draw sort count fetch close open renew drop build parse format queue retry flush watch bind trim scale shift',
);
const KINDS = words(
  'Batch Window Session Cursor Handle Policy Record Registry Queue Reader Writer Limit Plan Index Frame Entry',
);
const FOLDERS = words('core billing transport storage planning metrics gateway jobs');
const PROSE = words(
  'the job waits until its handler returns and tries again after every failure so that a slow server is left alone while the others go on with what they hold',
);

const capital = (word) => word[0].toUpperCase() + word.slice(1);

class Session {
  constructor(seed) {
    this.next = random(seed * 7919 + 1);
    this.messages = [];
    this.calls = 0;
    this.files = [];
    /** Paths in the order in which they were seen last, oldest first. */
    this.seen = [];
    this.facts = [];
    this.makeRepository();
  }

  below(limit) {
    return Math.floor(this.next() * limit);
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  chance(share) {
    return this.next() < share;
  }

  symbol() {
    return `${this.pick(VERBS)}${capital(this.pick(NOUNS))}${this.pick(KINDS)}`;
  }

  sentence(count) {
    return Array.from({ length: count }, () => this.pick(PROSE)).join(' ');
  }

  hash() {
    return Array.from({ length: 10 }, () => '0123456789abcdef'[this.below(16)])
      .join('')
      .replace(/^\D/, '7');
  }

  // --- the repository -----------------------------------------------------------------------------------------------

  makeRepository() {
    const count = 26 + this.below(14);
    const symbols = Array.from({ length: count * 4 }, () => this.symbol());
    for (let n = 0; n < count; n++) {
      const name = `${this.pick(NOUNS)}-${this.pick(NOUNS)}-${n}`;
      const path = `/home/dev/harbor/src/${this.pick(FOLDERS)}/${name}.ts`;
      const own = symbols.slice(n * 4, n * 4 + 4);
      const lines = [`import { ${this.pick(symbols)} } from '../${this.pick(FOLDERS)}/${this.pick(NOUNS)}.ts';`, ''];
      for (const symbol of own) lines.push(...this.functionLines(symbol, symbols), '');
      this.files.push({ path, lines, symbols: own });
    }
  }

  functionLines(symbol, symbols) {
    const [a, b, c] = [this.pick(NOUNS), this.pick(NOUNS), this.pick(NOUNS)];
    const key = `${a}.${b}_${this.pick(VERBS)}`;
    const body = [
      `/** ${capital(this.sentence(9))}. */`,
      `export async function ${symbol}(${a}: ${capital(b)}, ${c}Limit = ${100 + this.below(9000)}) {`,
      `  const ${b}Count = await ${this.pick(symbols)}(${a}, { ${c}: readSetting('${key}') });`,
    ];
    for (let n = this.below(9) + 2; n > 0; n--) {
      const kind = this.below(4);
      const value = `${this.pick(NOUNS)}${this.pick(KINDS)}`;
      if (kind === 0)
        body.push(`  if (${value}.length > ${c}Limit) throw new ${capital(a)}Error('${this.sentence(4)}');`);
      else if (kind === 1) body.push(`  const ${value}${n} = ${this.pick(symbols)}(${b}Count, ${this.below(500)});`);
      else if (kind === 2) body.push(`  // ${this.sentence(8)}`);
      else body.push(`  for (const ${this.pick(NOUNS)} of ${value}) ${this.pick(symbols)}(${a}, ${this.below(99)});`);
    }
    return [...body, `  return { ${a}, ${b}Count };`, '}'];
  }

  // --- what is said and done ------------------------------------------------------------------------------------------

  prompt(text) {
    this.messages.push({ role: 'user', content: text });
  }

  say(text) {
    this.messages.push({ role: 'assistant', content: [{ type: 'text', text }] });
  }

  call(name, input, result, { text, failed = false } = {}) {
    this.calls += 1;
    const id = `toolu_${this.calls}`;
    const blocks = text === undefined ? [] : [{ type: 'text', text }];
    this.messages.push({ role: 'assistant', content: [...blocks, { type: 'tool_use', id, name, input }] });
    const block = { type: 'tool_result', tool_use_id: id, content: result };
    this.messages.push({ role: 'user', content: [failed ? { ...block, is_error: true } : block] });
  }

  saw(file) {
    this.seen = [...this.seen.filter((one) => one !== file), file];
  }

  numbered(lines, from) {
    return lines.map((line, index) => `${String(from + index + 1).padStart(6)}→${line}`).join('\n');
  }

  read(file) {
    const from = this.chance(0.3) ? this.below(Math.max(1, file.lines.length - 20)) : 0;
    const lines = file.lines.slice(from, from + 25 + this.below(60));
    const range = from === 0 ? {} : { offset: from + 1, limit: lines.length };
    this.call('Read', { file_path: file.path, ...range }, this.numbered(lines, from));
    file.shown = [from, from + lines.length];
    this.saw(file);
  }

  search() {
    const symbol = this.pick(this.pick(this.files).symbols);
    const hits = this.files.flatMap(({ path, lines }) =>
      lines.flatMap((line, index) => (line.includes(symbol) ? [`${path}:${index + 1}:${line}`] : [])),
    );
    this.call(
      'Grep',
      { pattern: symbol, path: '/home/dev/harbor/src', output_mode: 'content' },
      hits.slice(0, 40).join('\n'),
    );
  }

  /** Replaces lines that were shown before; what they were the agent must still know. */
  edit(file) {
    const [from, to] = file.shown ?? [0, 0];
    const size = 1 + this.below(6);
    const at = from + this.below(Math.max(1, to - from - size));
    const old = file.lines.slice(at, at + size);
    if (old.join('').trim().length < 20) return;
    const fresh = [
      ...old.slice(0, -1),
      `  const ${this.pick(NOUNS)}${this.pick(KINDS)} = ${this.symbol()}(${this.below(900)});`,
      ...old.slice(-1),
    ];
    file.lines.splice(at, size, ...fresh);
    file.shown = [from, to + 1];
    const input = { file_path: file.path, old_string: old.join('\n'), new_string: fresh.join('\n') };
    const shown = this.numbered(file.lines.slice(Math.max(0, at - 3), at + size + 4), Math.max(0, at - 3));
    this.call('Edit', input, `The file ${file.path} has been updated. Here is a part of it:\n${shown}`);
    this.saw(file);
  }

  /** Mostly a file of the moment, now and then one of long ago. */
  knownFile() {
    const age = this.next();
    const back = age < 0.7 ? this.below(3) : age < 0.88 ? this.below(8) : this.below(this.seen.length);
    return this.seen.at(-1 - Math.min(back, this.seen.length - 1));
  }

  test() {
    const file = this.knownFile();
    const symbol = this.pick(file.symbols);
    const name = file.path.split('/').at(-1).replace('.ts', '.test.ts');
    const passed = Array.from({ length: 8 + this.below(25) }, () => ` ✓ ${this.sentence(5)} (${this.below(90)} ms)`);
    const fails = this.chance(0.45);
    const failure = [
      `FAIL test/${name} > ${symbol} ${this.sentence(4)}`,
      `${capital(this.pick(NOUNS))}Error: ${symbol} gave up after ${1000 + this.below(9000)} rows of ${this.symbol()}`,
      `    at ${symbol} (${file.path}:${1 + this.below(90)}:${1 + this.below(40)})`,
    ];
    const output = [...passed, ...(fails ? failure : []), `Tests ${passed.length} passed${fails ? ', 1 failed' : ''}`];
    this.call('Bash', { command: `npx vitest run test/${name} --reporter verbose` }, output.join('\n'), {
      failed: fails,
    });
    if (fails) this.facts.push(failure[1]);
  }

  log() {
    const rows = Array.from({ length: 6 + this.below(14) }, () => `${this.hash()} ${this.sentence(6)}`);
    this.call('Bash', { command: `git log --oneline -${rows.length}` }, rows.join('\n'));
    this.facts.push(this.pick(rows).slice(0, 7));
  }

  build() {
    const rows = Array.from(
      { length: 20 + this.below(50) },
      (_, n) => `[${n}] ${this.sentence(7)} ${this.below(4000)} kB`,
    );
    this.call('Bash', { command: 'npm run build' }, rows.join('\n'));
  }

  plan() {
    const todos = Array.from({ length: 3 + this.below(4) }, () => ({
      content: `${capital(this.pick(VERBS))} ${this.pick(this.pick(this.files).symbols)} in ${this.pick(this.files).path}`,
      status: this.pick(['pending', 'in_progress', 'completed']),
    }));
    this.call('TodoWrite', { todos }, 'Todos have been modified.');
  }

  /** Comes back to something that was said long before, by its name. */
  recall() {
    const fact = this.facts[this.below(this.facts.length)];
    if (fact === undefined) return;
    if (/^[0-9a-f]{7}$/.test(fact)) this.call('Bash', { command: `git show --stat ${fact}` }, this.sentence(20));
    else this.call('Grep', { pattern: fact.split(' ').at(-1), path: '/home/dev/harbor/src' }, 'No matches found');
  }

  task() {
    const file = this.pick(this.files);
    const symbol = this.pick(file.symbols);
    const rules = [
      `Never change the order of ${this.pick(NOUNS)} entries.`,
      `It must stay below ${50 + this.below(400)} ms.`,
      `Do not touch ${this.pick(this.files).path.split('/').slice(-2).join('/')}.`,
      `Keep the name ${symbol} as it is.`,
      `Use "${this.sentence(3)}" as the message.`,
    ];
    this.prompt(
      `${capital(this.sentence(10))}: please make ${symbol} ${this.sentence(5)}. ${this.pick(rules)} ${this.sentence(8)}.`,
    );
    this.search();
    this.read(file);
    if (this.chance(0.5)) this.plan();
    for (let n = 4 + this.below(10); n > 0; n--) this.step();
    this.say(`${capital(this.sentence(14))}. ${capital(symbol)} now ${this.sentence(8)}.`);
  }

  step() {
    const kind = this.next();
    if (kind < 0.2) this.read(this.pick(this.files));
    else if (kind < 0.3) this.search();
    else if (kind < 0.62) this.edit(this.knownFile());
    else if (kind < 0.78) this.test();
    else if (kind < 0.83) this.build();
    else if (kind < 0.88) this.log();
    else if (kind < 0.95) this.recall();
    else this.say(`${capital(this.sentence(20))}.`);
  }
}

/** Messages of one session in Anthropic shape, at least `count` of them. */
export function session({ seed, count = 420 }) {
  const made = new Session(seed);
  while (made.messages.length < count) made.task();
  return made.messages;
}
