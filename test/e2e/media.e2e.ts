/** Thinking and images: what a summariser cannot be told in words must neither break a request nor fill a guide. */
import { expect, test } from 'vitest';
import { withEachHost } from './support/hosts.ts';
import { bash } from './support/replies.ts';
import { guideIn, only, requestAfterCompaction, textIn } from './support/requests.ts';
import { setUp } from './support/rig.ts';

const FULL = 99_000;
/** One red pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8Dwn4EIwDiqEAAEYAP/6yy0lQAAAABJRU5ErkJggg==';

withEachHost((host) => {
  test('a turn with thinking and images is compacted in its middle and finished', async () => {
    const rig = await setUp(host, { files: { 'plot.png': Buffer.from(PIXEL, 'base64') } });
    const { api } = rig;
    const read = { name: 'Read', input: { file_path: `${rig.project}/plot.png` } };
    api.reply('main', { thinking: 'First the plot.', text: 'I look at the plot.', calls: [read], inputTokens: 30_000 });
    api.reply('main', bash('echo measured', { thinking: 'Now I measure.', inputTokens: FULL }));
    api.reply('main', { thinking: 'That is all.', text: 'The plot is red.', inputTokens: 20_000 });
    const session = rig.open();
    const source = { type: 'base64', media_type: 'image/png', data: PIXEL };
    const turn = await session.say([
      { type: 'image', source },
      { type: 'text', text: 'Compare this with plot.png, and never change the colours.' },
    ]);
    expect(turn).toMatchObject({ text: 'The plot is red.', isError: false });
    const guide = guideIn(only(api.of('summary')));
    expect(guide).toContain('never change the colours');
    expect(guide).toContain('plot.png');
    expect(guide).not.toContain(PIXEL.slice(0, 24));
    expect(guide).not.toContain('First the plot.');
    expect(textIn(requestAfterCompaction(api.requests))).not.toContain('[chitta:guide]');
    expect(await session.say('Thanks. Anything else?')).toMatchObject({ text: 'Done.', isError: false });
  });
});
