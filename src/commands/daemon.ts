/** `chitta daemon`: the background process that keeps the embedding model warm. Commands work without it; they know less then. */
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { DaemonPort } from '../actions/daemon.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import { writeTo } from '../terminal/streams.ts';
import { type Style, styleFor } from '../terminal/style.ts';
import type { CommandContext, Output } from './context.ts';
import { printJson } from './json.ts';

type Status = Awaited<ReturnType<DaemonPort['status']>>;

const DEFAULT_IDLE_MIN = 30;
const MINUTE_MS = 60_000;

/** Minutes, above zero. */
export function minutes(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 100_000) return value;
  throw new InvalidArgumentError('It must be a number of minutes above 0.');
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

function megabytes(bytes: unknown): string {
  return `${(Number(bytes) / 1e6).toFixed(1)} MB`;
}

function queueWords(queue: unknown): string {
  const counts = typeof queue === 'object' && queue !== null ? Object.entries(queue) : [];
  const waiting = counts.filter(([, count]) => Number(count) > 0).map(([kind, count]) => `${count} ${kind}`);
  return waiting.length === 0 ? 'nothing to do' : waiting.join(', ');
}

/** What a person sees: whether it runs, and then how it does. */
export function renderStatus(status: Status, socket: string, style: Style): string {
  if (!status.running) {
    const why = status.reason === 'none' ? '' : `: ${sanitizeLine(status.detail)}`;
    return `${style.paint('yellow', 'not running')}${why}\n${style.paint('dim', `socket  ${sanitizeLine(socket)}`)}\n`;
  }
  const { fields } = status;
  const followed = Array.isArray(fields['followed']) ? fields['followed'].map(String) : [];
  const rows: [string, string][] = [
    ['process', String(fields['pid'])],
    ['version', String(fields['build'])],
    ['model', String(fields['model'])],
    ['up', duration(Number(fields['uptime_ms']))],
    ['memory', megabytes(fields['rss_bytes'])],
    ['cache', megabytes(fields['cache_bytes'])],
    ['queue', queueWords(fields['queue'])],
    ['requests', String(fields['requests'])],
    ['socket', socket],
    ...followed.map((path): [string, string] => ['follows', path]),
  ];
  const lines = rows.map(([name, value]) => `${style.paint('dim', name.padEnd(8))}  ${sanitizeLine(value)}\n`);
  const state = fields['state'] === 'ready' ? 'running' : 'running, the model is still being loaded';
  return `${style.paint('green', state)}\n${lines.join('')}`;
}

/** The status as JSON: `running`, and the daemon's own fields or the reason why there is none. */
export function statusJson(status: Status, socket: string): Record<string, unknown> {
  if (status.running) return { running: true, ...status.fields, socket };
  return { running: false, reason: status.reason, detail: status.detail, socket };
}

/** One line on a terminal that is drawn over and over; nothing elsewhere. */
function progressOn(stderr: Output): { draw: (text: string) => void; end: () => void } {
  if (stderr.isTTY !== true) return { draw: () => undefined, end: () => undefined };
  let drawn = '';
  const put = (text: string): void => void writeTo(stderr, text).catch(() => undefined);
  return {
    draw: (text) => {
      if (text !== drawn) put(`\r${text.padEnd(drawn.length)}`);
      drawn = text;
    },
    end: () => {
      if (drawn !== '') put(`\r${' '.repeat(drawn.length)}\r`);
    },
  };
}

const starting = (tookMs: number): string => `starting the daemon, ${Math.floor(tookMs / 1_000)} s`;

const EXAMPLES = `
Examples:
  chitta daemon status                     is it running, with which model, what does it do
  chitta daemon warm session.jsonl         embed the newest turns of a session ahead of time
  chitta daemon stop                       it starts again by itself when it is needed
  chitta daemon run --idle-min 5           in the foreground, to see what it does
`;

/** Adds `chitta daemon run|start|stop|status|warm`; without a word it is `status`. */
export function addDaemonCommand(program: Command, ctx: CommandContext): void {
  const open = async (): Promise<DaemonPort> => (await ctx.openApp()).openDaemon();
  const daemon = program
    .command('daemon')
    .summary('see, start and stop the process that keeps the model warm')
    .description('See, start and stop the background process that keeps the embedding model warm.')
    .addHelpText('after', EXAMPLES);

  daemon
    .command('status', { isDefault: true })
    .description('Print whether it is running and what it does. Exit code 0 either way.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const port = await open();
      const status = await port.status();
      if (json) return printJson(ctx, statusJson(status, port.socket));
      return ctx.print(renderStatus(status, port.socket, styleFor(ctx.stdout, ctx.env)));
    });

  daemon
    .command('start')
    .description('Start it, and wait until it is ready.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { startAndWait } = await import('../actions/daemon.ts');
      const progress = progressOn(ctx.stderr);
      const state = await startAndWait(await open(), (tookMs) => progress.draw(starting(tookMs))).finally(progress.end);
      if (json) return printJson(ctx, { state });
      return ctx.print(state === 'ready' ? 'the daemon is ready\n' : 'the daemon was running already\n');
    });

  daemon
    .command('stop')
    .description('Tell it to end, and wait until it is gone. It finishes what it has.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { stopAndWait } = await import('../actions/daemon.ts');
      const state = await stopAndWait(await open());
      if (json) return printJson(ctx, { state });
      return ctx.print(state === 'stopped' ? 'the daemon has ended\n' : 'there was no daemon\n');
    });

  daemon
    .command('warm')
    .description('Embed the newest turns of a transcript ahead of time. Starts the daemon if need be.')
    .argument('<FILE>', 'a transcript of Claude Code (JSONL)')
    .option('--json', 'print JSON')
    .action(async (file: string, { json }: { json?: true }) => {
      const { warmTranscript } = await import('../actions/daemon.ts');
      const progress = progressOn(ctx.stderr);
      const result = await warmTranscript(
        await open(),
        file,
        (tookMs) => progress.draw(starting(tookMs)),
        (done, total) => progress.draw(`${done} of ${total} turns`),
      ).finally(progress.end);
      return json ? printJson(ctx, result) : ctx.print(`${result.done} turns are embedded\n`);
    });

  daemon
    .command('run')
    .description('Run it here, until it is idle for long, told to stop, or interrupted.')
    .option('--idle-min <N>', 'minutes without work after which it ends', minutes, DEFAULT_IDLE_MIN)
    .option('--follow <FILE>', 'a transcript to embed while it is written; it need not be there yet')
    .action(async ({ idleMin, follow }: { idleMin: number; follow?: string }) => {
      const { runHere } = await import('../actions/daemon.ts');
      const isWatched = ctx.stderr.isTTY === true;
      const say = (line: string): void => (isWatched ? ctx.note(`chitta: ${sanitizeLine(line)}`) : undefined);
      const port = await open();
      const how = await runHere(port, {
        idleMs: idleMin * MINUTE_MS,
        follow: follow === undefined ? undefined : resolve(ctx.cwd, follow),
        onReady: () => say(`the daemon is ready at ${port.socket}`),
        onLog: say,
      });
      if (how === 'busy') say('another daemon is running already');
    });
}
