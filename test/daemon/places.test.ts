import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { endpointOf, runtimeFolder } from '../../src/daemon/places.ts';

const folder = mkdtempSync(join(tmpdir(), 'chp-'));
const uid = process.getuid?.() ?? 'user';

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the folder: the one that was named, else in the session’s, else in the temporary directory', () => {
  const session = join(folder, 'session');
  mkdirSync(session);
  const env = { CHITTA_RUNTIME_DIR: '/named', XDG_RUNTIME_DIR: session, TMPDIR: '/t' };
  expect(runtimeFolder(env)).toBe('/named');
  expect(runtimeFolder({ ...env, CHITTA_RUNTIME_DIR: '' })).toBe(join(session, 'chitta'));
  expect(runtimeFolder({ TMPDIR: '/t' })).toBe(`/t/chitta-${uid}`);
  expect(runtimeFolder({ XDG_RUNTIME_DIR: '/is/not/there', TMPDIR: '/t' })).toBe(`/t/chitta-${uid}`);
  expect(runtimeFolder({ XDG_RUNTIME_DIR: 'relative', TMPDIR: 'relative' })).toBe(join(tmpdir(), `chitta-${uid}`));
});

const at = (extra: object = {}): ReturnType<typeof endpointOf> =>
  endpointOf({ env: { CHITTA_RUNTIME_DIR: '/run/x' }, home: '/home/u/.local/share/chitta', model: 'm-1', ...extra });

test('other models and other homes have other sockets; the same have the same', () => {
  expect(at()).toEqual(at());
  const others = [at(), at({ model: 'm-2' }), at({ home: '/elsewhere' })];
  expect(new Set(others.map(({ socket }) => socket)).size).toBe(3);
  expect(new Set(others.map(({ lock }) => lock)).size).toBe(3);
  expect(at().socket).toMatch(/^\/run\/x\/d1-[0-9a-f]{8}-[0-9a-f]{8}\.sock$/);
});

test.each([10, 60, 75, 76, 77, 78, 79, 80, 100, 103, 200, 4_000])(
  'a folder whose path has %i bytes has a socket that fits',
  (bytes) => {
    const wanted = `/${'x'.repeat(bytes - 1)}`;
    const long = at({ env: { CHITTA_RUNTIME_DIR: wanted, TMPDIR: `/${'t'.repeat(bytes - 1)}` } });
    expect(Buffer.byteLength(long.socket)).toBeLessThanOrEqual(103);
    expect(long.wanted).toBe(wanted);
  },
);

test('bytes count, not characters; two long folders have two sockets', () => {
  const named = (name: string): string =>
    at({ env: { CHITTA_RUNTIME_DIR: `/${name.repeat(40)}`, TMPDIR: '/t' } }).socket;
  expect(Buffer.byteLength(named('ü'))).toBeLessThanOrEqual(103);
  expect(named('üü')).not.toBe(named('öö'));
  expect(named('üü')).toContain(`/t/chitta-${uid}/`);
});
