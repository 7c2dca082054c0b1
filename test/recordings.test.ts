/** What the pages show of a terminal: it is there, it is shown, and tells nothing of the machine that it was recorded on. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { maskSecrets } from '../src/redact/mask.ts';

const repository = join(import.meta.dirname, '..');
const folder = join(repository, 'docs', 'recordings');
const names = readdirSync(folder);
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

const pages = [
  join(repository, 'README.md'),
  ...readdirSync(join(repository, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(repository, 'docs', name)),
];
/** Files of the folder that a page links or shows. */
const shown = new Set(
  pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/\]\((?:docs\/)?recordings\/([^)\s]+)\)/g)].map(([, name = '']) => name),
  ),
);

test('all that the pages show is there, and all that is there is shown', () => {
  expect([...shown].filter((name) => !existsSync(join(folder, name)))).toEqual([]);
  expect(names.filter((name) => !shown.has(name))).toEqual([]);
  expect(names.filter((name) => name.endsWith('.svg')).length).toBeGreaterThan(1);
});

test.each(names)('%s holds no path of a home or a temporary folder, no address and no secret', (name) => {
  const text = read(name);
  expect(text.match(/\/(?:home|root|Users|tmp|private|var|work)\/[^\s"<]*/g) ?? []).toEqual([]);
  expect(text.match(/127\.0\.0\.1|localhost:\d+|sk-ant-\S*/g) ?? []).toEqual([]);
  expect(maskSecrets(text).masked).toBe(0);
});

test.each(names.filter((name) => name.endsWith('.cast')))('%s is a recording that players take', (name) => {
  const [head = '', ...events] = read(name).trimEnd().split('\n');
  expect(JSON.parse(head)).toMatchObject({
    version: 2,
    width: expect.any(Number),
    height: expect.any(Number),
    title: expect.any(String),
  });
  expect(events.length).toBeGreaterThan(10);
  let last = 0;
  for (const event of events) {
    const [seconds, kind, text] = JSON.parse(event);
    expect([seconds >= last, kind, typeof text]).toEqual([true, 'o', 'string']);
    last = seconds;
  }
  expect(read(name).length).toBeLessThan(200_000);
});

test.each(names.filter((name) => name.endsWith('.svg')))('%s is a picture without scripts or other files', (name) => {
  const text = read(name);
  expect(text.startsWith('<svg xmlns="http://www.w3.org/2000/svg" ')).toBe(true);
  expect(text.trimEnd().endsWith('</svg>')).toBe(true);
  expect(text.match(/<script|<image|<foreignObject|href=|url\(/g) ?? []).toEqual([]);
});
