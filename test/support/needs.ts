/** A session in which the future shows what was needed of the past: long enough to be evaluated. */
import { TranscriptBuilder } from './transcript.ts';

const FILLER = 'some plain words in a row and again some plain words in a row';

/**
 * A session of about `steps` × 700 tokens: each step reads a file, and edits what the file read `lag` steps before it held.
 * `project` is its working directory; `salt` tells sessions apart.
 */
export function neededSession({
  steps = 60,
  lag = 12,
  salt = 0,
  project = '/home/me/ledger',
}: {
  readonly steps?: number;
  readonly lag?: number;
  readonly salt?: number;
  readonly project?: string;
} = {}): TranscriptBuilder {
  const made = new TranscriptBuilder(salt);
  const extra = { cwd: project };
  const lines = (n: number): string[] =>
    Array.from(
      { length: 6 },
      (_, k) => `const field${salt}_${n}_${k} = readColumn("ledger_${salt}_${n}", ${n * 10 + k});`,
    );
  const call = (id: string, name: string, input: unknown, result: string): void => {
    made.assistant(`m${id}`, [{ type: 'tool_use', id, name, input }], extra);
    made.result(id, result, extra);
  };
  for (let n = 0; n < steps; n++) {
    if (n % 20 === 0) made.prompt(`Go through part ${n} of the ledger. Never rename the columns.`, extra);
    const body = [...lines(n), ...Array.from({ length: 30 }, (_, k) => `// ${FILLER}, row ${k} of ${n}`)].join('\n');
    call(`r${salt}.${n}`, 'Read', { file_path: `${project}/src/part${n}/columns.ts` }, body);
    if (n < lag) continue;
    const file = `${project}/src/part${n - lag}/columns.ts`;
    const old = lines(n - lag)
      .slice(0, 4)
      .join('\n');
    call(`e${salt}.${n}`, 'Edit', { file_path: file, old_string: old, new_string: '// gone' }, 'The file was updated.');
  }
  return made;
}
