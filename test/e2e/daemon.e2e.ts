/** The daemon that keeps the model warm: used where it is, not missed where it is dead or does not answer. */
import { expect, onTestFinished, test } from 'vitest';
import { loadSqlite } from '../../src/platform/native.ts';
import { WITH_TIME, withEachHost, type Host } from './support/hosts.ts';
import { blocksIn, guideIn, only, textIn } from './support/requests.ts';
import { setUp, type Rig } from './support/rig.ts';
import type { Session } from './support/session.ts';

/** The hook gives up below 4 seconds; the rest is the host's own. */
const MAX_COMPACTION_MS = 8_000;
/** A quarter of a second and a start of node, on a busy machine. */
const MAX_PROMPT_MS = 4_000;

const sqlite = await loadSqlite();
const absence = sqlite.state === 'ok' ? '' : ` (skipped: ${sqlite.reason})`;

interface Status {
  readonly pid: number;
  readonly requests: number;
  readonly followed: readonly unknown[];
}

async function statusOf(rig: Rig): Promise<Status> {
  const { stdout } = await rig.chitta('daemon', 'status', '--json');
  // Documented in docs/json-output.md.
  return JSON.parse(stdout) as Status;
}

async function begin(host: Host): Promise<{ rig: Rig; session: Session; pid: number }> {
  const rig = await setUp(host, { daemon: true });
  expect((await rig.chitta('daemon', 'start')).exitCode).toBe(0);
  const { pid } = await statusOf(rig);
  const session = rig.open();
  await session.say('Never lock the table ledger_entries.');
  await session.say('Thanks. What is next?');
  return { rig, session, pid };
}

async function compactedGuide({ rig, session }: { rig: Rig; session: Session }): Promise<string> {
  const { isError, tookMs } = await session.say('/compact');
  expect(isError).toBe(false);
  expect(tookMs).toBeLessThan(MAX_COMPACTION_MS);
  const turn = await session.say('And now?');
  expect(turn).toMatchObject({ text: 'Done.', isError: false });
  expect(turn.tookMs).toBeLessThan(MAX_PROMPT_MS);
  return guideIn(only(rig.api.of('summary')));
}

withEachHost((host) => {
  test.skipIf(absence !== '')(`a daemon follows the session and answers its prompts${absence}`, WITH_TIME, async () => {
    const { rig, session } = await begin(host);
    expect((await statusOf(rig)).followed).toHaveLength(1);
    const text = 'The staging database listens on port 6543 behind the bastion.';
    expect((await rig.chitta('memory', 'add', text)).exitCode).toBe(0);
    const { requests: before } = await statusOf(rig);
    await session.say('On which port does the staging database listen?');
    const sent = rig.api.of('main').at(-1);
    expect(sent === undefined ? '' : blocksIn(textIn(sent), 'recall').join('\n')).toContain(text);
    // More than the status that was asked for since.
    expect((await statusOf(rig)).requests).toBeGreaterThan(before + 1);
    expect(await compactedGuide({ rig, session })).toContain('ledger_entries');
  });

  test.skipIf(absence !== '')(`a daemon that was killed is not waited for${absence}`, async () => {
    const begun = await begin(host);
    process.kill(begun.pid, 'SIGKILL');
    expect(await compactedGuide(begun)).toContain('ledger_entries');
  });

  test.skipIf(absence !== '')(`a daemon that does not answer is not waited for${absence}`, async () => {
    const begun = await begin(host);
    process.kill(begun.pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(begun.pid, 'SIGKILL'));
    expect(await compactedGuide(begun)).toContain('ledger_entries');
  });
});
