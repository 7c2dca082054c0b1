/** Every event as the host calls it, a process of the build, with what no host should send. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { badPaths, BROKEN, EVENTS, goodTranscript, type HookEvent, inputOf, WRONG_TYPES } from '../fuzz/hook-events.ts';
import { cliRig, type Finished } from '../support/cli.ts';
import { fire, hookRig } from './rig.ts';

const rig = cliRig();
// Outside of the home that the processes get.
const outside = mkdtempSync(join(rig.folder, 'outside-'));

interface Fired extends Finished {
  readonly ms: number;
  readonly logged: string;
}

/** Runs an event with a home of its own, so that the log is its own. */
async function run(name: string, input: Buffer | string): Promise<Fired> {
  const home = mkdtempSync(join(rig.folder, 'home-'));
  const startedAt = performance.now();
  const finished = await rig.run(['hook', name], { input, env: { CHITTA_HOME: home, HOME: home } });
  const ms = performance.now() - startedAt;
  const log = join(home, 'chitta.log');
  const logged = existsSync(log) ? readFileSync(log, 'utf8') : '';
  rmSync(home, { recursive: true, force: true });
  return { ...finished, ms, logged };
}

/** Events that need no transcript for what they say. */
const needless = (event: HookEvent): boolean =>
  event.name === 'user-prompt-submit' || event.fields['source'] === 'startup';

const SILENT = { stdout: '', stderr: '', exitCode: 0 };
const NAMED = EVENTS.map((event): [string, HookEvent] => [
  `${event.name} ${String(event.fields['source'] ?? '')}`,
  event,
]);

// On a machine that has more to do than it can, a hook ends before it gets to the log.
describe('standard input that is no event', { retry: 3 }, () => {
  // Each event has one, and each kind of input is seen by one: what happens before an event is told is the same for all.
  test.each(BROKEN.map(([what, input], at) => [what, input, EVENTS[at % EVENTS.length]!] as const))(
    '%s: silence, and the reason in the log',
    async (_, input, { name, withinMs }) => {
      const { ms, logged, ...finished } = await run(name, input());
      expect(finished).toEqual(SILENT);
      expect(logged).toMatch(/standard input is /);
      expect(ms).toBeLessThan(withinMs);
    },
  );

  test('an event that is not known', async () => {
    const { logged, ms, ...finished } = await run('no-such-event', '{}');
    expect(finished).toEqual(SILENT);
    expect(logged).toContain('hook no-such-event: nothing to do for this event');
    expect(ms).toBeLessThan(3_000);
  });
});

describe('transcript paths that are none', { retry: 3 }, () => {
  // The paths that a careless reader would wait at, for each event; all the others are tried in this process below.
  const waiting = badPaths(outside).filter(([what]) => /pipe|device/.test(what));
  test.each(NAMED.flatMap(([name, event], at) => [[name, ...waiting[at % waiting.length]!, event] as const]))(
    '%s: %s',
    async (_name, _what, path, event) => {
      const { ms, logged, stdout, stderr, exitCode } = await run(
        event.name,
        JSON.stringify(inputOf(event, path, outside)),
      );
      expect({ stdout, stderr, exitCode }).toEqual(SILENT);
      expect(ms).toBeLessThan(event.withinMs);
      expect(needless(event) || /transcript/.test(logged)).toBe(true);
    },
  );

  const reasons: Readonly<Record<string, RegExp>> = {
    'an empty path': /no transcript/,
    'no path': /no transcript/,
    'a folder': /folder|no transcript/,
    'a pipe that nobody writes to': /no regular file|no transcript/,
    'a device without end': /no regular file|no transcript/,
    'a link to itself': /ELOOP|no transcript/,
    'a path with a NUL': /ERR_INVALID_ARG_VALUE|no transcript/,
    'a path of 10,000 characters': /ENAMETOOLONG|no transcript/,
    "another agent's file": /is not a Claude Code transcript: Codex/,
  };

  test.each(NAMED)('%s, each of them: the log says why', async (_, event) => {
    const app = hookRig();
    const unsaid: string[] = [];
    for (const [what, path] of badPaths(outside)) {
      app.logged.length = 0;
      const answer = await fire(event.name, inputOf(event, path, outside), app);
      // What a summary says is held against the context only if there was a compaction to be audited.
      const isUnread = needless(event) || (event.name === 'post-compact' && what.startsWith('another'));
      const reason = isUnread ? undefined : reasons[what];
      if (answer !== '' || reason?.test(app.logged.join()) === false)
        unsaid.push(`${what}: ${answer}${app.logged.join()}`);
    }
    expect(unsaid).toEqual([]);
  });
});

test.each(NAMED)('%s takes fields of another type for absent', async (_, event) => {
  const app = hookRig();
  const good = inputOf(event, goodTranscript(outside), outside);
  const answers: string[] = [];
  for (const value of WRONG_TYPES) {
    answers.push(await fire(event.name, Object.fromEntries(Object.keys(good).map((field) => [field, value])), app));
  }
  for (const field of Object.keys(good)) answers.push(await fire(event.name, { ...good, [field]: [7] }, app));
  const isFine = (answer: string): boolean =>
    answer === '' || /^\[chitta:(?:guide|restored|hot|recall)\]\n/.test(answer);
  expect(answers.filter((answer) => !isFine(answer))).toEqual([]);
});

test('a transcript outside of the home, through a link, is read as any other', async () => {
  const link = join(outside, 'a-good-link');
  if (!existsSync(link)) execFileSync('ln', ['-s', goodTranscript(outside), link]);
  const input = inputOf(EVENTS[0]!, link, outside);
  const { stdout, exitCode } = await run('pre-compact', JSON.stringify(input));
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('Never drop data.') });
});
