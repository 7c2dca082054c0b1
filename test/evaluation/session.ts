/** Messages for tests of the benchmark: calls with their results, and tools to read them with. */
import { Reading } from '../../src/evaluation/reading.ts';
import { Scorer } from '../../src/evaluation/score.ts';
import { type TokenCounter, tokenCounter } from '../../src/evaluation/tokens.ts';
import { type Truth, truthOf } from '../../src/evaluation/truth.ts';
import type { Message } from '../../src/messages/types.ts';

export const counter: TokenCounter = tokenCounter((text) => Math.ceil(text.length / 4));

export function prompt(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

export function answer(text: string): Message {
  return { role: 'assistant', content: [{ type: 'text', text }] };
}

let made = 0;

/** A call and its result. */
export function call(name: string, input: Record<string, unknown>, result: string, failed = false): Message[] {
  made += 1;
  const id = `toolu_${made}`;
  const answered = { type: 'tool_result', tool_use_id: id, content: result };
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
    { role: 'user', content: [failed ? { ...answered, is_error: true } : answered] },
  ];
}

export interface Episode {
  readonly context: readonly Message[];
  readonly truth: Truth;
  readonly scorer: Scorer;
}

/** An episode of these two halves. */
export function episode(
  context: readonly Message[],
  future: readonly Message[],
  isGuessable: (identifier: string) => boolean = () => false,
): Episode {
  const reading = new Reading();
  const truth = truthOf(context, future, { reading, counter, isGuessable });
  return { context, truth, scorer: new Scorer(context, truth, reading, counter) };
}

/** Keys of the identifiers that came back in a tool's input. */
export function keysOf({ truth }: Episode): string[] {
  return truth.identifiers.filter(({ use }) => use === 'tool').map(({ key }) => key);
}

const CODE = [
  'export function openLedger(path: string): LedgerFile {',
  '  const lockHandle = acquireLock(path, { waitMs: 2500 });',
  '  return new LedgerFile(path, lockHandle);',
  '}',
  'const RETRY_LIMIT = readSetting("ledger.retry_limit");',
];

/** A session that reads code, meets an error, and later edits what it read, names what it saw. */
export function workedEpisode(): Episode {
  const numbered = CODE.map((line, index) => `${String(index + 1).padStart(6)}→${line}`).join('\n');
  const filler = (n: number): Message[] =>
    call('Bash', { command: `ls part${n}` }, `total ${n}\nplain words without any names, row ${n}`);
  const context = [
    prompt('Make the ledger wait for its lock. You must not change the public names.'),
    ...call('Read', { file_path: '/repo/src/ledger/open.ts' }, numbered),
    ...call('Grep', { pattern: 'acquireLock' }, 'src/lock/acquire.ts:12:export function acquireLock(path)'),
    ...call(
      'Bash',
      { command: 'npm test' },
      'FAIL test/ledger.test.ts\nError: LedgerTimeout after waitForRelease in lock-queue.ts',
      true,
    ),
    ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap(filler),
    answer('The tests fail where the lock is taken.'),
  ];
  const future = [
    answer('LedgerTimeout comes from waitForRelease.'),
    ...call('Grep', { pattern: 'RETRY_LIMIT', path: '/repo/src/lock/acquire.ts' }, 'nothing'),
    ...call(
      'Edit',
      { file_path: '/repo/src/ledger/open.ts', old_string: CODE.slice(0, 3).join('\n'), new_string: 'return null;' },
      'done',
    ),
    ...call('Bash', { command: 'npm test -- lock-queue.ts' }, 'ok'),
  ];
  return episode(context, future);
}
