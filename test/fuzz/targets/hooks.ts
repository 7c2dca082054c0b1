/** Hooks: whatever stands on standard input, the answer is nothing or a block of chitta's own, in time. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { createApp } from '../../../src/app.ts';
import { runHook } from '../../../src/hooks/run.ts';
import { stripMarks } from '../../../src/messages/marks.ts';
import { badPaths, BROKEN, EVENTS, goodTranscript, inputOf, NAMES, WRONG_TYPES } from '../hook-events.ts';
import { holds, type Target } from '../target.ts';
import { anyText, damaged, transcriptBytes } from '../transcripts.ts';

/** What is wrong with an answer. */
export function answerProblems(answer: string): string[] {
  const found: string[] = [];
  if (stripMarks(answer).trim() !== '') found.push(`not a block: ${answer.slice(0, 80)}`);
  if (!answer.isWellFormed()) found.push('not well-formed');
  if (answer.length > 10_000) found.push(`${answer.length} characters`);
  return found;
}

const FIELDS = [
  'session_id',
  'transcript_path',
  'agent_transcript_path',
  'cwd',
  'hook_event_name',
  'trigger',
  'custom_instructions',
  'source',
  'prompt',
  'prompt_id',
  'compact_summary',
  'agent_id',
  'agent_type',
] as const;

/** Standard input of hooks; `folder` has transcripts and what is none. */
export function hookInput(folder: string): fc.Arbitrary<{ name: string; input: Buffer }> {
  const paths = fc.oneof(
    { weight: 3, arbitrary: fc.constant<unknown>(join(folder, 'fuzzed.jsonl')) },
    { weight: 1, arbitrary: fc.constant<unknown>(goodTranscript(folder)) },
    { weight: 2, arbitrary: fc.constantFrom(...badPaths(folder).map(([, path]) => path)) },
  );
  const odd = fc.oneof(anyText, fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(...WRONG_TYPES));
  const event = fc
    .tuple(
      fc.constantFrom(...EVENTS),
      paths,
      fc.array(fc.tuple(fc.constantFrom(...FIELDS), odd), { maxLength: 2 }),
      anyText,
    )
    .map(([one, path, changes, words]) => {
      const fields = {
        ...inputOf(one, path, folder),
        prompt: words,
        compact_summary: words,
        ...Object.fromEntries(changes),
      };
      return { name: one.name, input: Buffer.from(JSON.stringify(fields)) };
    });
  const broken = fc
    .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...BROKEN.filter(([what]) => !what.startsWith('50'))))
    .map(([name, [, input]]) => ({ name, input: input() }));
  const hurt = event.chain(({ name, input }) => damaged(fc.constant(input)).map((bytes) => ({ name, input: bytes })));
  return fc.oneof({ weight: 6, arbitrary: event }, { weight: 3, arbitrary: hurt }, { weight: 1, arbitrary: broken });
}

/** All events in this process, with a home and a database of their own. */
export function hookTargets(folder: string): Target[] {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const env = { CHITTA_HOME: home, CHITTA_RUNTIME_DIR: '/dev/null', HOME: folder };
  return [
    {
      name: 'hooks',
      share: 0.1,
      property: fc.asyncProperty(hookInput(folder), damaged(transcriptBytes), async ({ name, input }, transcript) => {
        writeFileSync(join(folder, 'fuzzed.jsonl'), transcript);
        const answer = await runHook(name, { stdin: Readable.from([input]), env }, (cwd) =>
          createApp({ env, cwd: cwd ?? folder, version: '0' }),
        );
        holds(answerProblems(answer));
        return true;
      }),
    },
  ];
}
