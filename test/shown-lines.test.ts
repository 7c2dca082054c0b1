/** What `--explain` says of lines can be given to `chitta show --lines`, through the built command line. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliRig } from './support/cli.ts';

const rig = cliRig();
const repository = join(import.meta.dirname, '..');

interface Kept {
  readonly field: string;
  readonly shown?: { readonly lines: readonly [number, number][]; readonly of: number };
}

test('the lines that are said to be kept are the lines that are shown', async () => {
  copyFileSync(join(repository, 'demo', 'session.jsonl'), join(rig.folder, 'session.jsonl'));
  const args = ['compact', 'session.jsonl', '--detail', 'excerpt', '--ratio', '0.4', '--explain'];
  const { stdout } = await rig.run([...args, '--json']);
  const { messages, decisions } = JSON.parse(stdout);
  const left = JSON.stringify(messages);
  const ranges: string[] = [];
  for (const { handle, kept = [] } of decisions as { handle: string; kept?: Kept[] }[]) {
    for (const { shown } of kept) {
      if (shown === undefined) throw new Error(`${handle}: it is not said where its lines are shown`);
      for (const [first, last] of shown.lines) {
        ranges.push(`lines ${first}–${last}`);
        const said = await rig.run(['show', handle, '--lines', `${first}-${last}`, '--json']);
        const { passages, total_lines: total } = JSON.parse(said.stdout);
        expect(total).toBe(shown.of);
        expect(passages[0]).toMatchObject({ first, last });
        for (const line of passages[0].text.split('\n')) expect(left).toContain(JSON.stringify(line).slice(1, -1));
      }
    }
  }
  expect(ranges.length).toBeGreaterThan(3);
  const { stdout: printed } = await rig.run(args);
  const [range] = /(?<=(?:result|text|new_string) )lines \d+–\d+/.exec(printed) ?? [];
  expect(ranges).toContain(range);
}, 60_000);
