/** Every command that prints stored text for people: what was stored can neither move a cursor nor set a title nor turn the order around. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CommandContext } from '../../src/commands/context.ts';
import { addCompactCommand } from '../../src/commands/compact.ts';
import { addDirectivesCommand } from '../../src/commands/directives.ts';
import { addEpisodesCommand } from '../../src/commands/episodes.ts';
import { addHotCommand } from '../../src/commands/hot.ts';
import { addMemoryCommand } from '../../src/commands/memory.ts';
import { addRecallCommand } from '../../src/commands/recall.ts';
import { addShowCommand } from '../../src/commands/show.ts';
import { addTranscriptCommand, renderMessages } from '../../src/commands/transcript.ts';
import { addWhyCommand } from '../../src/commands/why.ts';
import { handleOf } from '../../src/messages/handle.ts';
import { openMemory } from '../../src/memory/store.ts';
import { styleFor } from '../../src/terminal/style.ts';
import { parseTranscript } from '../../src/transcript/index.ts';
import { TranscriptBuilder } from '../support/transcript.ts';
import type { Bench } from './context.ts';
import { memoryBench } from './memory-bench.ts';

const MS = 5_000;
/** A title, a cleared screen in both spellings, a link, a bell, a backspace, a carriage return, and text turned around. */
const EVIL =
  'port\u001b]0;title\u0007 a\u001b[2J\u009b31m b\u001b]8;;http://x\u001b\\ c\u0007\u0008 d\re\u202e\u2066 f\u009dg\u009c\u001b';
// oxlint-disable-next-line no-control-regex -- control characters are what must not be there
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const everything = (program: Command, ctx: CommandContext): void => {
  addCompactCommand(program, ctx);
  addDirectivesCommand(program, ctx);
  addEpisodesCommand(program, ctx);
  addHotCommand(program, ctx);
  addMemoryCommand(program, ctx);
  addRecallCommand(program, ctx);
  addShowCommand(program, ctx);
  addTranscriptCommand(program, ctx);
  addWhyCommand(program, ctx);
};

const rows = new TranscriptBuilder(77);
rows.prompt(`What is the ${EVIL}?`);
rows.assistant('m1', [{ type: 'tool_use', id: 't1', name: `Read ${EVIL}`, input: { file_path: EVIL } }]);
rows.result('t1', `${EVIL}\n`.repeat(30));
rows.text('m2', `It is ${EVIL}.`);

let bench: Bench;
let session: string;

beforeAll(async () => {
  bench = memoryBench(everything);
  mkdirSync(bench.project, { recursive: true });
  session = join(bench.project, 'session.jsonl');
  writeFileSync(session, rows.bytes);
  writeFileSync(join(bench.project, 'AGENTS.md'), `Rule: ${EVIL}\n`);
  const memory = openMemory({ home: bench.home });
  const { project } = bench;
  try {
    await memory.remember(
      { text: `The ${EVIL} is 1.`, kind: 'fact', project, session: EVIL, origin: 'person', sourceIds: [] },
      MS,
    );
    await memory.addDirective(
      { text: `never ${EVIL}`, status: 'accepted', replaces: undefined, project, session: undefined },
      MS,
    );
    const turn = { session: EVIL, project, uuid: EVIL, role: EVIL, tokens: 5 };
    await memory.archive([{ ...turn, handle: '#aaaaaaa', text: `The ${EVIL} of the turn\nand ${EVIL}` }], MS);
    const judged = { handle: `#${EVIL}`, role: EVIL, tokens: 12, score: 0.75, reason: EVIL, line: EVIL };
    const named = { session: EVIL, lastUuid: EVIL, trigger: EVIL, strategy: EVIL, transcript: EVIL };
    const counted = { beforeTokens: 9, afterTokens: 5, dropped: 1, covered: 0, embedding: false, tookMs: 1 };
    const decisions = { kept: [judged], dropped: [judged] };
    await memory.recordEpisode({ ...named, ...counted, project, state: 'proposed', decisions }, MS);
    await memory.finishEpisode(EVIL, MS);
    const lost = { checked: 2, lost: [EVIL, EVIL] };
    await memory.noteEpisode(
      EVIL,
      { restored: `[chitta:restored]\n${EVIL}\n[/chitta:restored]`, audit: { identifiers: lost, constraints: lost } },
      MS,
    );
  } finally {
    memory.close();
  }
});
afterAll(() => bench.remove());

test.each([
  ['memory list'],
  ['memory search port'],
  ['memory show 1'],
  ['directives list'],
  ['directives list --all'],
  ['hot'],
  ['recall port'],
  ['show aaaaaaa'],
  ['show aaaaaaa --about turn'],
  ['show aaaaaaa --lines 1-2 --context 2'],
  ['episodes'],
  ['why'],
  ['compact SESSION'],
  ['compact SESSION --explain --ratio 0.1'],
  ['compact SESSION --explain --ratio 0.1 --detail excerpt'],
  ['transcript SESSION --stats'],
  ['show HANDLE --file SESSION'],
])('chitta %s', async (line) => {
  const handle = handleOf({ role: 'user', uuid: String(rows.rows[0]?.['uuid']) });
  const out = await bench.run(
    ...line
      .replace('HANDLE', handle)
      .split(' ')
      .map((word) => (word === 'SESSION' ? session : word)),
  );
  expect(out).not.toBe('');
  expect(out).not.toMatch(CONTROL);
  expect(bench.said.err).not.toMatch(CONTROL);
});

test('chitta transcript, as a list', async () => {
  const { messages } = await parseTranscript(rows.bytes);
  const list = renderMessages(messages, styleFor({ columns: 80 }, {}));
  expect(list).toContain('It is port');
  expect(list).not.toMatch(CONTROL);
});

test('JSON on a terminal spells control characters as escapes, and says the same', async () => {
  const shown: string[] = [];
  const { printJson, printJsonList } = await import('../../src/commands/json.ts');
  const ctx = { stdout: { isTTY: true }, print: async (text: string) => void shown.push(text), note: () => undefined };
  // As much of a context as printing needs.
  await printJson(ctx as never, { [EVIL]: EVIL });
  await printJsonList(ctx as never, [EVIL]);
  expect(shown.join('')).not.toMatch(CONTROL);
  expect(shown.flatMap((text) => Object.values(JSON.parse(text)))).toEqual([EVIL, EVIL]);
});
