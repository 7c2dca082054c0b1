/** Names that the work is about now, to look for them in a memory. */
import type { MessageView } from '../messages/types.ts';
import { inputText } from '../messages/search-text.ts';
import { identifiersOf } from './identifiers.ts';

/** Inputs beyond this are file contents more than names. */
const MAX_INPUT_CHARS = 2_000;

/**
 * Up to `max` identifiers that people and the agent used, newest first, each once; what tools printed is left out. Reads backwards
 * and stops when it has enough.
 */
export function namesInUse(views: readonly MessageView[], max: number): readonly string[] {
  const names = new Set<string>();
  for (let index = views.length - 1; index >= 0 && names.size < max; index--) {
    const view = views[index]!;
    if (view.results.length > 0 || (view.role !== 'user' && view.role !== 'assistant')) continue;
    const texts = [view.text, ...view.calls.map(({ input }) => inputText(input).slice(0, MAX_INPUT_CHARS))];
    for (const line of texts.join('\n').split('\n')) {
      for (const { key, isPart } of identifiersOf(line)) if (!isPart && names.size < max) names.add(key);
    }
  }
  return [...names];
}
