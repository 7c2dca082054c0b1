/** Whatever is broken on chitta's side, the host compacts and the session goes on. */
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSqlite } from '../../src/platform/native.ts';
import { onBuilds, withEachHost, type Host } from './support/hosts.ts';
import { guideIn, only, requestAfterCompaction, textIn, type ModelRequest } from './support/requests.ts';
import { setUp, type Rig, type RigOptions } from './support/rig.ts';
import type { Session } from './support/session.ts';

/** What the host and the hook may take together for a compaction; the hook gives up below 4 seconds. */
const MAX_COMPACTION_MS = 8_000;

const sqlite = await loadSqlite();
const absence = sqlite.state === 'ok' ? '' : ` (skipped: ${sqlite.reason})`;

interface Begun {
  readonly rig: Rig;
  readonly session: Session;
}

async function begin(host: Host, options: RigOptions = {}): Promise<Begun> {
  const rig = await setUp(host, options);
  const session = rig.open();
  await session.say('Never lock the table ledger_entries.');
  await session.say('Thanks. What is next?');
  return { rig, session };
}

/** Compacts, holds the session to its going on, and returns the summary request. */
async function compactAndGoOn({ rig, session }: Begun): Promise<ModelRequest> {
  const { isError, tookMs } = await session.say('/compact');
  expect(isError).toBe(false);
  expect(tookMs).toBeLessThan(MAX_COMPACTION_MS);
  expect(await session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
  expect(textIn(requestAfterCompaction(rig.api.requests))).toContain('And now?');
  expect(await session.end()).toBe(0);
  return only(rig.api.of('summary'));
}

withEachHost((host) => {
  test('a damaged database costs nothing but itself', onBuilds(host), async () => {
    const begun = await begin(host);
    const { home } = begun.rig;
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(join(home, 'memory.db'), Buffer.alloc(65_536, 'no database '), { mode: 0o600 });
    expect(guideIn(await compactAndGoOn(begun))).toContain('ledger_entries');
    const names = readdirSync(home);
    // A journal may have gone with it.
    expect(names.filter((name) => /\.corrupt-[\dTZ-]+$/.test(name))).toHaveLength(1);
  });

  test.skipIf(absence !== '')(`a database that is held locked delays nothing for long${absence}`, async () => {
    if (sqlite.state !== 'ok') throw new Error(sqlite.reason);
    const begun = await begin(host);
    const { home } = begun.rig;
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const db = sqlite.open(join(home, 'memory.db'));
    onTestFinished(() => void db.close());
    db.exec('BEGIN EXCLUSIVE');
    expect(guideIn(await compactAndGoOn(begun))).toContain('ledger_entries');
  });

  test('a home that cannot be made is done without', async () => {
    const begun = await begin(host, { env: { CHITTA_HOME: `/dev/null/${randomUUID()}` } });
    expect(guideIn(await compactAndGoOn(begun))).toContain('ledger_entries');
  });

  test('without the native packages there is a guide as well', async () => {
    const begun = await begin(host, { plugin: 'bare' });
    expect(guideIn(await compactAndGoOn(begun))).toContain('ledger_entries');
  });

  test('a plugin that is removed in the middle of a session is not missed', async () => {
    const begun = await begin(host, { plugin: 'own' });
    rmSync(begun.rig.plugin ?? '', { recursive: true });
    expect(textIn(await compactAndGoOn(begun))).not.toContain('[chitta:guide]');
    const again = begun.rig.open({ resume: begun.session.id });
    expect(await again.say('Are you there?')).toMatchObject({ text: 'Done.', isError: false });
  });

  test('a machine without node on its path compacts as without the plugin', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chitta-e2e-path-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const name of ['sh', 'bash', 'env', 'cat', 'uname', 'git']) {
      const at = ['/usr/bin', '/bin'].map((bin) => join(bin, name)).find((path) => existsSync(path));
      if (at !== undefined) symlinkSync(at, join(folder, name));
    }
    const begun = await begin(host, { env: { PATH: folder } });
    expect(textIn(await compactAndGoOn(begun))).not.toContain('[chitta:guide]');
  });

  test('a hook that hangs is ended by the host after the time that the plugin gives it', async () => {
    const begun = await begin(host, { events: ['PreCompact'] });
    writeFileSync(join(begun.rig.plugin ?? '', 'dist', 'hook.cjs'), 'setInterval(() => undefined, 1_000);\n');
    const { hooks } = JSON.parse(readFileSync(join(begun.rig.plugin ?? '', 'hooks', 'hooks.json'), 'utf8'));
    const limit: number = hooks.PreCompact[0].hooks[0].timeout;
    const { isError, tookMs } = await begun.session.say('/compact');
    expect(isError).toBe(false);
    expect(tookMs / 1_000).toBeGreaterThan(limit - 1);
    expect(tookMs / 1_000).toBeLessThan(limit + 8);
    expect(await begun.session.say('And now?')).toMatchObject({ text: 'Done.', isError: false });
  });
});
