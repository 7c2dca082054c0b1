/**
 * How long a person waits for chitta. Only by hand, on a quiet machine; the numbers are printed. A machine that is busy
 * makes them noise, so the tests only refuse what no noise explains.
 */
import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Host, withEachHost } from './support/hosts.ts';
import { type Measured, overhead, type Overhead } from './support/overhead.ts';
import { isTooOld } from './support/replacing.ts';
import { bash } from './support/replies.ts';

/** Of one bare start of node, the most that a prompt is delayed by; the target is 1.5. */
const MAX_NODE_STARTS = 3;
/** Two hooks wait for each other's end at a compaction, each within its own deadline. */
const MAX_COMPACTION_MS = 8_000;

async function measure(host: Host, what: string, rounds: number, turn: Measured): Promise<Overhead> {
  const measured = await overhead(host, rounds, turn, { daemon: true });
  const [plugin, bare, added, node] = [
    measured.withPluginMs,
    measured.withoutMs,
    measured.addedMs,
    measured.nodeStartMs,
  ].map((ms) => ms.toFixed(0));
  const ratio = (measured.addedMs / measured.nodeStartMs).toFixed(2);
  console.log(
    `${host.version}, ${what}: ${bare} ms without, ${plugin} with the plugin; ${added} added, ${ratio} starts of node (${node})`,
  );
  // Where `npm run bench -- host` reads it.
  const file = process.env['CHITTA_E2E_MEASURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ version: host.version, what, ...measured })}\n`);
  return measured;
}

withEachHost((host) => {
  test('a prompt waits for chitta about as long as node takes to start', async () => {
    const { addedMs, nodeStartMs } = await measure(host, 'prompt', 15, { say: 'Say something short.' });
    expect(addedMs).toBeLessThan(MAX_NODE_STARTS * nodeStartMs);
  });

  test.each(isTooOld(host) ? (['guide'] as const) : (['guide', 'replace'] as const))(
    'a compaction in mode %s waits for chitta within its deadlines',
    async (mode) => {
      const { addedMs } = await measure(host, `/compact, mode ${mode}`, 5, {
        say: '/compact',
        mode,
        before: async ({ api }, session) => {
          api.reply('main', bash('for i in $(seq 1 300); do echo "row $i of the ledger"; done'));
          await session.say('Check the ledger.');
          await session.say('Say something to compact.');
        },
      });
      expect(addedMs).toBeLessThan(MAX_COMPACTION_MS);
    },
  );
});
