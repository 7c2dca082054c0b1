/** Mode replace: what a session that goes on elsewhere is sent, and what becomes of what is no text. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Block } from '../../src/messages/types.ts';
import { onBuilds, WITH_TIME, withEachHost } from './support/hosts.ts';
import {
  expectReplaced,
  isTooOld,
  newestMain,
  putInPlaceOfCompact,
  replacedIn,
  setUpReplace,
  work,
} from './support/replacing.ts';
import { bash, TOO_LONG } from './support/replies.ts';
import { guideIn, only, textIn } from './support/requests.ts';
import { conversationIn, conversationWith } from './support/survivors.ts';

const FULL = 99_000;
const FULL_OF_A_MILLION = 970_000;
/** One red pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8Dwn4EIwDiqAEAAYP/6yy0lQAAAABJRU5ErkJggg==';
/** Keeps all, and of each file that was written its first line and a mark. */
const SHORTEN = `exec node -e '
  let text = "";
  process.stdin.on("data", (chunk) => (text += chunk)).on("end", () => {
    const inputOf = ({ tool_use_id: id, input }) =>
      typeof input.content === "string"
        ? [[id, { ...input, content: input.content.split("\\n")[0] + "\\n[chitta:gap #abcdefg 119 lines]" }]]
        : [];
    const survivors = JSON.parse(text).messages.map(({ toolUses }, index) => ({
      index,
      inputs: Object.fromEntries((toolUses ?? []).flatMap(inputOf)),
    }));
    console.log(JSON.stringify({ front: "[chitta:restored]\\nThe context was compacted without a summary\\n[/chitta:restored]", survivors }));
  });
'`;
const IMAGE: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };
const said = (text: string): Block => ({ type: 'text', text });

withEachHost((host) => {
  const old = isTooOld(host) ? ' (skipped: this version knows no modules)' : '';

  test.skipIf(old !== '')(
    `--resume, --continue and a fork are sent exactly the survivors and what followed${old}`,
    { ...onBuilds(host), ...WITH_TIME },
    async () => {
      const rig = await setUpReplace(host);
      const { api } = rig;
      const session = rig.open();
      await work(rig, session);
      const before = newestMain(rig);
      await session.say('/compact');
      api.reply('main', bash('echo fine', { thinking: 'A look.' }), { thinking: 'It is fine.', text: 'All is fine.' });
      await session.say('And now?');
      const [after] = api.of('main').slice(-2);
      if (after === undefined) throw new Error('nothing was sent');
      expectReplaced(rig, after, before);
      const { id } = session;
      expect(await session.end()).toBe(0);
      const origin = only(rig.transcripts(id));

      const opened = [{ resume: id }, { resume: true }, { resume: id, fork: true }] as const;
      for (const [at, how] of opened.entries()) {
        const soFar = conversationWith(api, newestMain(rig));
        const kept = readFileSync(origin, 'utf8');
        const again = rig.open(how);
        expect(await again.say(`Still there (${at})?`)).toMatchObject({ text: 'Done.', isError: false });
        expect(conversationIn(newestMain(rig))).toEqual([...soFar, said(`Still there (${at})?`)]);
        expect(await again.end()).toBe(0);
        const isFork = 'fork' in how;
        expect(again.id === id).toBe(!isFork);
        const now = readFileSync(origin, 'utf8');
        expect(now.startsWith(kept)).toBe(true);
        expect(now === kept).toBe(isFork);
      }
      expect(api.of('summary')).toEqual([]);

      const last = rig.open({ resume: id, fork: true });
      await work(rig, last, 20, 3);
      const later = newestMain(rig);
      await last.say('/compact');
      await last.say('Go on.');
      expect(expectReplaced(rig, newestMain(rig), later).others).toEqual([said('Go on.')]);
    },
  );

  test.skipIf(old !== '')(
    `a shortened argument of a call is sent so, also when it is resumed${old}`,
    WITH_TIME,
    async () => {
      const rig = await setUpReplace(host, { plugin: 'own' });
      putInPlaceOfCompact(rig, SHORTEN);
      const session = rig.open();
      await work(rig, session, 1, 2);
      const before = newestMain(rig);
      await session.say('/compact');
      await session.say('And now?');
      const after = newestMain(rig);
      const { fronts, excerpts, others } = replacedIn(rig, after, before);
      expect(fronts).toHaveLength(1);
      expect(others).toEqual([said('And now?')]);
      const content = (page: number): string => `note 0 on page ${page}\n[chitta:gap #abcdefg 119 lines]`;
      expect(excerpts.map(({ name, input }) => [name, input])).toEqual(
        [1, 2].map((page) => ['Write', { file_path: `${rig.project}/page-${page}.md`, content: content(page) }]),
      );
      const soFar = conversationWith(rig.api, after);
      expect(await session.end()).toBe(0);
      await rig.open({ resume: session.id }).say('Still there?');
      expect(conversationIn(newestMain(rig))).toEqual([...soFar, said('Still there?')]);
    },
  );

  test.skipIf(old !== '')(
    `thinking is never altered; images leave, and it is said where they stood${old}`,
    WITH_TIME,
    async () => {
      const rig = await setUpReplace(host, { files: { 'plot.png': Buffer.from(PIXEL, 'base64') } });
      const { api } = rig;
      const session = rig.open();
      const read = { name: 'Read', input: { file_path: `${rig.project}/plot.png` } };
      api.reply('main', { thinking: 'First the plot.', text: 'I look.', calls: [read] }, { text: 'The plot is red.' });
      await session.say([IMAGE, said('Compare with plot.png, and never change the colours.')]);
      await work(rig, session);
      const before = newestMain(rig);
      await session.say('/compact');
      api.reply('main', { thinking: 'What was it?', text: 'Colours.' });
      await session.say('And now?');
      const after = newestMain(rig);
      const { fronts, others } = expectReplaced(rig, after, before);
      expect(only(fronts)).toContain('never change the colours');
      expect(only(fronts)).toContain('plot.png');
      expect(textIn(after).split(only(fronts)).join('')).toContain('never change the colours');
      // The result of a look at the image: what stands there in its place.
      const marks = others.filter(({ type }) => type === 'tool_result').map(({ content }) => String(content));
      expect(marks.filter((mark) => !/^\[chitta:[^\]\n]*image[^\]\n]*\]$/.test(mark))).toEqual([]);
      expect(others.slice(marks.length)).toEqual([said('And now?')]);

      expect(await session.say('Which?')).toMatchObject({ text: 'Done.', isError: false });
      const { whole } = replacedIn(rig, newestMain(rig), after);
      expect(whole.filter(({ type }) => type === 'thinking')).toEqual(
        api.answerTo(after).filter(({ type }) => type === 'thinking'),
      );
    },
  );

  test.skipIf(old !== '')(`a full window in a turn that has an image is summarised${old}`, async () => {
    const rig = await setUpReplace(host);
    const session = rig.open();
    await work(rig, session);
    rig.api.reply('main', bash('echo first', { inputTokens: 30_000 }), bash('echo second', { inputTokens: FULL }));
    rig.api.reply('main', { text: 'Both steps are done.', inputTokens: 20_000 });
    const turn = await session.say([IMAGE, said('Do both steps.')]);
    expect(turn).toMatchObject({ text: 'Both steps are done.', isError: false });
    expect(guideIn(only(rig.api.of('summary')))).toContain('Never write to payments_archive.');
  });

  test.skipIf(old !== '')(`a window of a million tokens is replaced the same way${old}`, WITH_TIME, async () => {
    const rig = await setUpReplace(host);
    const args = ['--model', 'claude-opus-5-5[1m]'];
    const session = rig.open({ args, env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '' } });
    await work(rig, session);
    rig.api.reply('main', { text: 'Room is short.', inputTokens: FULL_OF_A_MILLION });
    await session.say('Is there room?');
    const before = newestMain(rig);
    expect(await session.say('Go on.')).toMatchObject({ text: 'Done.', isError: false });
    expect(expectReplaced(rig, newestMain(rig), before).others).toEqual([said('Go on.')]);
  });

  test.skipIf(old !== '')(
    `a fixed budget of thought: a turn that goes on is left to the host, which has a summary made${old}`,
    async () => {
      const rig = await setUpReplace(host, { env: { MAX_THINKING_TOKENS: '4000' } });
      const { api } = rig;
      const session = rig.open({
        args: ['--model', 'claude-sonnet-4-5'],
        env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '' },
      });
      await work(rig, session);
      api.reply('main', bash('echo first', { thinking: 'Step one.' }), TOO_LONG, { text: 'Both steps are done.' });
      expect(await session.say('Do both steps.')).toMatchObject({ text: 'Both steps are done.', isError: false });
      expect(newestMain(rig).thinking).toBe('enabled');
      expect(api.of('summary')).toHaveLength(1);
    },
  );
});
