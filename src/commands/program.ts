/** The command line as commander knows it: all commands, one layout for help, and usage errors in our own words. */
import { Command, CommanderError, type Help } from 'commander';
import { ChittaError } from '../errors.ts';
import { addCompactCommand } from './compact.ts';
import { addConfigCommand } from './config.ts';
import type { CommandContext } from './context.ts';
import { addDaemonCommand } from './daemon.ts';
import { addDigestCommand } from './digest.ts';
import { addDirectivesCommand } from './directives.ts';
import { addDoctorCommand } from './doctor.ts';
import { addEpisodesCommand } from './episodes.ts';
import { addEvaluateCommand } from './evaluate.ts';
import { addHotCommand } from './hot.ts';
import { addIngestCommand } from './ingest.ts';
import { addInstallCommand, addUninstallCommand } from './install.ts';
import { addMcpCommand } from './mcp.ts';
import { addMemoryCommand } from './memory.ts';
import { addModelCommand } from './model.ts';
import { addPurgeCommand } from './purge.ts';
import { addRecallCommand } from './recall.ts';
import { addSearchCommand } from './search.ts';
import { addSetupCommand } from './setup.ts';
import { addShapeCommand } from './shape.ts';
import { addShowCommand } from './show.ts';
import { addHookCommand } from './hook.ts';
import { addSummarizeCommand } from './summarize.ts';
import { addTranscriptCommand } from './transcript.ts';
import { addWhyCommand } from './why.ts';

const DESCRIPTION = 'Keep the turns of a coding agent that matter, verbatim, within a budget.';

const EXAMPLES = `
Examples:
  chitta compact session.jsonl                     what would stay, as bars
  chitta compact - --json < messages.json          messages in, survivors out
  echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | chitta
                                                   JSON-RPC 2.0 on standard input, without arguments
`;

/** A block of terms with their descriptions in one column. */
function section(title: string, rows: readonly (readonly [term: string, description: string])[]): string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(([term]) => term.length));
  return ['', `${title}:`, ...rows.map(([term, description]) => `  ${term.padEnd(width)}  ${description}`.trimEnd())];
}

/** Purpose first, then how it is called. Examples follow by `addHelpText('after', …)`. */
function formatHelp(command: Command, helper: Help): string {
  const described = helper.commandDescription(command);
  const commands = helper.visibleCommands(command).map((one): [string, string] => {
    return [helper.subcommandTerm(one), helper.subcommandDescription(one)];
  });
  const options = helper.visibleOptions(command).map((one): [string, string] => {
    return [helper.optionTerm(one), helper.optionDescription(one)];
  });
  const lines = [
    ...(described === '' ? [] : [described, '']),
    `Usage: ${helper.commandUsage(command)}`,
    ...section(
      'Arguments',
      helper.visibleArguments(command).map((one) => [helper.argumentTerm(one), helper.argumentDescription(one)]),
    ),
    ...section('Options', options),
    ...section('Commands', commands),
  ];
  return `${lines.join('\n')}\n`;
}

/** commander's message in our words; what it suggests becomes the hint. */
function usageError(error: CommanderError, program: Command, argv: readonly string[]): ChittaError {
  const [first = '', ...rest] = error.message.split('\n');
  const suggestion = /\(Did you mean (?:one of )?(.+)\?\)/.exec(rest.join(' '))?.[1];
  const command = program.commands.find((one) => argv.includes(one.name()));
  const called = command === undefined ? 'chitta' : `chitta ${command.name()}`;
  const meant = error.code === 'commander.unknownCommand' ? `${called} ${suggestion}` : suggestion;
  return new ChittaError('E_USAGE', first.replace(/^error: /, ''), {
    hint: suggestion === undefined ? `${called} --help` : `${meant}, or ${called} --help for all there is`,
  });
}

function build(ctx: CommandContext, version: string): Command {
  const program = new Command('chitta')
    .description(DESCRIPTION)
    .usage('<command> [options]')
    .version(version, '--version', 'print the version')
    .option('--debug', 'print stacks with errors (also: CHITTA_DEBUG=1)')
    .helpOption('-h, --help', 'print this')
    .helpCommand('help [command]', 'print the help of a command')
    .configureHelp({ formatHelp, subcommandTerm: (command) => command.name() })
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText('after', EXAMPLES);
  // Here, before the commands: they inherit how it is set now.
  program.configureOutput({ outputError: () => undefined });
  addCompactCommand(program, ctx);
  addShapeCommand(program, ctx);
  addTranscriptCommand(program, ctx);
  addHookCommand(program);
  addMemoryCommand(program, ctx);
  addRecallCommand(program, ctx);
  addSearchCommand(program, ctx);
  addShowCommand(program, ctx);
  addEpisodesCommand(program, ctx);
  addWhyCommand(program, ctx);
  addDirectivesCommand(program, ctx);
  addDigestCommand(program, ctx);
  addHotCommand(program, ctx);
  addIngestCommand(program, ctx);
  addPurgeCommand(program, ctx);
  addSummarizeCommand(program, ctx);
  addEvaluateCommand(program, ctx);
  addDaemonCommand(program, ctx);
  addModelCommand(program, ctx);
  addMcpCommand(program, ctx);
  addConfigCommand(program, ctx);
  addDoctorCommand(program, ctx);
  addInstallCommand(program, ctx);
  addSetupCommand(program, ctx);
  addUninstallCommand(program, ctx);
  return program;
}

/** Runs one command line. Rejects with E_USAGE for what it does not understand, and with whatever the command throws. */
export async function runProgram(argv: readonly string[], ctx: CommandContext, version: string): Promise<void> {
  const program = build(ctx, version);
  let out = '';
  let err = '';
  const collect = { writeOut: (text: string) => void (out += text), writeErr: (text: string) => void (err += text) };
  for (const command of withSubcommands(program)) command.configureOutput(collect);
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help that was asked for is no error; help that stands in for a missing command is one.
    if (error.exitCode === 0) return;
    throw error.code === 'commander.help'
      ? new ChittaError('E_USAGE', 'a command is missing', { hint: 'one of the commands above' })
      : usageError(error, program, argv);
  } finally {
    if (err !== '') ctx.note(err.trimEnd());
    if (out !== '') await ctx.print(out);
  }
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
