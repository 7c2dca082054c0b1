/** In a terminal, as people use the host. */
import { expect, test, vi } from 'vitest';
import { withEachHost } from './support/hosts.ts';
import { guideIn, instructionsIn, only, requestAfterCompaction, textIn } from './support/requests.ts';
import { setUp } from './support/rig.ts';
import { NO_TERMINAL, openTerminal } from './support/terminal.ts';

withEachHost((host) => {
  test.skipIf(NO_TERMINAL !== '')(`prompts, /compact and /exit in a terminal${NO_TERMINAL}`, async () => {
    const rig = await setUp(host);
    const { api } = rig;
    api.reply('main', { text: 'UUID it is.' }, { text: 'Next come the indexes.' }, { text: 'Indexes are made.' });
    const terminal = await openTerminal(rig);
    await terminal.shows(/[❯>]/);
    await terminal.enter('Use UUID keys, and never delete a migration.');
    await terminal.shows(/UUID it is\./);
    await terminal.enter('What is next?');
    await terminal.shows(/Next come the indexes\./);
    await terminal.enter('/compact keep the schema');
    await terminal.shows(/Compacted/i);
    await terminal.enter('Make the indexes.');
    await terminal.shows(/Indexes are made\./);
    await terminal.enter('/exit');
    await vi.waitUntil(async () => terminal.hasEnded(), { timeout: 20_000 });

    const asked = only(api.of('summary'));
    expect(instructionsIn(asked)).toContain('keep the schema');
    expect(guideIn(asked)).toContain('never delete a migration');
    expect(textIn(requestAfterCompaction(api.requests))).toContain('Make the indexes.');
    expect(rig.complaints()).toEqual([]);
  });
});
