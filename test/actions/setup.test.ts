import { expect, test } from 'vitest';
import { checkSetup, runSetup } from '../../src/actions/setup.ts';
import { ChittaError } from '../../src/errors.ts';
import type { NativePart, NativeSetup } from '../../src/ports/native-setup.ts';

function part(name: string, ok: boolean): NativePart {
  return { name, purpose: 'memory', megabytes: 35, ok, detail: ok ? '1.0.0' : 'it is not installed' };
}

function setupOf(parts: NativePart[], broken: readonly string[] = []): NativeSetup & { installed: string[] } {
  const installed: string[] = [];
  return {
    folder: '/data/native',
    installed,
    parts: async () => parts.map((one) => (installed.includes(one.name) ? part(one.name, true) : one)),
    install: async (name) => {
      if (broken.includes(name)) throw new ChittaError('E_SETUP', 'no compiler', { hint: 'get one' });
      installed.push(name);
      return 34_000_000;
    },
  };
}

test('installs what is missing, says so before, and has nothing to do the next time', async () => {
  const setup = setupOf([part('a', true), part('b', false)]);
  const announced: string[] = [];
  const first = await runSetup(setup, ({ name }) => announced.push(name));
  expect(first).toEqual({
    ok: true,
    folder: '/data/native',
    parts: [
      { name: 'a', purpose: 'memory', state: 'present', detail: '1.0.0' },
      { name: 'b', purpose: 'memory', state: 'installed', detail: '34 MB' },
    ],
  });
  const second = await runSetup(setup, ({ name }) => announced.push(name));
  expect(second.parts.map(({ state }) => state)).toEqual(['present', 'present']);
  expect(announced).toEqual(['b']);
});

test('one that cannot be installed does not keep the others from it', async () => {
  const setup = setupOf([part('a', false), part('b', false)], ['a']);
  const { ok, parts } = await runSetup(setup, () => undefined);
  expect(ok).toBe(false);
  expect(parts.map(({ state }) => state)).toEqual(['failed', 'installed']);
  expect(parts[0]?.detail).toBe('no compiler\ntry: get one');
});

test('a check changes nothing', async () => {
  const setup = setupOf([part('a', true), part('b', false)]);
  const { ok, parts } = await checkSetup(setup);
  expect([ok, parts.map(({ state }) => state), setup.installed]).toEqual([false, ['present', 'missing'], []]);
});
