/** How long a person waits for chitta. Only by hand, on a quiet machine: the numbers are printed. */
import { expect, test } from 'vitest';
import { withEachHost } from './support/hosts.ts';
import { overhead, type Overhead } from './support/overhead.ts';

/** Of one bare start of node: what a prompt may be delayed by. */
const MAX_NODE_STARTS = 1.5;
/** The hook's own deadline, with the start of its process. */
const MAX_COMPACTION_MS = 4_000;

function show(what: string, { withPluginMs, withoutMs, addedMs, nodeStartMs }: Overhead): void {
  const [plugin, bare, added, node] = [withPluginMs, withoutMs, addedMs, nodeStartMs].map((ms) => ms.toFixed(0));
  console.log(
    `${what}: ${bare} ms without, ${plugin} ms with the plugin: ${added} ms added; node starts in ${node} ms`,
  );
}

withEachHost((host) => {
  test('a prompt waits for chitta no longer than one and a half starts of node', async () => {
    const measured = await overhead(host, 15, { measured: 'Say something short.' });
    show(`${host.version}, prompt`, measured);
    expect(measured.addedMs).toBeLessThan(MAX_NODE_STARTS * measured.nodeStartMs);
  });

  test('a compaction waits for chitta within its deadline', async () => {
    const measured = await overhead(host, 7, { before: 'Say something to compact.', measured: '/compact' });
    show(`${host.version}, compaction`, measured);
    expect(measured.addedMs).toBeLessThan(MAX_COMPACTION_MS);
  });
});
