/** `chitta doctor`: looks over the installation and says what to do. */
import type { Command } from 'commander';
import type { DoctorReport } from '../actions/doctor.ts';
import type { Check } from '../ports/check.ts';
import { sanitize } from '../terminal/sanitize.ts';
import { type Look, type Style, styleFor } from '../terminal/style.ts';
import type { CommandContext } from './context.ts';

const LOOKS: Readonly<Record<Check['state'], Look>> = { ok: 'green', warn: 'yellow', fail: 'red' };

function verdict({ ok, checks }: DoctorReport): string {
  const failed = checks.filter(({ state }) => state === 'fail').length;
  const warned = checks.filter(({ state }) => state === 'warn').length;
  if (!ok) return `${failed} of ${checks.length} checks failed`;
  return warned === 0 ? 'all is well' : `works, with ${warned} ${warned === 1 ? 'warning' : 'warnings'}`;
}

/** One line per check, further lines of its detail and what to do indented below it, and a verdict. */
export function renderReport(report: DoctorReport, style: Style): string {
  const nameWidth = Math.max(...report.checks.map(({ name }) => name.length));
  const indent = ' '.repeat('warn'.length + nameWidth + 4);
  const lines = report.checks.flatMap(({ name, state, detail, fix }) => {
    const [first = '', ...more] = sanitize(detail).split('\n');
    const head = `${style.paint(LOOKS[state], state.padEnd(4))}  ${name.padEnd(nameWidth)}  ${first}`;
    const rest = [...more, ...(fix === undefined ? [] : [style.paint('bold', `→ ${sanitize(fix)}`)])];
    return [head, ...rest.map((line) => indent + line)];
  });
  return `${lines.join('\n')}\n\n${verdict(report)}\n`;
}

/** The report as JSON. */
export function reportJson({ ok, checks }: DoctorReport): string {
  return `${JSON.stringify({ ok, checks }, null, 2)}\n`;
}

/** Adds `chitta doctor`. Exit code 1 only if a check failed. */
export function addDoctorCommand(program: Command, ctx: CommandContext): void {
  program
    .command('doctor')
    .summary('look over the installation')
    .description(
      'Look over the installation: folders, settings, native packages, Claude Code, the log. Changes nothing.',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  chitta doctor\n  chitta doctor --json | jq \'.checks[] | select(.state != "ok")\'\n',
    )
    .action(async ({ json }: { json?: true }) => {
      const report = await (await ctx.openApp()).doctor();
      await ctx.print(json ? reportJson(report) : renderReport(report, styleFor(ctx.stdout, ctx.env)));
      // Only a failed check: the command itself has done its work.
      if (!report.ok) process.exitCode = 1;
    });
}
