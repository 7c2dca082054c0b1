/** Names from files and command lines that may be wrong: what was probably meant, and how to print them. */
import { SETTINGS } from './table.ts';

/** Longer names are no misspelling of ours, and would cost time. */
const MAX_NAME = 64;

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const swap = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(swap, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

function snakeCase(name: string): string {
  return name
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .replaceAll('-', '_')
    .toLowerCase();
}

/** The setting that a wrong key comes nearest to, if any is near: at most a third of its letters differ. */
export function nearestKey(key: string): string | undefined {
  if (key.length > MAX_NAME) return undefined;
  const meant = snakeCase(key);
  const ranked = SETTINGS.map((setting) => ({ key: setting.key, distance: editDistance(meant, setting.key) }));
  const [best] = ranked.sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.ceil(best.key.length / 3) ? best.key : undefined;
}

/** A name for a message, in quotes: cut, and everything but printable ASCII escaped, since it may come from a stranger's file. */
export function quoted(name: string): string {
  const cut = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  return JSON.stringify(cut).replace(/[^ -~…]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** What to say about a key that is no setting. */
export function unknownKey(key: string): string {
  const nearest = nearestKey(key);
  return `${quoted(key)} is not a setting${nearest === undefined ? '' : `; did you mean "${nearest}"?`}`;
}
