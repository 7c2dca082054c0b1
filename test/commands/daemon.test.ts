import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { runHere, startAndWait, stopAndWait, warmTranscript, type DaemonPort } from '../../src/actions/daemon.ts';
import { minutes, renderStatus, statusJson } from '../../src/commands/daemon.ts';
import { styleFor } from '../../src/terminal/style.ts';

const plain = styleFor({}, {});

const running = {
  running: true,
  fields: {
    pid: 7,
    build: '0.1.0',
    model: 'm-1',
    state: 'ready',
    uptime_ms: 190_000,
    rss_bytes: 167_100_000,
    cache_bytes: 20_000,
    queue: { query: 0, score: 3, warm: 12 },
    requests: 5,
    followed: ['/s/\u001b[31ma.jsonl'],
  },
} as const;

test('a daemon that runs: a line each, nothing that a terminal would obey', () => {
  expect(renderStatus(running, '/run/d.sock', plain)).toMatchInlineSnapshot(`
    "running
    process   7
    version   0.1.0
    model     m-1
    up        3 min
    memory    167.1 MB
    cache     0.0 MB
    queue     3 score, 12 warm
    requests  5
    socket    /run/d.sock
    follows   /s/a.jsonl
    "
  `);
});

test('a daemon that is still loading, one that is not there, one that is not answered', () => {
  const warming = { ...running, fields: { ...running.fields, state: 'warming' } };
  expect(renderStatus(warming, 's', plain)).toContain('running, the model is still being loaded\n');
  const none = { running: false, reason: 'none', detail: 'nobody listens' } as const;
  expect(renderStatus(none, 's', plain)).toBe('not running\nsocket  s\n');
  const silent = { running: false, reason: 'silent', detail: 'no hello in time' } as const;
  expect(renderStatus(silent, 's', plain)).toBe('not running: no hello in time\nsocket  s\n');
});

test('as JSON: running, and the fields or the reason', () => {
  expect(statusJson(running, 's')).toEqual({ running: true, ...running.fields, socket: 's' });
  const none = { running: false, reason: 'none', detail: 'nobody listens' } as const;
  expect(statusJson(none, 's')).toEqual({ ...none, socket: 's' });
});

test.each(['0', '-1', '', ' ', 'x', '1e9', 'NaN'])('%j is no number of minutes', (text) => {
  expect(() => minutes(text)).toThrow(InvalidArgumentError);
});

test('a part of a minute is one', () => {
  expect(minutes('0.05')).toBe(0.05);
});

/** A daemon that goes as told. */
function port(goes: Partial<DaemonPort>): DaemonPort {
  const failed = { state: 'failed', reason: 'no model' } as const;
  return {
    socket: 's',
    outputFile: '/home/daemon.log',
    run: () => Promise.resolve(failed),
    status: () => Promise.resolve({ running: false, reason: 'none', detail: '' }),
    start: () => Promise.resolve(failed),
    stop: () => Promise.resolve(failed),
    warm: () => Promise.resolve({ failed: 'it hung up' }),
    ...goes,
  };
}

const quiet = { idleMs: 1, onReady: () => undefined, onLog: () => undefined };

test('what goes wrong is an error that says what to do', async () => {
  await expect(runHere(port({}), quiet)).rejects.toMatchObject({ hint: 'chitta doctor' });
  await expect(startAndWait(port({}), () => undefined)).rejects.toThrow('could not be started: no model');
  await expect(stopAndWait(port({}))).rejects.toMatchObject({ hint: 'chitta daemon status' });
  const ready = port({ start: () => Promise.resolve({ state: 'ready' }) });
  await expect(
    warmTranscript(
      ready,
      'f',
      () => undefined,
      () => undefined,
    ),
  ).rejects.toThrow('f could not be embedded: it hung up');
});

test('another daemon that is there already is no failure', async () => {
  expect(await runHere(port({ run: () => Promise.resolve({ state: 'busy' }) }), quiet)).toBe('busy');
  expect(await startAndWait(port({ start: () => Promise.resolve({ state: 'was-running' }) }), () => undefined)).toBe(
    'was-running',
  );
  expect(await stopAndWait(port({ stop: () => Promise.resolve({ state: 'none' }) }))).toBe('none');
});
