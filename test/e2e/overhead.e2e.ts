/**
 * How long a person waits for chitta. Only by hand, on a quiet machine; the numbers are printed. A machine that is busy
 * makes them noise, so the tests only refuse what no noise explains.
 */
import { expect, test } from 'vitest';
import { withEachHost } from './support/hosts.ts';
import { overhead, type Overhead } from './support/overhead.ts';

/** Of one bare start of node, the most that a prompt is delayed by; the target is 1.5. */
const MAX_NODE_STARTS = 3;
/** Two hooks wait for each other's end at a compaction, each within its own deadline. */
const MAX_COMPACTION_MS = 8_000;

function show(what: string, { withPluginMs, withoutMs, addedMs, nodeStartMs }: Overhead): void {
  const [plugin, bare, added, node] = [withPluginMs, withoutMs, addedMs, nodeStartMs].map((ms) => ms.toFixed(0));
  const ratio = (addedMs / nodeStartMs).toFixed(2);
  console.log(
    `${what}: ${bare} ms without, ${plugin} with the plugin; ${added} added, ${ratio} starts of node (${node})`,
  );
}

withEachHost((host) => {
  test('a prompt waits for chitta about as long as node takes to start', async () => {
    const measured = await overhead(host, 11, { measured: 'Say something short.' }, { daemon: true });
    show(`${host.version}, prompt`, measured);
    expect(measured.addedMs).toBeLessThan(MAX_NODE_STARTS * measured.nodeStartMs);
  });

  test('a compaction waits for chitta within its deadlines', async () => {
    const turn = { before: 'Say something to compact.', measured: '/compact' };
    const measured = await overhead(host, 5, turn, { daemon: true });
    show(`${host.version}, compaction`, measured);
    expect(measured.addedMs).toBeLessThan(MAX_COMPACTION_MS);
  });
});
