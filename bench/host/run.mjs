// What the plugin costs in the real host, in time: sessions of Claude Code with and without it, turn by turn in turns, against
// a model API on loopback that answers at once. The sessions are those of test/e2e/overhead.e2e.ts. Wants a quiet machine.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { formatMs, formatRatio } from '../measure.mjs';

const script = fileURLToPath(new URL('../../scripts/test-e2e.mjs', import.meta.url));
/** Added to a prompt, at most this many starts of a node that does nothing. */
const MAX_NODE_STARTS = 1.5;

function nodeStarts(measures) {
  const starts = measures.map(({ nodeStartMs }) => nodeStartMs);
  return `${formatMs(Math.min(...starts))} to ${formatMs(Math.max(...starts))}`;
}

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'chitta-bench-host-'));
  const file = join(folder, 'measures.jsonl');
  try {
    const env = { ...process.env, CHITTA_E2E_MEASURES: file };
    // That a scenario refuses what it measured is no reason to keep the number to ourselves.
    const { stdout, stderr } = spawnSync(process.execPath, [script, 'overhead'], { env, encoding: 'utf8' });
    if (!existsSync(file)) throw new Error(`nothing was measured\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`);
    const measures = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const left = measures.reduce((sum, { leftToHost }) => sum + leftToHost, 0);
    return {
      name: 'host',
      title: 'What a person waits for in Claude Code, with the plugin and without it',
      columns: [
        'Claude Code',
        'turn',
        'without',
        'with the plugin',
        'added',
        'half of the rounds',
        'added, against bare node',
      ],
      rows: measures.map(({ version, what, withoutMs, withPluginMs, addedMs, addedQuartilesMs, nodeStartMs }) => [
        version,
        what,
        formatMs(withoutMs),
        formatMs(withPluginMs),
        formatMs(addedMs),
        addedQuartilesMs.map(formatMs).join(' to '),
        formatRatio(addedMs / nodeStartMs),
      ]),
      notes: [
        'Medians of 15 prompts and 5 compactions, each a turn from what is typed to its end; the model is a stand-in that answers at once, so nothing hides behind its thinking.',
        `A start of bare node is measured in the same rounds: ${nodeStarts(measures)} here. It is the ratio that counts.`,
        'A daemon is running, as in any session with the native packages.',
        ...(left === 0
          ? []
          : [
              `In mode replace ${left} compactions came too late and were left to Claude Code: the machine was too busy to measure it.`,
            ]),
        'In mode replace a real model would be asked for no summary, which here costs nothing to write.',
      ],
      targets: measures
        .filter(({ what }) => what === 'prompt')
        .map(({ version, what, addedMs, nodeStartMs }) => ({
          what: `added to a ${what}, Claude Code ${version}`,
          reach: `≤ ${MAX_NODE_STARTS} × bare node`,
          value: formatRatio(addedMs / nodeStartMs),
          met: addedMs <= MAX_NODE_STARTS * nodeStartMs,
        })),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
