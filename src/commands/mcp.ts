/** `chitta mcp`: what an MCP client starts. The server itself is an edge of its own; the process hands it in. */
import { statSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from './context.ts';

/** A misspelt folder would be a project of its own, in which nothing is remembered. */
function folder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new InvalidArgumentError('There is no such folder.');
}

/** Adds `chitta mcp`. */
export function addMcpCommand(program: Command, ctx: CommandContext): void {
  program
    .command('mcp')
    .summary('serve tools and resources to an MCP client')
    .description(
      'Serve tools and resources to an MCP client, over standard input and output, until the client is gone.',
    )
    .option('--project <FOLDER>', 'the folder that is worked in (default: as the client says)', folder)
    .addHelpText(
      'after',
      `
A client starts it; in Claude Code the plugin does. Nothing but the protocol is on standard output.

Examples:
  chitta mcp --project ~/work/parser
  claude mcp add chitta -- chitta mcp
  npx @modelcontextprotocol/inspector --cli chitta mcp --method tools/list
`,
    )
    .action(({ project }: { project?: string }) => ctx.serveMcp(project));
}
