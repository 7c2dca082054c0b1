/** The plugin itself, as the host sees it. */
import { execa } from 'execa';
import { expect, inject, test } from 'vitest';
import { onBuilds, withEachHost } from './support/hosts.ts';
import { only } from './support/requests.ts';
import { setUp } from './support/rig.ts';

withEachHost((host) => {
  test.each(['full', 'bare'] as const)('is loaded without an error: %s', async (plugin) => {
    const rig = await setUp(host, { plugin });
    const session = rig.open();
    await session.say('Hello.');
    const begun = only(session.events.filter(({ subtype }) => subtype === 'init'));
    expect(begun).toMatchObject({ plugins: expect.arrayContaining([expect.objectContaining({ name: 'chitta' })]) });
    expect(begun['plugin_errors'] ?? []).toEqual([]);
  });

  test('the rules of a project are in the context once, whoever loads them', onBuilds(host), async () => {
    const rig = await setUp(host, { files: { 'AGENTS.md': 'Use tabs in planted_rule_file.\n' } });
    await rig.open().say('Hello.');
    expect(JSON.stringify(only(rig.api.of('main')).messages).split('planted_rule_file')).toHaveLength(2);
  });

  test('passes the strict validation of the host', onBuilds(host), async () => {
    const rig = await setUp(host, { plugin: 'none' });
    const options = { env: { ...rig.env }, extendEnv: false, reject: false, all: true } as const;
    const { all, exitCode } = await execa(host.path, ['plugin', 'validate', '--strict', inject('plugin')], options);
    expect(all).toContain('Validation passed');
    expect(exitCode).toBe(0);
  });
});
