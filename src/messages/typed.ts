/** Tells what a person typed from what a harness put into a user message. */
import { isMark, stripMarks } from './marks.ts';
import { isResultBlock } from './view.ts';
import type { Message } from './types.ts';

/** Tags that Claude Code wraps around text of its own; the text between them was not typed as a prompt. */
const MACHINE_TAGS = [
  'command-name',
  'command-message',
  'command-args',
  'command-contents',
  'local-command-stdout',
  'local-command-stderr',
  'local-command-caveat',
  'bash-input',
  'bash-stdout',
  'bash-stderr',
  'task-notification',
  'ide_opened_file',
  'ide_selection',
  'ide_diagnostics',
  'system-reminder',
  'user-prompt-submit-hook',
  'new-diagnostics',
  'persisted-output',
] as const;

/** How a host or chitta opens the summary that stands for the turns before it. */
const SUMMARY_OPENINGS = [
  'This session is being continued from a previous conversation',
  '[CONVERSATION SUMMARY',
] as const;

/** Openings of whole texts written by the harness: interrupts, caveats, summaries, hook feedback, notifications. */
const MACHINE_OPENINGS = [
  '[Request interrupted',
  'Caveat: The messages below',
  ...SUMMARY_OPENINGS,
  'Stop hook feedback',
  'Base directory for this skill',
  '[SYSTEM NOTIFICATION',
  '[Image: original',
] as const;

const HOOK_ECHO = /^[A-Z][A-Za-z]{2,30}(?::[a-z]{1,20})? hook (?:success|additional context|feedback|blocking error)\b/;

/** Cuts tagged machine text off the front, as often as it stands there. */
function withoutLeadingTags(text: string): string {
  let rest = text.trimStart();
  for (let again = true; again;) {
    again = false;
    if (!rest.startsWith('<')) break;
    for (const tag of MACHINE_TAGS) {
      const after = rest[tag.length + 1];
      if (!rest.startsWith(tag, 1) || (after !== '>' && after !== ' ' && after !== '\n')) continue;
      const close = `</${tag}>`;
      const end = rest.indexOf(close);
      // A tag that never closes takes the rest with it.
      if (end < 0) return '';
      rest = rest.slice(end + close.length).trimStart();
      again = true;
      break;
    }
  }
  return rest;
}

function humanPart(text: string): string {
  const rest = withoutLeadingTags(stripMarks(text)).trim();
  if (rest === '' || isMark(rest)) return '';
  if (MACHINE_OPENINGS.some((opening) => rest.startsWith(opening)) || HOOK_ECHO.test(rest)) return '';
  return rest;
}

/** Whether a message is the summary of a compaction. */
export function isSummary(message: Message): boolean {
  if (message['isCompactSummary'] === true) return true;
  if (message.role !== 'user') return false;
  const { content } = message;
  const [first] = Array.isArray(content) ? content : [];
  const text: unknown = typeof content === 'string' ? content : first?.text;
  return typeof text === 'string' && SUMMARY_OPENINGS.some((opening) => text.trimStart().startsWith(opening));
}

/**
 * The human text of a user message: its text without what the harness or chitta put there. Empty for other roles, for
 * messages that hold tool results, and for meta and summary rows.
 */
export function humanText(message: Message): string {
  if (message.role !== 'user' || message['isMeta'] === true || message['isCompactSummary'] === true) return '';
  const { content } = message;
  if (typeof content === 'string') return humanPart(content);
  if (!Array.isArray(content)) return '';
  const parts: string[] = [];
  for (const block of content) {
    if (isResultBlock(block)) return '';
    const text: unknown = block.text;
    const part = typeof text === 'string' ? humanPart(text) : '';
    if (part !== '') parts.push(part);
  }
  return parts.join('\n');
}

/** Whether a person typed this message: it holds human text, and no tool results. */
export function isTypedPrompt(message: Message): boolean {
  return humanText(message) !== '';
}
