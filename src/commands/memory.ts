/** `chitta memory`: what is remembered, by hand. */
import { type Command, Option } from 'commander';
import type { Forgotten, Memory } from '../ports/memories.ts';
import type { MemoryStats, MemoryUsage } from '../ports/memory.ts';
import { KINDS } from '../protocol/kinds.ts';
import { sanitize, sanitizeLine } from '../terminal/sanitize.ts';
import { type Style, styleFor } from '../terminal/style.ts';
import { printJson } from './json.ts';
import type { CommandContext } from './context.ts';
import { type ListRow, listingOf } from './listing.ts';
import { COMMAND_MS, recallNoted, withMemory } from './memory-context.ts';
import { addTransferCommands } from './memory-transfer.ts';
import { wholeNumber } from './numbers.ts';

const NUDGE_MS = 300;
const DEFAULT_LIMIT = 50;
const DEFAULT_HITS = 10;

/** Number, kind and where it holds, in columns of one width. */
function rowsOf(memories: readonly Memory[]): ListRow[] {
  const idWidth = memories.reduce((width, { id }) => Math.max(width, String(id).length), 0);
  return memories.map(({ id, kind, project, status, text }) => {
    const where = project === undefined ? 'everywhere' : 'project';
    const state = status === 'active' ? '' : ` ${status}`;
    return { head: `${String(id).padStart(idWidth)}  ${kind.padEnd(10)}  ${where.padEnd(10)}${state}  `, text };
  });
}

/** What is known of a memory that was made or taken over by chitta; of others nothing. */
function knownRows({ session, quote, topic, confidence, uses = 0, imported }: Memory): [name: string, value: string][] {
  const rows: [name: string, value: string | undefined][] = [
    ['session', session],
    ['said as', quote],
    ['about', topic],
    ['sure', confidence === undefined ? undefined : `${Math.round(confidence * 100)}%`],
    ['used', uses === 0 ? undefined : `${uses} times`],
    ['taken', imported],
  ];
  return rows.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]));
}

/** Everything about one memory, its text last. */
export function renderMemory(memory: Memory, style: Style): string {
  const rows: [name: string, value: string][] = [
    ['memory', String(memory.id)],
    ['kind', memory.kind],
    ['holds in', memory.project ?? 'every project'],
    ['stored by', memory.origin === 'auto' ? 'chitta' : memory.origin],
    ['status', memory.status + (memory.supersededBy === undefined ? '' : ` by ${memory.supersededBy}`)],
    ['created', new Date(memory.createdMs).toISOString()],
    ...memory.sourceIds.map((id): [string, string] => ['from', id]),
    ...knownRows(memory),
  ];
  const head = rows.map(([name, value]) => `${style.paint('dim', name.padEnd(9))}  ${sanitizeLine(value)}\n`).join('');
  return `${head}\n${sanitize(memory.text)}\n`;
}

/** What is stored and how large it is. */
export function renderMemoryStats({
  memories,
  vectors,
  turns,
  episodes,
  prompts,
  bytes,
  spoolBytes,
}: MemoryStats): string {
  const share = prompts.seen === 0 ? 0 : (100 * prompts.injected) / prompts.seen;
  const rows: [name: string, value: string][] = [
    ['memories', `${memories.active} active, ${memories.superseded} superseded, ${memories.archived} archived`],
    ...vectors.map(({ model, count }): [string, string] => ['vectors', `${count} of ${sanitizeLine(model)}`]),
    ['turns', String(turns)],
    ['episodes', String(episodes)],
    [
      'prompts',
      `${prompts.seen} seen, ${prompts.injected} (${share.toFixed(1)}%) with something put in, ${prompts.tokens} tokens in all`,
    ],
    ['size', `${(bytes / 1e6).toFixed(1)} MB`],
  ];
  if (spoolBytes > 0) rows.push(['waiting', `${spoolBytes} bytes to be taken in`]);
  return rows.map(([name, value]) => `${name.padEnd(8)}  ${value}\n`).join('');
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Projects that are named one by one. */
const MAX_PROJECTS = 5;

/** What takes the room, what came lately, and whose it is. */
export function renderUsage({ room, growth, projects, cacheBytes }: MemoryUsage): string {
  const parts = Object.entries(room).map(([what, bytes]) => `${what} ${megabytes(bytes)}`);
  const others = projects.slice(MAX_PROJECTS);
  const rows: [name: string, value: string][] = [
    ['of it', parts.join(', ')],
    ...(cacheBytes === 0 ? [] : [['beside', `${megabytes(cacheBytes)} of cached vectors`] satisfies [string, string]]),
    ...growth.map(({ days, turns, memories, bytes }): [string, string] => [
      `${days} days`,
      `${turns} turns (${megabytes(bytes)} of text), ${memories} memories`,
    ]),
    ...projects
      .slice(0, MAX_PROJECTS)
      .map(({ project, turns, memories, bytes }): [string, string] => [
        'project',
        `${turns} turns, ${memories} memories, ${megabytes(bytes)} of text: ${sanitizeLine(project ?? 'every project')}`,
      ]),
  ];
  if (others.length > 0) {
    const bytes = others.reduce((sum, one) => sum + one.bytes, 0);
    rows.push(['others', `${others.length} more projects, ${megabytes(bytes)} of text: --json names them`]);
  }
  return rows.map(([name, value]) => `${name.padEnd(8)}  ${value}\n`).join('');
}

/** What happened to a forgotten memory. */
export function forgottenNotes(id: number, { erased, removedFiles }: Forgotten): string[] {
  return [
    `memory ${id} is forgotten`,
    ...removedFiles.map((name) => `${name} was deleted: it may have held the same text`),
    ...(erased ? [] : ['another process still reads the old state; the last bytes go when it is done']),
  ];
}

/** Adds `chitta memory add|list|search|show|forget|stats|export|import`. */
export function addMemoryCommand(program: Command, ctx: CommandContext): void {
  const style = (): Style => styleFor(ctx.stdout, ctx.env);
  const list = async (memories: readonly Memory[]): Promise<void> => {
    const { lines, cut } = listingOf(rowsOf(memories), style());
    await ctx.print(lines);
    if (cut) ctx.note('chitta: lines are cut; the whole: chitta memory show ID');
  };
  const json = (): Promise<typeof import('../actions/memory-json.ts')> => import('../actions/memory-json.ts');

  const memory = program
    .command('memory')
    .summary('store, find and forget what is remembered')
    .description(
      'Store, find and forget what is remembered. What a memory already holds is cheap to drop from a context.',
    )
    .addHelpText(
      'after',
      `
Examples:
  chitta memory add "the dev server listens on port 8080"
  chitta memory add --global --kind preference "answer in English"
  chitta memory search port
  chitta memory forget 12
`,
    );
  memory
    .command('add')
    .description('Store a memory. Secrets in it are masked.')
    .argument('<TEXT>', 'what to remember, a sentence')
    .addOption(new Option('--kind <KIND>', 'what kind of memory').choices(KINDS))
    .option('--global', 'for every project, not only this one')
    .option('--json', 'print JSON')
    .action(async (text: string, options: { kind?: string; global?: true; json?: true }) => {
      const { remember } = await import('../actions/remember.ts');
      const { memory: stored, added } = await withMemory(ctx, async (store, app) => {
        const project = options.global ? undefined : app.project;
        const asked = { text, kind: options.kind, project, origin: 'person', deadlineMs: COMMAND_MS } as const;
        const stored = await remember(store, asked);
        // Any question has the daemon look for memories without vectors: the next compaction should know this one.
        if (stored.added) await app.findSimilar(text, project, 1, NUDGE_MS);
        return stored;
      });
      if (options.json) return printJson(ctx, { added, ...(await json()).memoryJson(stored) });
      await ctx.print(`${stored.id}\n`);
      return ctx.note(`chitta: memory ${stored.id} ${added ? 'is stored' : 'was there already'}`);
    });
  memory
    .command('list', { isDefault: true })
    .description('List the memories of this project and those for every project, newest first.')
    .option('--all', 'of all projects, superseded ones too')
    .option('--limit <N>', `at most so many (default ${DEFAULT_LIMIT})`, wholeNumber)
    .option('--json', 'print JSON')
    .action(async (options: { all?: true; limit?: number; json?: true }) => {
      const limit = options.limit ?? DEFAULT_LIMIT;
      const memories = await withMemory(ctx, (store, { project }) =>
        store.memories(
          options.all ? { project: { all: true }, limit } : { project, status: 'active', limit },
          COMMAND_MS,
        ),
      );
      if (options.json) return printJson(ctx, { memories: memories.map((await json()).memoryJson) });
      if (memories.length === 0) ctx.note('chitta: nothing is remembered here yet; chitta memory add TEXT');
      return list(memories);
    });
  memory
    .command('search')
    .description('Find memories by words and, with the daemon, by meaning.')
    .argument('<QUERY...>', 'what to look for')
    .option('--limit <N>', `at most so many (default ${DEFAULT_HITS})`, wholeNumber)
    .option('--json', 'print JSON')
    .action(async (words: string[], options: { limit?: number; json?: true }) => {
      const limit = options.limit ?? DEFAULT_HITS;
      const result = await recallNoted(ctx, { query: words.join(' '), limit, memoriesOnly: true });
      if (options.json) return printJson(ctx, (await json()).recallJson(result));
      if (result.found.length === 0) ctx.note('chitta: nothing found');
      return list(result.found.flatMap((one) => (one.kind === 'memory' ? [one.memory] : [])));
    });
  memory
    .command('show')
    .description('Print everything about one memory.')
    .argument('<ID>', 'its number', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (id: number, options: { json?: true }) => {
      const { memoryById } = await import('../actions/memory.ts');
      const found = await withMemory(ctx, (store) => memoryById(store, id, COMMAND_MS));
      if (options.json) return printJson(ctx, (await json()).memoryJson(found));
      return ctx.print(renderMemory(found, style()));
    });
  memory
    .command('forget')
    .description('Remove a memory, its vectors and its bytes, from copies of the database too.')
    .argument('<ID>', 'its number', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (id: number, options: { json?: true }) => {
      const [{ forgetMemory, memoryById }, { forgetVector }] = await Promise.all([
        import('../actions/memory.ts'),
        import('../wiring/purge.ts'),
      ]);
      const forgotten = await withMemory(ctx, async (store, { home }) => {
        const { text } = await memoryById(store, id, COMMAND_MS);
        const gone = await forgetMemory(store, id, COMMAND_MS);
        await forgetVector(home, text);
        return gone;
      });
      const { erased, removedFiles } = forgotten;
      if (options.json) return printJson(ctx, { id, forgotten: true, erased, removed_files: removedFiles });
      for (const note of forgottenNotes(id, forgotten)) ctx.note(`chitta: ${note}`);
    });
  memory
    .command('stats')
    .description('Print what is stored and how large it is.')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) => {
      const [stats, usage] = await withMemory(ctx, async (store) => [
        await store.stats(COMMAND_MS),
        await store.usage(COMMAND_MS),
      ]);
      if (options.json) return printJson(ctx, (await json()).statsJson(stats, usage));
      return ctx.print(renderMemoryStats(stats) + renderUsage(usage));
    });
  addTransferCommands(memory, ctx);
}
