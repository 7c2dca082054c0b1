import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTicketCache } from '../../src/tickets/cache.ts';
import { type Forge, forgeSource } from '../../src/tickets/forge.ts';
import type { TicketSource } from '../../src/ports/tickets.ts';
import { openPurge } from '../../src/wiring/purge.ts';
import { issue, mockTracker, type MockTracker, reply } from '../support/tracker.ts';

const TOKEN = 'tok_4f9a8b7c6d5e4f3a2b1c';
const MINUTE = 60_000;
const DAY = 86_400_000;

let tracker: MockTracker;
let home: string;
let clock: number;
let lines: string[];
beforeEach(async () => {
  tracker = await mockTracker();
  home = join(mkdtempSync(join(tmpdir(), 'chitta-tickets-')), 'home');
  clock = Date.UTC(2026, 0, 1);
  lines = [];
});
afterEach(async () => {
  await tracker.close();
  rmSync(join(home, '..'), { recursive: true, force: true });
});

function source(more: Partial<Forge> = {}, timeoutMs = 5_000): TicketSource {
  const forge = {
    kind: 'github',
    api: tracker.url,
    repository: 'o/r',
    host: 'github.com',
    token: TOKEN,
    tokenName: 'T',
  } as const;
  const cache = openTicketCache(home, (line) => lines.push(line));
  return forgeSource({ ...forge, ...more }, { cache, now: () => clock, timeoutMs });
}

const file = (): string =>
  existsSync(join(home, 'tickets.json')) ? readFileSync(join(home, 'tickets.json'), 'utf8') : '';

async function failure(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  expect(
    JSON.stringify([String(error), error instanceof Error ? [error.stack, String(error.cause)] : error]),
  ).not.toContain(TOKEN);
  // Whatever was thrown: its fields are looked at.
  return error as Record<string, unknown>;
}

test.each([
  ['github', `Bearer ${TOKEN}`],
  ['gitea', `token ${TOKEN}`],
] as const)('a ticket of %s, with the token in a header', async (kind, authorization) => {
  tracker.answer = reply(issue(12));
  expect(await source({ kind }).ticket(12)).toEqual({
    ticket: {
      number: 12,
      title: 'Ticket 12',
      state: 'open',
      body: 'First line.\nSecond line.',
      author: 'noor',
      labels: ['bug', 'api'],
      comments: 3,
      url: 'https://example.com/o/r/issues/12',
    },
    fetchedMs: clock,
    stale: undefined,
  });
  expect(tracker.asked).toEqual([{ path: '/repos/o/r/issues/12', authorization, etag: undefined }]);
});

test('what a tracker says is masked, well-formed, on one line where it must be, and bounded', async () => {
  tracker.answer = reply(
    JSON.stringify(
      issue(1, {
        title: 'a\n\u001b[31mb\u0007 DB_PASSWORD=hunter2',
        body: `x\ud800 DB_PASSWORD=hunter2 ${'y'.repeat(300_000)}`,
        user: null,
        labels: 'no',
        comments: -1,
        html_url: 'javascript:alert(1)',
      }),
    ),
  );
  const { ticket } = await source().ticket(1);
  expect(ticket.title).toBe('a [31mb DB_PASSWORD=[masked:password]');
  expect(ticket.body).toMatch(/^x\ufffd DB_PASSWORD=\[masked:password\] y/);
  expect(ticket.body.length).toBeLessThan(210_000);
  expect(ticket).toMatchObject({ author: undefined, labels: [], comments: 0, url: undefined });
  expect(file()).not.toContain('hunter2');
});

describe('a copy', () => {
  beforeEach(async () => {
    tracker.answer = reply(issue(12), 200, { etag: '"e1"' });
    await source().ticket(12);
  });

  test('is private to its user, and holds no token', () => {
    expect(statSync(join(home, 'tickets.json')).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(file()).not.toContain(TOKEN);
  });

  test('is fresh for a quarter of an hour, and then asked for again', async () => {
    clock += 14 * MINUTE;
    await source().ticket(12);
    expect(tracker.asked).toHaveLength(1);
    clock += 2 * MINUTE;
    tracker.answer = reply('', 304);
    expect(await source().ticket(12)).toMatchObject({
      ticket: { title: 'Ticket 12' },
      fetchedMs: clock,
      stale: undefined,
    });
    expect(tracker.asked[1]?.etag).toBe('"e1"');
    await source().ticket(12);
    expect(tracker.asked).toHaveLength(2);
  });

  test.each([
    ['an error', reply('no', 500), 'status 500'],
    [
      'a limit',
      reply({}, 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1767230000' }),
      'no more requests',
    ],
    ['garbage', reply('<html>'), 'no JSON'],
  ])('stands in for %s, and says why', async (_, answer, why) => {
    clock += DAY;
    tracker.answer = answer;
    expect(await source().ticket(12)).toMatchObject({
      ticket: { title: 'Ticket 12' },
      fetchedMs: clock - DAY,
      stale: expect.stringContaining(why),
    });
    clock += 30 * DAY;
    await expect(source().ticket(12)).rejects.toMatchObject({ code: 'E_TICKETS' });
  });

  test.each([
    ['gone', 404],
    ['no longer to be read', 403],
    ['asked for with a token that is refused', 401],
  ])('is deleted once the ticket is %s', async (_, status) => {
    clock += DAY;
    tracker.answer = reply({}, status);
    await expect(source().ticket(12)).rejects.toThrow(/ticket 12|refuses the token/);
    expect(file()).not.toContain('Ticket 12');
  });

  test.each(['', '[]', '{"x":1}', '\u0000', '{"a":{"ticket":{"number":1},"fetchedMs":"x"}}'])(
    'that is damaged (%j) counts as none',
    async (text) => {
      writeFileSync(join(home, 'tickets.json'), text);
      expect(await source().ticket(12)).toMatchObject({ stale: undefined });
      expect(tracker.asked).toHaveLength(2);
    },
  );

  test('is deleted by a purge, but for that of a session', async () => {
    await openPurge(home).purge({ session: 's' });
    expect(file()).toContain('Ticket 12');
    expect((await openPurge(home).purge({ project: '/p' })).removedFiles).toContain('tickets.json');
    expect(file()).toBe('');
  });

  test('of one repository is not that of another', async () => {
    tracker.answer = reply(issue(12, { title: 'another' }));
    expect((await source({ repository: 'o/other' }).ticket(12)).ticket.title).toBe('another');
  });
});

test('two hundred copies are kept, the newest', async () => {
  const cache = openTicketCache(home, () => undefined);
  const ticket = {
    number: 1,
    title: '',
    state: '',
    body: '',
    author: undefined,
    labels: [],
    comments: 0,
    url: undefined,
  };
  for (let i = 0; i < 205; i += 1) cache.put(`key ${i}`, { ticket, fetchedMs: i, etag: undefined });
  expect(Object.keys(JSON.parse(file()))).toHaveLength(200);
  expect([cache.get('key 4'), cache.get('key 5')?.fetchedMs]).toEqual([undefined, 5]);
});

describe('a failure says what is wrong, and never the token:', () => {
  test.each<[string, MockTracker['answer'], string, string]>([
    ['no such ticket', reply({ message: 'Not Found' }, 404), 'E_NOT_FOUND', 'there is no ticket 7 in github.com/o/r'],
    ['deleted', reply({}, 410), 'E_NOT_FOUND', 'there is no ticket 7'],
    [
      'a token that is refused',
      reply({ message: `Bad ${TOKEN}` }, 401),
      'E_TICKETS',
      'refuses the token in T (status 401)',
    ],
    ['forbidden', reply({}, 403), 'E_TICKETS', 'refuses the token in T (status 403)'],
    [
      'a limit',
      reply({}, 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1767230000' }),
      'E_TICKETS',
      'takes no more requests',
    ],
    ['a second limit', reply({}, 429, { 'retry-after': '60' }), 'E_TICKETS', 'takes no more requests'],
    ['an error', reply(`broken ${TOKEN}`, 500), 'E_TICKETS', 'status 500: broken [masked]'],
    ['garbage', reply('<html>hello</html>'), 'E_TICKETS', 'no JSON'],
    ['null', reply('null'), 'E_TICKETS', 'not ticket 7'],
    ['another ticket', reply(issue(8)), 'E_TICKETS', 'not ticket 7'],
    ['a ticket without a title', reply(issue(7, { title: 5 })), 'E_TICKETS', 'not ticket 7'],
    ['an answer without end', reply(`"${'x'.repeat(2_000_000)}"`), 'E_TICKETS', 'larger than'],
    ['304 without a copy', reply('', 304), 'E_TICKETS', 'status 304'],
    ['a connection that breaks', (_, response) => void response.destroy(), 'E_TICKETS', 'cannot be reached'],
    [
      'half an answer',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"number"');
        setImmediate(() => response.destroy());
      },
      'E_TICKETS',
      'cannot be reached',
    ],
  ])('%s', async (_, answer, code, message) => {
    tracker.answer = answer;
    const error = await failure(source().ticket(7));
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(file()).toBe('');
  });

  test('when a limit is lifted', async () => {
    tracker.answer = reply({}, 429, { 'retry-after': '3600' });
    expect(await failure(source({ token: undefined }).ticket(7))).toMatchObject({
      hint: 'try again at 01:00 UTC, or with a token in T',
    });
  });

  test('a private repository without a token', async () => {
    tracker.answer = reply({}, 404);
    expect(await failure(source({ token: undefined }).ticket(7))).toMatchObject({
      hint: 'a private repository needs a token in T',
    });
    expect(tracker.asked[0]?.authorization).toBeUndefined();
  });

  test.each(['no answer', 'half an answer'])('%s in time', async (kind) => {
    tracker.answer = (_, response) => {
      if (kind === 'half an answer') response.writeHead(200).write('{');
    };
    expect(await failure(source({}, 50).ticket(7))).toMatchObject({
      code: 'E_TICKETS',
      message: expect.stringContaining('within 50 ms'),
    });
  });

  test('nobody there', async () => {
    await tracker.close();
    expect(await failure(source().ticket(7))).toMatchObject({
      code: 'E_TICKETS',
      message: expect.stringContaining('cannot be reached'),
    });
  });

  test('a token that is none is not sent', async () => {
    expect(await failure(source({ token: `${TOKEN}\nx: y` }).ticket(7))).toMatchObject({
      message: 'what stands in T is no token',
    });
    expect(tracker.asked).toEqual([]);
  });

  test('a token is not sent without encryption, but for this machine', async () => {
    expect(await failure(source({ api: 'http://tracker.example' }).ticket(7))).toMatchObject({
      message: 'a token is not sent to tracker.example without encryption',
    });
  });
});

describe('a redirection', () => {
  const moved =
    (to: string): MockTracker['answer'] =>
    (request, response) => {
      if (request.url?.startsWith('/repos/') === true) response.writeHead(301, { location: to }).end();
      else reply(issue(7))(request, response);
    };

  test('on the same host is followed, with the token', async () => {
    tracker.answer = moved('/repositories/1/issues/7');
    expect((await source().ticket(7)).ticket.title).toBe('Ticket 7');
    expect(tracker.asked.map(({ path, authorization }) => [path, authorization])).toEqual([
      ['/repos/o/r/issues/7', `Bearer ${TOKEN}`],
      ['/repositories/1/issues/7', `Bearer ${TOKEN}`],
    ]);
  });

  test('to another host is not followed, and that host hears nothing', async () => {
    const other = await mockTracker();
    other.answer = reply(issue(7));
    tracker.answer = moved(`${other.url}/repositories/1/issues/7`);
    expect(await failure(source().ticket(7))).toMatchObject({
      code: 'E_TICKETS',
      message: expect.stringContaining(`sends on to ${other.host}`),
    });
    tracker.answer = moved(`//${other.host}/x`);
    await failure(source().ticket(7));
    expect(other.asked).toEqual([]);
    await other.close();
  });

  test.each(['http://[', 'file:///etc/passwd', 'https://127.0.0.1/x'])('to %s is not followed', async (to) => {
    tracker.answer = moved(to);
    expect(await failure(source().ticket(7))).toMatchObject({
      code: 'E_TICKETS',
      message: expect.stringContaining('is not followed'),
    });
  });

  test('without end is given up', async () => {
    tracker.answer = moved('/repos/again');
    expect(await failure(source().ticket(7))).toMatchObject({ message: expect.stringContaining('sends on and on') });
    expect(tracker.asked).toHaveLength(4);
  });
});

test('a home that cannot be written costs the copy, not the ticket', async () => {
  writeFileSync(join(home, '..', 'file'), '');
  home = join(home, '..', 'file', 'home');
  tracker.answer = reply(issue(12));
  expect((await source().ticket(12)).ticket.title).toBe('Ticket 12');
  expect(lines.join()).toContain('a ticket was not kept');
  home = join(home, '..', '..', 'home');
});
