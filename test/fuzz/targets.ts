/** All targets. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from './target.ts';
import { compactionTargets } from './targets/compaction.ts';
import { hookTargets } from './targets/hooks.ts';
import { processTargets } from './targets/processes.ts';
import { readerTargets } from './targets/reader.ts';
import { rpcTargets } from './targets/rpc.ts';
import { textTargets } from './targets/texts.ts';

/** Small recorded transcripts, where they are at hand: more beginnings to damage. */
function seeds(): Buffer[] {
  const folder = join(process.cwd(), '..', 'shared', 'fixtures', 'hostile');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(folder, name)))
    .filter(({ length }) => length < 40_000);
}

/** `folder` is for files that are written and read again. */
export function targetsIn(folder: string): Target[] {
  return [
    ...readerTargets(folder, seeds()),
    ...rpcTargets(),
    ...compactionTargets(),
    ...textTargets(),
    ...hookTargets(folder),
    ...processTargets(folder),
  ];
}
