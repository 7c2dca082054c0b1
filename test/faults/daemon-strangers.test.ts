/** Whatever stands at the daemon's address: hooks answer in time, without it, and a person is told what is there. */
import { expect, test } from 'vitest';
import { eventually, machineRig, skipped } from './support/machine.ts';
import { type Behaviour, drip, flood, hello, line, stranger } from './support/stranger.ts';

const machine = machineRig();

/** Says hello as a daemon does, and then something else to every request. */
function after(answer: Behaviour): Behaviour {
  return (socket, endpoint) => {
    socket.write(hello(endpoint));
    socket.once('data', () => answer(socket, endpoint));
  };
}

const strangers: [what: string, behave: Behaviour, reason: string][] = [
  ['accepts and never answers', () => undefined, 'silent'],
  ['answers one byte a second', (socket, endpoint) => drip(socket, hello(endpoint)), 'silent'],
  ['answers garbage', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'), 'garbage'],
  ['sends half a frame and is silent', (socket, endpoint) => socket.write(hello(endpoint).slice(0, 30)), 'silent'],
  ['sends a line of 100 MB', (socket) => flood(socket, 100), 'garbage'],
  ['speaks another protocol', (socket, endpoint) => socket.write(hello(endpoint, { chitta: 2 })), 'other-protocol'],
  ['has another model', (socket, endpoint) => socket.write(hello(endpoint, { model: 'other-2' })), 'other-model'],
  ['hangs up', (socket) => socket.destroy(), 'closed'],
  ['says hello and is silent', after(() => undefined), 'silent'],
  [
    'says hello, then one byte a second',
    after((socket) => drip(socket, line({ id: 1, ok: true, result: {} }))),
    'silent',
  ],
  ['says hello, then half a reply', after((socket) => socket.write('{"id":1,"ok":tr')), 'silent'],
  ['says hello, then garbage', after((socket) => socket.write('nonsense\n')), 'garbage'],
  ['says hello, then a line of 100 MB', after((socket) => flood(socket, 100)), 'garbage'],
  ['says hello and hangs up', after((socket) => socket.destroy()), 'closed'],
];

test.each(strangers)('a listener that %s', async (_what, behave, reason) => {
  await stranger(machine().endpoint, behave);
  machine().startNone();
  expect(await machine().status()).toMatchObject({ running: false, reason });
  await machine().session();
});

test.skipIf(skipped !== '')(
  `a daemon takes the place of a listener that is none${skipped}`,
  { timeout: 180_000 },
  async () => {
    await stranger(machine().endpoint, (socket) => socket.write('nonsense\n'));
    await machine().hook('pre-compact');
    expect(await eventually(async () => (await machine().status())['running'] === true, 'a daemon')).toBe(true);
    await machine().session();
  },
);
