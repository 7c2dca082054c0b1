/** Names that turns set in backticks: identifiers, options, branches, numbers that must not be paraphrased. */
import { quoteLine } from './quote.ts';

const IN_BACKTICKS = /`([^`\n]{2,60})`/g;
const MAX_NAME_CHARS = 60;

/** The `max` names that occur in most texts; equals in the order in which they came. Masked. */
export function namesIn(texts: readonly string[], max: number): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const names = new Set<string>();
    for (const [, name] of text.matchAll(IN_BACKTICKS)) if (name !== undefined) names.add(name.trim());
    for (const name of names) if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, max)
    .map(([name]) => quoteLine(name, MAX_NAME_CHARS));
}
