/** What Stop and SessionEnd take from a session beside its turns: memories that were learned, and rules that are proposed. */
import { describe, expect, test } from 'vitest';
import { activeDirectives } from '../../src/hot/directives.ts';
import { handleOf } from '../../src/messages/handle.ts';
import type { StoredDirective } from '../../src/ports/ledger.ts';
import type { Memory } from '../../src/ports/memories.ts';
import { TranscriptBuilder, uuidOf } from '../support/transcript.ts';
import { ended, fire, type HookRig, hookRig, MS, SESSION, stopped, transcriptOf } from './rig.ts';

describe('what a session decides and corrects', () => {
  const memories = (app: HookRig): Promise<readonly Memory[]> =>
    app.withMemory((memory) => memory.memories({ project: app.project, limit: 50 }, MS));

  function said(): { rows: TranscriptBuilder; transcript: string } {
    const rows = new TranscriptBuilder();
    rows.prompt('The port is 8080. We decided to keep retries in the gateway.');
    rows.text('m1', 'We decided to use Redis. The host is cache.internal.');
    rows.prompt('No, the port is 9090.');
    rows.text('m2', 'Changed.');
    return { rows, transcript: transcriptOf(rows) };
  }

  test('becomes memories with session, message and line; a later value takes the place of the earlier one', async () => {
    const app = hookRig();
    const { rows, transcript } = said();
    for (let again = 0; again < 2; again += 1) expect(await fire('stop', stopped(transcript), app)).toBe('');
    const [first, second, third, ...more] = (await memories(app)).toReversed();
    expect(more).toEqual([]);
    expect(first).toMatchObject({ text: 'The port is 8080.', status: 'superseded', supersededBy: third?.id });
    expect(second).toMatchObject({ kind: 'decision', origin: 'auto', session: SESSION });
    expect(third).toMatchObject({
      kind: 'correction',
      status: 'active',
      quote: 'No, the port is 9090.',
      sourceIds: [uuidOf(rows.rows[2] ?? {})],
    });
  });

  test('is taken along at the end of a session', async () => {
    const app = hookRig();
    await fire('session-end', ended(said().transcript), app);
    expect(await memories(app)).toHaveLength(3);
  });

  test('is left alone where the session is private, or learning switched off', async () => {
    for (const off of [{ private: true }, { learn: false }]) {
      const app = hookRig({ settings: { ...hookRig().settings, ...off } });
      await fire('stop', stopped(said().transcript), app);
      expect(await memories(app)).toEqual([]);
    }
  });

  test('an error that went away after a change is one, with the error and the file', async () => {
    const app = hookRig();
    const rows = new TranscriptBuilder();
    const call = (id: string, name: string, input: object): void => {
      rows.assistant(`m-${id}`, [{ type: 'tool_use', id, name, input }]);
    };
    const answer = (id: string, content: string, isError = false): void => {
      rows.prompt([{ type: 'tool_result', tool_use_id: id, content, is_error: isError }]);
    };
    rows.prompt('make it pass');
    call('t1', 'Bash', { command: 'npm test' });
    answer('t1', "Exit code 1\nTypeError: cannot read 'total' of undefined", true);
    rows.text('m-why', 'The root cause is that the cart is loaded twice.');
    call('t2', 'Edit', { file_path: '/work/src/cart.ts', old_string: 'a', new_string: 'b' });
    answer('t2', 'ok');
    call('t3', 'Bash', { command: 'npm test' });
    answer('t3', '12 passed');
    rows.text('m-end', 'Done.');
    await fire('stop', stopped(transcriptOf(rows)), app);
    expect(await memories(app)).toMatchObject([
      {
        kind: 'fix',
        text: "`npm test` failed: TypeError: cannot read 'total' of undefined. It passed after changes to /work/src/cart.ts. The root cause is that the cart is loaded twice.",
        quote: "TypeError: cannot read 'total' of undefined",
      },
    ]);
  });
});

describe('rules said in prompts', () => {
  const ledger = (app: HookRig): Promise<readonly StoredDirective[]> =>
    app.withMemory((memory) => memory.directives(app.project, MS));

  function withRule(): { rows: TranscriptBuilder; transcript: string } {
    const rows = new TranscriptBuilder();
    rows.prompt('Always ask before you push. Then look for the marmot.');
    rows.text('m1', 'Never push to main.');
    return { rows, transcript: transcriptOf(rows) };
  }

  test('are proposed once, by a rule, with session and message; none of them holds', async () => {
    const app = hookRig();
    const { rows, transcript } = withRule();
    await fire('stop', stopped(transcript), app);
    await fire('stop', stopped(transcript), app);
    const entries = await ledger(app);
    expect(entries).toMatchObject([
      {
        status: 'proposed',
        text: 'Always ask before you push.',
        who: 'rule',
        session: SESSION,
        source: handleOf({ role: 'user', uuid: uuidOf(rows.rows[0]!) }),
      },
    ]);
    expect(activeDirectives(entries)).toEqual([]);
  });

  test('are taken along at the end of a session', async () => {
    const app = hookRig();
    await fire('session-end', ended(withRule().transcript), app);
    expect(await ledger(app)).toMatchObject([{ status: 'proposed', text: 'Always ask before you push.' }]);
  });

  test('of a private session are not looked at', async () => {
    const app = hookRig();
    const { settings } = app;
    await fire('stop', stopped(withRule().transcript), { ...app, settings: { ...settings, private: true } });
    expect(await ledger(app)).toEqual([]);
  });

  test("to a sub-agent are the model's words, and no proposals", async () => {
    const app = hookRig();
    const { transcript } = withRule();
    const input = {
      ...stopped(transcript),
      hook_event_name: 'SubagentStop',
      agent_id: 'a1',
      agent_transcript_path: transcript,
    };
    await fire('subagent-stop', input, app);
    const archived = await app.withMemory((memory) => memory.searchText('marmot', app.project, 50, MS));
    expect(archived.turns).toHaveLength(1);
    expect(await ledger(app)).toEqual([]);
  });
});
