/** `chitta hook`: its help only. Hooks start on every event, so `cli.ts` answers them before commander is loaded. */
import type { Command } from 'commander';

export function addHookCommand(program: Command): void {
  program
    .command('hook')
    .summary('answer an event of Claude Code')
    .description('Answer an event of Claude Code: its JSON on standard input, words for the host on standard output.')
    .usage('<event>')
    .argument('<event>', 'pre-compact: what the summary must keep, before a compaction')
    .addHelpText(
      'after',
      `
Always exits 0, also on an unknown event: to Claude Code, another code would block what it is doing.

Examples:
  chitta hook pre-compact < event.json             the instructions for the summary
  CHITTA_DISABLE=1 chitta hook pre-compact         nothing: hooks are switched off
`,
    );
}
