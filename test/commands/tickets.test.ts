import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ticketNumber } from '../../src/actions/ticket.ts';
import { addHotCommand } from '../../src/commands/hot.ts';
import { addShowCommand } from '../../src/commands/show.ts';
import { issue, mockTracker, type MockTracker, reply } from '../support/tracker.ts';
import { type Bench, benchFor } from './context.ts';

const TOKEN = 'tok_4f9a8b7c6d5e4f3a2b1c';

let tracker: MockTracker;
let bench: Bench;
beforeEach(async () => {
  tracker = await mockTracker();
  tracker.answer = reply(issue(12, { title: 'Log in with a\n\u001b[31mpasskey', body: 'SECRETBODY one\ntwo\nthree' }));
  bench = benchFor(
    (program, ctx) => {
      addShowCommand(program, ctx);
      addHotCommand(program, ctx);
    },
    { MY_TOKEN: TOKEN },
  );
});
afterEach(async () => {
  await tracker.close();
  bench.remove();
});

function configure({
  user = true,
  origin = true,
  project,
}: { user?: boolean; origin?: boolean; project?: unknown } = {}): void {
  mkdirSync(bench.home, { recursive: true, mode: 0o700 });
  const tickets = { [tracker.host]: { kind: 'gitea', api: `${tracker.url}/api/v1`, token_env: 'MY_TOKEN' } };
  if (user) writeFileSync(join(bench.home, 'config.json'), JSON.stringify({ tickets }));
  mkdirSync(join(bench.project, '.git'), { recursive: true });
  if (origin)
    writeFileSync(join(bench.project, '.git', 'config'), `[remote "origin"]\n\turl = ${tracker.url}/o/r.git\n`);
  if (project !== undefined) writeFileSync(join(bench.project, '.chitta.json'), JSON.stringify({ tickets: project }));
}

test.each([
  ['ticket:12', 12],
  ['ticket:#12', 12],
  ['Ticket:7', 7],
  ['ticket:0', undefined],
  ['ticket:1234567890', undefined],
  ['ticket:k3v7q2a', undefined],
  ['#2345672', undefined],
  ['2345672', undefined],
  ['#12', undefined],
])('%s is ticket %s', (text, number) => {
  expect(ticketNumber(text)).toBe(number);
});

describe('show', () => {
  test('prints a ticket, safe for a terminal', async () => {
    configure();
    const text = await bench.run('show', 'ticket:12');
    expect(text).toContain(`── ticket:12 ${tracker.host}/o/r, open, by noor, bug, api, 3 comments, as of `);
    expect(text).toContain(
      '\nLog in with a [31mpasskey\n\nSECRETBODY one\ntwo\nthree\nhttps://example.com/o/r/issues/12\n',
    );
    expect(tracker.asked).toEqual([
      { path: '/api/v1/repos/o/r/issues/12', authorization: `token ${TOKEN}`, etag: undefined },
    ]);
    expect(text + bench.said.err).not.toContain(TOKEN);
  });

  test('prints the lines that are asked for, and JSON', async () => {
    configure();
    expect(await bench.run('show', 'ticket:12', '--lines', '2-3')).toContain('lines 2–3 of 3\ntwo\nthree\n');
    expect(JSON.parse(await bench.run('show', 'ticket:12', '--about', 'three', '--json'))).toMatchObject({
      ticket: 12,
      title: 'Log in with a [31mpasskey',
      state: 'open',
      author: 'noor',
      labels: ['bug', 'api'],
      comments: 3,
      url: 'https://example.com/o/r/issues/12',
      source: `${tracker.host}/o/r`,
      stale: null,
      total_lines: 3,
      text: expect.stringContaining('three'),
    });
    expect(tracker.asked).toHaveLength(1);
  });

  test.each([
    ['no tracker is named', { user: false }, 'no tracker is named in config.json'],
    ['the project has no origin', { origin: false }, 'has no remote "origin"'],
    ['the project switches them off', { project: false }, 'switches them off'],
    ['only the project names one', { user: false, project: { '127.0.0.1': { kind: 'gitea' } } }, 'no tracker is named'],
  ])('says that tickets are off where %s, and asks nobody', async (_, how, why) => {
    configure(how);
    await expect(bench.run('show', 'ticket:12')).rejects.toMatchObject({
      code: 'E_TICKETS',
      message: expect.stringContaining(why),
    });
    expect(tracker.asked).toEqual([]);
  });
});

describe('hot --focus', () => {
  const focus = async (text: string): Promise<string> => bench.run('hot', '--focus', text);

  test('takes numbers and titles, and nothing else of a ticket', async () => {
    configure();
    const text = await focus('#12\nticket:12\nsomething else\n#13 named already');
    expect(text).toBe(
      '## Focus\n- #12 Log in with a [31mpasskey\n- #12 Log in with a [31mpasskey\n- something else\n- #13 named already\n',
    );
    expect(tracker.asked.every(({ path }) => path.endsWith('/12'))).toBe(true);
  });

  test('keeps the number where nothing is configured, without a word', async () => {
    expect(await focus('#12')).toBe('## Focus\n- #12\n');
    expect(bench.said.err).toBe('');
  });

  test('keeps the number where the tracker cannot be asked, and says so', async () => {
    configure();
    tracker.answer = reply({}, 500);
    expect(await focus('#12')).toBe('## Focus\n- #12\n');
    expect(bench.said.err).toContain('the title of #12 cannot be read: ');
    expect(bench.said.err).not.toContain(TOKEN);
  });
});
