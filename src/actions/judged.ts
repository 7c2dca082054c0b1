/** What a compaction decided of single messages, for people who ask later. */
import { searchTextOf } from '../messages/search-text.ts';
import { humanText } from '../messages/typed.ts';
import type { Message, MessageView } from '../messages/types.ts';
import type { Decisions, JudgedTurn } from '../ports/episodes.ts';
import type { Decision } from '../protocol/compact-result.ts';
import { quoteLine } from '../session/quote.ts';

/** Turns told of in each list. */
const MAX_JUDGED = 20;
const MAX_JUDGED_CHARS = 120;

/** Surviving messages, best score first, newer first among equals; what must survive anyway comes by its score too. */
export function bestFirst(decisions: readonly Decision[]): Decision[] {
  return decisions.filter(({ action }) => action !== 'drop').sort((a, b) => b.score - a.score || b.index - a.index);
}

/** Without what a harness alone wrote. */
function judged(
  messages: readonly Message[],
  views: readonly MessageView[],
  decisions: readonly Decision[],
): JudgedTurn[] {
  const said = decisions.filter(({ index }) => {
    const [message, view] = [messages[index], views[index]];
    return view?.role !== 'user' || view.results.length > 0 || (message !== undefined && humanText(message) !== '');
  });
  return said.slice(0, MAX_JUDGED).map(({ index, handle, role, tokens, score, reason, action }) => {
    const view = views[index];
    const line = quoteLine(view === undefined ? '' : searchTextOf(view), MAX_JUDGED_CHARS);
    return { handle, role, tokens, score, reason: action === 'excerpt' ? `${reason}, in part` : reason, line };
  });
}

/** The survivors that weigh most, best first, and what was dropped, newest first. */
export function judgedOf(
  messages: readonly Message[],
  views: readonly MessageView[],
  decisions: readonly Decision[],
): Decisions {
  const dropped = decisions.filter(({ action }) => action === 'drop').toReversed();
  return {
    kept: judged(messages, views, bestFirst(decisions)),
    dropped: judged(messages, views, dropped),
  };
}
