import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { IngestStep, IngestTask } from '../../src/actions/ingest.ts';
import { ingestReader } from '../../src/wiring/ingest-reader.ts';
import { readSteps } from '../../src/wiring/ingest-steps.ts';
import { newHome } from '../memory/home.ts';
import { TranscriptBuilder } from '../support/transcript.ts';

const THREAD = join(import.meta.dirname, '..', '..', 'dist', 'ingest-thread.mjs');
const SECRET = `ghp_${'a1B2'.repeat(9)}`;

/** What makes a transcript long and is read by nobody. */
const UNREAD = { toolUseResult: { stdout: 'x'.repeat(90_000) } };

/** Several parts of a transcript, one that is none, and a small one. */
function tasksIn(folder: string): IngestTask[] {
  const file = (name: string, text: string): IngestTask => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return {
      file: { path, bytes: Buffer.byteLength(text), modifiedMs: 1, session: name, project: '/work/shop' },
      from: 0,
    };
  };
  const transcript = (turns: number, salt: number): string => {
    const built = new TranscriptBuilder(salt);
    for (let turn = 0; turn < turns; turn += 1) {
      built.prompt(`question ${turn}: why is the door blue?`, UNREAD);
      built.text(`msg_${salt}_${turn}`, `answer ${turn}: ${SECRET}`);
    }
    return built.rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  };
  return [
    file('long.jsonl', transcript(50, 1)),
    file('other.jsonl', '{"type":"session_meta","payload":{"id":"x","cwd":"/x"}}\n'),
    file('short.jsonl', transcript(2, 2)),
  ];
}

async function all(steps: AsyncIterable<IngestStep>): Promise<IngestStep[]> {
  const list: IngestStep[] = [];
  for await (const step of steps) list.push(step);
  return list;
}

const readable = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value;

/** Some megabytes, to be compared at once. */
const told = (steps: readonly IngestStep[]): string => createHash('sha256').update(JSON.stringify(steps)).digest('hex');

test('a thread gives what reading without one gives, masked', async () => {
  const tasks = tasksIn(newHome());
  const lines: string[] = [];
  const steps = await all(ingestReader((line) => lines.push(line), THREAD)(tasks));
  expect(lines).toEqual([]);
  expect(steps.length).toBe(4);
  expect(JSON.stringify(steps, readable).includes(SECRET)).toBe(false);
  expect(told(steps)).toBe(told(await all(readSteps(tasks))));
});

test('what is behind the last step of a thread that dies is read without one', async () => {
  const folder = newHome();
  const tasks = tasksIn(folder);
  const dying = join(folder, 'dying.mjs');
  writeFileSync(
    dying,
    `import { parentPort } from 'node:worker_threads';
     const post = parentPort.postMessage.bind(parentPort);
     let posted = 0;
     parentPort.postMessage = (step) => {
       if (++posted === 2) throw new Error('out of something');
       post(step);
     };
     await import(${JSON.stringify(pathToFileURL(THREAD).href)});`,
  );
  const lines: string[] = [];
  const steps = await all(ingestReader((line) => lines.push(line), dying)(tasks));
  expect(lines).toEqual(['ingest goes on without a thread: out of something']);
  const expected = await all(readSteps(tasks));
  expect(told(steps.slice(0, 1))).toBe(told(expected.slice(0, 1)));
  const reached = steps.flatMap((step) => ('part' in step && step.path.endsWith('long.jsonl') ? [step.to] : []));
  expect(reached.at(-1)).toBe(tasks[0]?.file.bytes);
  const handles = (list: readonly IngestStep[]): Set<string> =>
    new Set(list.flatMap((step) => ('part' in step ? step.part.turns.map(({ handle }) => handle) : [])));
  expect(handles(steps)).toEqual(handles(expected));
});

test('a thread whose script is broken, or missing, is done without', async () => {
  const folder = newHome();
  const tasks = tasksIn(folder);
  const broken = join(folder, 'broken.mjs');
  writeFileSync(broken, 'import "./not-there.mjs";');
  const lines: string[] = [];
  const log = (line: string): number => lines.push(line);
  const expected = told(await all(readSteps(tasks)));
  expect(told(await all(ingestReader(log, broken)(tasks)))).toBe(expected);
  expect(lines).toHaveLength(1);
  expect(told(await all(ingestReader(log, join(folder, 'nowhere.mjs'))(tasks)))).toBe(expected);
  expect(lines).toHaveLength(1);
});

test('a thread ends when nobody wants more of it', async () => {
  for await (const step of ingestReader(() => undefined, THREAD)(tasksIn(newHome()))) {
    expect(step.path).toContain('long.jsonl');
    break;
  }
});
