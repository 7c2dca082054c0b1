/** The session that the pages show: much is read in it, of which little is needed later. Invented. */
import { bash, type Reply } from './replies.ts';
import { lastUserText, type ModelRequest } from './requests.ts';

const two = (value: number): string => String(value).padStart(2, '0');

function lines(count: number, line: (row: number) => string): string[] {
  return Array.from({ length: count }, (_, row) => line(row));
}

/** Files of its project. */
export const STORY_FILES: Readonly<Record<string, string>> = {
  'logs/export.log': [
    ...lines(190, (row) => {
      const time = `02:${two(Math.floor(row / 15))}:${two((row * 4) % 60)}`;
      return `${time} batch ${row + 1} of 412 written in ${20 + ((row * 37) % 60)} ms`;
    }),
    '02:12:44 flushBatch waits for the lock on payments_archive, held by archiveRows since 02:09:30',
    '02:17:44 gave up: lock timeout after 300 s, 222 batches not written',
  ].join('\n'),
  'src/export.ts': [
    "import { lockTable } from './locks.ts';",
    '',
    ...lines(40, (row) => `export const column_${row} = { name: 'column_${row}', width: ${8 + ((row * 7) % 24)} };`),
    '',
    'export async function archiveRows(db: Database): Promise<void> {',
    "  const lock = await lockTable(db, 'payments_archive');",
    '  for await (const page of pagesOf(db)) await moveRows(page, lock);',
    '  await lock.release();',
    '}',
    '',
    'export async function flushBatch(db: Database, batch: Batch): Promise<void> {',
    "  const lock = await lockTable(db, 'payments_archive');",
    '  await writeRows(db, batch, lock);',
    '  await lock.release();',
    '}',
  ].join('\n'),
  'replay.sh': [
    'for i in $(seq 1 120); do echo "replay $i: batch of $2 rows, $((i * 7 % 50)) ms"; done',
    'echo "replay 121: lock timeout after 300 s"',
  ].join('\n'),
};

/** What is said, and what the stand-in for the model answers. */
interface Turn {
  readonly prompt: string;
  readonly replies: readonly Reply[];
}

/** The turns before the compaction. Nothing in them names a folder of the machine. */
export const STORY: readonly Turn[] = [
  {
    prompt: 'The nightly export stops halfway. Why? Never write to payments_archive.',
    replies: [
      bash('cat logs/export.log', { text: 'I read its log.' }),
      { text: 'It waits 300 s for the lock on `payments_archive`, which `archiveRows` holds since 02:09:30.' },
    ],
  },
  {
    prompt: 'Who else takes that lock?',
    replies: [
      bash('cat src/export.ts', { text: 'I look.' }),
      { text: 'Besides `archiveRows` only `flushBatch`. The former keeps it for all pages, not for one.' },
    ],
  },
  {
    prompt: 'Do smaller batches help?',
    replies: [
      bash('sh replay.sh --batch 50', { text: 'I replay the night with 50 rows.' }),
      { text: 'No: the lock is held just as long, so the replay ends in the same timeout.' },
    ],
  },
];

/** The turn behind it. */
export const AFTERWARDS: Turn = {
  prompt: 'So what do we change?',
  replies: [{ text: 'We have `archiveRows` take the lock for each page. `payments_archive` itself stays as it is.' }],
};

/** What a model does that is told by a command of the plugin to show something word for word. */
export function wordForWord(request: ModelRequest): Reply {
  const [, shown = ''] = lastUserText(request).split('Add nothing to it.');
  return { text: `\`\`\`\n${shown.trim()}\n\`\`\`` };
}
