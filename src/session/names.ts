/** Names that turns set in backticks: identifiers, options, branches, numbers that must not be paraphrased. */
import { quoteLine } from './quote.ts';

const MIN_NAME_CHARS = 2;
const MAX_NAME_CHARS = 60;

/** What stands between two backticks of one line, outside of code blocks. */
function backticked(text: string): Set<string> {
  const names = new Set<string>();
  let inFence = false;
  for (const line of text.split('\n')) {
    if (line.trimStart().startsWith('```')) {
      inFence = !inFence;
      continue;
    }
    if (inFence || !line.includes('`')) continue;
    const parts = line.split('`');
    // Every second part is inside; the last one has no closing backtick.
    for (let i = 1; i < parts.length - 1; i += 2) {
      const name = parts[i]?.trim() ?? '';
      if (name.length >= MIN_NAME_CHARS && name.length <= MAX_NAME_CHARS) names.add(name);
    }
  }
  return names;
}

/** The `max` names that occur in most texts; equals in the order in which they came. Masked. */
export function namesIn(texts: readonly string[], max: number): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const name of backticked(text)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, max)
    .map(([name]) => quoteLine(name, MAX_NAME_CHARS));
}
