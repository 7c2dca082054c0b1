/** `chitta hook`: its help only. Hooks start on every event, so `cli.ts` answers them before commander is loaded. */
import type { Command } from 'commander';

export function addHookCommand(program: Command): void {
  program
    .command('hook')
    .summary('answer an event of Claude Code')
    .description('Answer an event of Claude Code: its JSON on standard input, words for the host on standard output.')
    .usage('<event>')
    .argument('<event>', 'one of the events below')
    .addHelpText(
      'after',
      `
Events:
  session-start        directives and charter; after a compaction, what a summary is likely to have lost
  user-prompt-submit   what is known of the names in a prompt, and memories about it; most often nothing
  pre-compact          what the summary must keep, before a compaction
  post-compact         notes what the summary lost
  stop, subagent-stop  archive what was said
  session-end          the same, by the spool

Always exits 0, also on an unknown event: to Claude Code, another code would block what it is doing.

Examples:
  chitta hook pre-compact < event.json             the instructions for the summary
  CHITTA_DISABLE=1 chitta hook pre-compact         nothing: hooks are switched off
  CHITTA_PRIVATE=1 claude                          a session of which nothing is stored
`,
    );
}
