// How near the token estimates come to a real tokenizer (o200k), and what they cost. Transcripts are measured where a
// folder of them stands beside the repository; generated texts and 52 languages always.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { median } from '../measure.mjs';
import { generated, languages } from './texts.mjs';

const beside = fileURLToPath(new URL('../../../shared/', import.meta.url));
const TRANSCRIPT_FOLDERS = ['corpus', 'fixtures/claude-code'];
/** Shorter ones say nothing about a bias. */
const LEAST_TRANSCRIPT_TOKENS = 2000;
const LEAST_MESSAGE_TOKENS = 20;
const IMAGE_TOKENS = 1600;
const MEDIA = new Set(['image', 'document']);

const percent = (share) => `${share >= 0 ? '+' : '−'}${Math.abs(share * 100).toFixed(1)} %`;
const sum = (values) => values.reduce((total, value) => total + value, 0);
const quantile = (values, share) => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
};
const words = (text) => (text.match(/\S+/g) ?? []).length;

function resultText(block) {
  if (typeof block.content === 'string') return { text: block.content, media: 0 };
  const parts = Array.isArray(block.content) ? block.content : [];
  const shown = parts.filter((part) => !MEDIA.has(part.type));
  return {
    text: shown.map((part) => part.text ?? JSON.stringify(part)).join('\n'),
    media: parts.length - shown.length,
  };
}

/** A message as the tokenizer sees it: its texts, and a flat charge for framing and images. */
function partsOf(message) {
  const texts = [];
  let flat = 4;
  const blocks =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : (message.content ?? []);
  for (const block of blocks) {
    if (block.type === 'text') {
      flat += 1;
      texts.push(block.text);
    } else if (block.type === 'tool_use') {
      flat += 10;
      texts.push(block.name, JSON.stringify(block.input ?? {}));
    } else if (block.type === 'tool_result') {
      const { text, media } = resultText(block);
      flat += 8 + media * IMAGE_TOKENS;
      texts.push(text);
    } else if (MEDIA.has(block.type)) {
      flat += IMAGE_TOKENS;
    } else {
      flat += 1;
      texts.push(block.type.endsWith('thinking') ? (block.thinking ?? block.data ?? '') : JSON.stringify(block));
    }
  }
  return { flat, texts };
}

/** Totals of a set of texts or messages: the truth, the two estimates, the two rules of thumb. */
function measure(entries, library) {
  const all = entries.map((message) => {
    const { flat, texts } = partsOf(message);
    return {
      truth: flat + sum(texts.map((text) => countTokens(text))),
      message: library.estimateMessageTokens(message),
      cap: flat + sum(texts.map((text) => library.estimateTokens(text))),
      words: sum(texts.map((text) => words(text) * 1.3)),
      quarter: sum(texts.map((text) => text.length / 4)),
    };
  });
  const truth = sum(all.map((one) => one.truth));
  const bias = (key) => sum(all.map((one) => one[key])) / truth - 1;
  const errors = all.filter((one) => one.truth >= LEAST_MESSAGE_TOKENS);
  const p95 = (key) =>
    quantile(
      errors.map((one) => Math.abs(one[key] / one.truth - 1)),
      0.95,
    );
  return { truth, bias, p95, all };
}

function transcripts(library) {
  const files = TRANSCRIPT_FOLDERS.map((folder) => join(beside, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)))
    .filter((file) => file.endsWith('.jsonl'));
  return Promise.all(files.map(async (file) => (await library.readTranscript(file, { all: true })).messages));
}

function speed(library) {
  const megabyte = generated(7, 12)
    .filter((group) => group.family === 'code')
    .flatMap((group) => group.texts)
    .join('\n')
    .repeat(4)
    .slice(0, 1 << 20);
  const loop = () => {
    let total = 0;
    for (let at = 0; at < megabyte.length; at++) total += megabyte.charCodeAt(at);
    return total;
  };
  const message = { role: 'user', content: megabyte };
  const took = { loop: [], estimate: [] };
  for (let round = -5; round < 15; round++) {
    const startedAt = performance.now();
    loop();
    const between = performance.now();
    library.estimateMessageTokens(message);
    if (round < 0) continue;
    took.loop.push(between - startedAt);
    took.estimate.push(performance.now() - between);
  }
  return { ms: median(took.estimate), ratio: median(took.estimate) / median(took.loop) };
}

export async function run() {
  const library = await import('../../dist/index.mjs');
  const rows = [];
  const add = (name, measured) =>
    rows.push([
      name,
      measured.truth.toLocaleString('en'),
      percent(measured.bias('message')),
      percent(measured.bias('cap')),
      percent(measured.bias('words')),
      percent(measured.bias('quarter')),
    ]);
  const asMessage = (content) => ({ role: 'user', content });

  const conversations = await transcripts(library);
  const measured = conversations
    .map((messages) => measure(messages, library))
    .filter(({ truth }) => truth >= LEAST_TRANSCRIPT_TOKENS)
    .toSorted((a, b) => a.bias('message') - b.bias('message'));
  const every = measure(conversations.flat(), library);
  if (measured.length > 0) {
    add(`${measured.length} transcripts together`, every);
    add('  the lowest', measured[0]);
    add('  the highest', measured.at(-1));
  }

  const groups = generated().map((group) => ({ ...group, ...measure(group.texts.map(asMessage), library) }));
  for (const group of groups) add(group.kind, group);
  const spoken = Object.entries(languages)
    .map(([language, text]) => ({ language, ...measure([asMessage(text)], library) }))
    .toSorted((a, b) => a.bias('message') - b.bias('message'));
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const one = spoken[Math.round(share * (spoken.length - 1))];
    add(`${spoken.length} languages, ${share * 100} % below: ${one.language}`, one);
  }

  const caps = [...groups, ...spoken].flatMap((group) => group.all).map((one) => one.cap / one.truth - 1);
  const onCode = groups.filter((group) => group.family === 'code').flatMap((group) => group.all);
  const { ms, ratio } = speed(library);
  const notes = [
    'Difference to o200k; "message" is estimateMessageTokens, "cap" estimateTokens.',
    `One MB: ${ms.toFixed(1)} ms, ${ratio.toFixed(1)} times a bare loop over its characters.`,
  ];
  const targets = [
    {
      what: 'lowest cap on a generated text or language',
      reach: '≥ −2 %',
      value: percent(Math.min(...caps)),
      met: Math.min(...caps) >= -0.02,
    },
    ...[Math.max(...onCode.map((one) => one.cap / one.truth - 1))].map((most) => ({
      what: 'highest cap on prose and code',
      reach: '≤ +25 %',
      value: percent(most),
      met: most <= 0.25,
    })),
  ];
  if (measured.length > 0) {
    const worst = Math.max(...measured.map((one) => Math.abs(one.bias('message'))));
    targets.unshift({
      what: 'bias of the worst transcript',
      reach: '≤ 10 %',
      value: percent(worst),
      met: worst <= 0.1,
    });
    const p95 = (key) => `${(every.p95(key) * 100).toFixed(0)} %`;
    notes.push(
      `95th percentile of a message's error (${LEAST_MESSAGE_TOKENS} tokens or more): ${p95('message')}; words × 1.3: ${p95('words')}; characters ÷ 4: ${p95('quarter')}.`,
    );
    const large = every.all.filter((one) => one.truth >= 50).map((one) => one.cap / one.truth - 1);
    const share = (test) => `${((large.filter(test).length / large.length) * 100).toFixed(1)} %`;
    notes.push(
      `Cap on ${large.length.toLocaleString('en')} messages of 50 tokens or more: ${share((error) => error < -0.02)} below the truth by over 2 %, ${share((error) => error > 0.25)} above it by over 25 %; lowest ${percent(Math.min(...large))}, highest ${percent(Math.max(...large))}.`,
    );
  } else notes.push('No transcripts beside the repository: those rows are missing.');
  return {
    name: 'tokens',
    title: 'Token estimates against a real tokenizer',
    columns: ['text', 'tokens', 'message', 'cap', 'words × 1.3', 'characters ÷ 4'],
    rows,
    notes,
    targets,
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const result = await run();
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    for (const row of [result.columns, ...result.rows]) {
      process.stdout.write(`${row.map((cell, at) => (at === 0 ? cell.padEnd(42) : cell.padStart(16))).join('')}\n`);
    }
    for (const note of result.notes) process.stdout.write(`${note}\n`);
    for (const target of result.targets)
      process.stdout.write(`${target.met ? 'reached' : 'MISSED '} ${target.what}: ${target.value} (${target.reach})\n`);
  }
}
