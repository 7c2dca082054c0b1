/** The daemon that keeps the model warm: used where it is, not missed where it is dead or does not answer. */
import { expect, onTestFinished, test } from 'vitest';
import { loadSqlite } from '../../src/platform/native.ts';
import { WITH_TIME, withEachHost, type Host } from './support/hosts.ts';
import { guideIn, only } from './support/requests.ts';
import { setUp, type Rig } from './support/rig.ts';
import type { Session } from './support/session.ts';

/** The hook gives up below 4 seconds; the rest is the host's own. */
const MAX_COMPACTION_MS = 8_000;

const sqlite = await loadSqlite();
const absence = sqlite.state === 'ok' ? '' : ` (skipped: ${sqlite.reason})`;

async function begin(host: Host): Promise<{ rig: Rig; session: Session; pid: number }> {
  const rig = await setUp(host, { daemon: true });
  expect((await rig.chitta('daemon', 'start')).exitCode).toBe(0);
  const { stdout } = await rig.chitta('daemon', 'status', '--json');
  // Documented in docs/json-output.md.
  const { pid } = JSON.parse(stdout) as { pid: number };
  const session = rig.open();
  await session.say('Never lock the table ledger_entries.');
  await session.say('Thanks. What is next?');
  return { rig, session, pid };
}

async function compact({
  rig,
  session,
}: {
  rig: Rig;
  session: Session;
}): Promise<{ guide: string; embedding: boolean }> {
  const { isError, tookMs } = await session.say('/compact');
  expect(isError).toBe(false);
  expect(tookMs).toBeLessThan(MAX_COMPACTION_MS);
  expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
  const { stdout } = await rig.chitta('episodes', '--json');
  const { episodes } = JSON.parse(stdout) as { episodes: { embedding: boolean }[] };
  return { guide: guideIn(only(rig.api.of('summary'))), embedding: only(episodes).embedding };
}

withEachHost((host) => {
  test.skipIf(absence !== '')(`a daemon that is warm gives the guide its vectors${absence}`, WITH_TIME, async () => {
    const begun = await begin(host);
    const { guide, embedding } = await compact(begun);
    expect(guide).toContain('ledger_entries');
    expect(embedding).toBe(true);
  });

  test.skipIf(absence !== '')(`a daemon that was killed is not waited for${absence}`, async () => {
    const begun = await begin(host);
    process.kill(begun.pid, 'SIGKILL');
    const { guide, embedding } = await compact(begun);
    expect(guide).toContain('ledger_entries');
    expect(embedding).toBe(false);
  });

  test.skipIf(absence !== '')(
    `a daemon that does not answer is not waited for beyond the deadline${absence}`,
    async () => {
      const begun = await begin(host);
      process.kill(begun.pid, 'SIGSTOP');
      onTestFinished(() => void process.kill(begun.pid, 'SIGKILL'));
      const { guide, embedding } = await compact(begun);
      expect(guide).toContain('ledger_entries');
      expect(embedding).toBe(false);
    },
  );
});
