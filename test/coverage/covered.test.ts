/**
 * What memories do to a compaction, through the built command line, a daemon of its own and the model that comes with chitta.
 * Each test has a project of its own; all share the database and the daemon, as the projects of a person do.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COVERED_FROM } from '../../src/compaction/formula.ts';
import { openMemory } from '../../src/memory/store.ts';
import type { NewMemory } from '../../src/ports/memories.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';
import type { CompactResult } from '../../src/protocol/compact-result.ts';
import { note, whyNot } from '../embedding/model/load.ts';
import { cliRig } from '../support/cli.ts';

const rig = cliRig();
const MS = 20_000;
/** For vectors that are still being made. */
const PATIENCE_MS = 60_000;
const env = { CHITTA_RUNTIME_DIR: join(rig.folder, 'run') };

interface Said {
  readonly role: string;
  readonly content: string;
  readonly uuid: string;
}

let count = 0;
const said = (content: string, role = 'user'): Said => ({ role, content, uuid: `u-${(count += 1)}` });

function newProject(name: string): string {
  const path = join(rig.folder, name);
  mkdirSync(path);
  return path;
}

async function chitta(cwd: string, args: readonly string[], input?: string): Promise<string> {
  const { stdout, stderr, exitCode } = await rig.run(args, { cwd, env, ...(input === undefined ? {} : { input }) });
  if (exitCode !== 0) throw new Error(`chitta ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** By JSON-RPC, as a program asks. */
async function compact(cwd: string, messages: readonly Said[], more: object = {}): Promise<CompactResult> {
  const params = { name: 'compact_context', arguments: { messages, explain: true, ...more } };
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return JSON.parse(await chitta(cwd, [], JSON.stringify(request))).result;
}

/** The same as soon as every message and every memory has its vector and `ready` is content. */
async function settled(
  cwd: string,
  messages: readonly Said[],
  ready: (result: CompactResult) => boolean = () => true,
  more: object = {},
): Promise<CompactResult> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const result = await compact(cwd, messages, more);
    const { memories, vectors } = JSON.parse(await chitta(cwd, ['memory', 'stats', '--json']));
    const { used, total } = result.stats.vectors;
    const complete = used === total && (vectors[0]?.count ?? 0) >= memories.active;
    if (complete && ready(result)) return result;
    if (performance.now() > until) throw new Error(`it never came: ${JSON.stringify(result.decisions)}`);
  }
}

const coverages = ({ decisions = [] }: CompactResult): number[] => decisions.map(({ coverage }) => coverage);
const covers = (index: number) => (result: CompactResult) => (coverages(result)[index] ?? 0) >= COVERED_FROM;
const remember = (cwd: string, text: string, ...flags: string[]): Promise<string> =>
  chitta(cwd, ['memory', 'add', ...flags, text]);

/** A row as chitta makes them, or as the model does. */
async function stored(row: Partial<NewMemory> & { text: string }, supersedes: readonly number[] = []): Promise<number> {
  const memory: MemoryDatabase = openMemory({ home: rig.env['CHITTA_HOME'] ?? '' });
  try {
    const { memory: added } = await memory.remember(
      { kind: 'fact', project: undefined, session: undefined, origin: 'person', sourceIds: [], ...row },
      MS,
      supersedes,
    );
    return added.id;
  } finally {
    memory.close();
  }
}

describe.skipIf(whyNot !== undefined)(`with the real model and a daemon${note}`, { timeout: 2 * PATIENCE_MS }, () => {
  beforeAll(async () => {
    await chitta(rig.folder, ['daemon', 'start']);
  }, PATIENCE_MS);
  afterAll(async () => {
    await chitta(rig.folder, ['daemon', 'stop']);
  }, PATIENCE_MS);

  test('two facts let other turns go than none do, and the numbers say so', async () => {
    const project = newProject('two-facts');
    const messages = [
      said('The API server must always listen on port 8080, since the proxy in front expects it there.'),
      said('Understood.', 'assistant'),
      said('Sessions are stored in the Postgres table user_sessions, never in Redis.'),
      said('Noted.', 'assistant'),
      said('The export to CSV writes a semicolon between columns because of the German spreadsheets.'),
      said('The import reads both commas and semicolons, so that files of both kinds can be taken in.', 'assistant'),
      said('Why does the login page flicker when the theme changes?'),
      said('The theme is read after the first paint; I will read it before, in the head of the page.', 'assistant'),
      said('Now fix the flicker.'),
    ];
    const query = 'the login page flickers when the theme changes';
    const params = { budget_tokens: 125, query, strategy: 'formula' };
    const without = await settled(project, messages, () => true, params);
    await remember(project, 'The API server always listens on port 8080; the proxy in front expects it there');
    await remember(project, 'Sessions are stored in the Postgres table user_sessions and never in Redis');
    const both = (result: CompactResult): boolean => covers(0)(result) && covers(2)(result);
    const within = await settled(project, messages, both, params);

    expect(without.stats).toMatchObject({ covered: 0, embedding: true });
    expect(within.stats).toMatchObject({ covered: 2, embedding: true });
    const texts = ({ messages: kept }: CompactResult): unknown[] => kept.map(({ content }) => content);
    expect(texts(within)).not.toEqual(texts(without));
    expect(texts(within)).not.toContain(messages[0]?.content);
    expect(texts(within)).not.toContain(messages[2]?.content);
    expect(texts(without)).toContain(messages[2]?.content);

    const object = JSON.stringify({ messages, ...params });
    const byCommand = JSON.parse(await chitta(project, ['compact', '-', '--json'], object));
    expect(byCommand.messages).toEqual(within.messages);
    expect(byCommand.stats).toMatchObject({ covered: 2, embedding: true });
  });

  test('a turn that differs in a number, a unit, a name or a negation is not covered', async () => {
    const project = newProject('near-misses');
    await remember(project, 'The request timeout is 30 seconds for all upload endpoints');
    await remember(project, 'Never commit generated files to the main branch');
    await remember(project, 'The parser of dates lives in src/dates/parse.ts');
    const messages = [
      said('The request timeout is 30 seconds for all upload endpoints.'),
      said('The request timeout is 40 seconds for all upload endpoints.'),
      said('The request timeout is 30 minutes for all upload endpoints.'),
      said('The request timeout is not 30 seconds for all upload endpoints.'),
      said('Commit generated files to the main branch.'),
      said('The parser of dates lives in src/dates/format.ts'),
    ];
    const [same, ...others] = coverages(await settled(project, messages, covers(0)));
    expect(same).toBeGreaterThanOrEqual(COVERED_FROM);
    // Compared, and found to be similar: not merely unknown.
    for (const coverage of others) expect(coverage).toBeCloseTo(0.49, 5);
  });

  test('what chitta made from a message never covers that message, only another one', async () => {
    const project = newProject('own-rows');
    const text = 'Deploys are announced in the release channel an hour before they start.';
    const [source, copy, last] = [said(text), said(text), said('go on')];
    await stored({ text, project, origin: 'auto', kind: 'novel', sourceIds: [source.uuid] });
    const [own, other] = coverages(await settled(project, [source, copy, last], covers(1)));
    expect(own).toBeLessThan(0.5);
    expect(other).toBeGreaterThanOrEqual(COVERED_FROM);
  });

  test('what chitta made from nobody knows what covers nothing, until a person says it too', async () => {
    const project = newProject('untraced');
    const text = 'Invoices are numbered per customer and per year.';
    const messages = [said(text), said('Backups are kept for ninety days.'), said('go on')];
    await stored({ text, project, origin: 'auto', kind: 'novel' });
    await remember(project, 'Backups are kept for ninety days');
    const [untraced] = coverages(await settled(project, messages, covers(1)));
    expect(untraced).toBeLessThan(0.5);
    await remember(project, text);
    const [said_] = coverages(await settled(project, messages, covers(0)));
    expect(said_).toBeGreaterThanOrEqual(COVERED_FROM);
  });

  test('a fact of another project covers nothing here; one for every project does', async () => {
    const [here, elsewhere] = [newProject('here'), newProject('elsewhere')];
    await remember(elsewhere, 'Feature flags are read once, when the server starts.');
    await remember(here, 'Answers are written in British English.', '--global');
    const messages = [
      said('Feature flags are read once, when the server starts.'),
      said('Answers are written in British English.'),
      said('go on'),
    ];
    expect(coverages(await settled(here, messages, covers(1)))[0]).toBeLessThan(0.5);
    expect(coverages(await settled(elsewhere, messages, covers(1)))[0]).toBeGreaterThanOrEqual(COVERED_FROM);
  });

  test('a memory covers no more once another has taken its place', async () => {
    const project = newProject('superseded');
    const text = 'The nightly job exports the invoices to the old bucket.';
    const messages = [said(text), said('Search results are cached for a minute.'), said('go on')];
    const id = await stored({ text, project });
    await settled(project, messages, covers(0));
    await stored({ text: 'The weekly job archives orders.', project }, [id]);
    await remember(project, 'Search results are cached for a minute');
    expect(coverages(await settled(project, messages, covers(1)))[0]).toBeLessThan(0.5);
  });

  test('what is distilled of a dropped turn covers it when it is said again, by itself never', async () => {
    const project = newProject('distilled');
    const [first, again, last] = [
      said('We decided to number the invoices per country from next year on.'),
      said('We decided to number the invoices per country from next year on.'),
      said('go on'),
    ];
    const distilled = await compact(project, [first, last], { distill_novel: true, budget_tokens: 1 });
    expect(distilled.stats).toMatchObject({ distilled: 1, covered: 0 });
    const [own, other] = coverages(await settled(project, [first, again, last], covers(1)));
    expect(own).toBeLessThan(0.5);
    expect(other).toBeGreaterThanOrEqual(COVERED_FROM);
  });
});
