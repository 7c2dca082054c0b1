/** Directives as lines for people. */
import type { StoredDirective } from '../ports/ledger.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import type { ListRow } from './listing.ts';

/** Minutes, UTC. */
function minute(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

// What was purged leaves its place in the ledger.
function wordsOf({ text, status }: StoredDirective): string {
  return text === '' && status !== 'removed' ? '(removed)' : text;
}

function scopeOf({ project }: StoredDirective): string {
  return project === undefined ? 'everywhere' : 'project';
}

function idWidthOf(entries: readonly StoredDirective[]): number {
  return entries.reduce((width, { id }) => Math.max(width, String(id).length), 0);
}

/** What the entry says, and about which other. */
function whatOf({ status, replaces, successor }: StoredDirective): string {
  const about = replaces === undefined ? status : `${status} ${replaces}`;
  return successor === undefined ? about : `${about} by ${successor}`;
}

/** Number, and where the directive holds, and until when. */
export function rowsOf(entries: readonly StoredDirective[]): ListRow[] {
  const idWidth = idWidthOf(entries);
  return entries.map((entry) => {
    const until = entry.expiresMs === undefined ? '' : `until ${minute(entry.expiresMs)}  `;
    return {
      head: `${String(entry.id).padStart(idWidth)}  ${scopeOf(entry).padEnd(10)}  ${until}`,
      text: wordsOf(entry),
    };
  });
}

/** Number, and where the rule was said. */
export function proposalRows(entries: readonly StoredDirective[]): ListRow[] {
  const idWidth = idWidthOf(entries);
  return entries.map((entry) => {
    const where = entry.source ?? (entry.who === 'model' ? 'by the model' : '');
    return { head: `${String(entry.id).padStart(idWidth)}  proposed    ${where.padEnd(8)}  `, text: wordsOf(entry) };
  });
}

/** Entries of the ledger: number, what each says, and where it holds. */
export function ledgerRows(entries: readonly StoredDirective[]): ListRow[] {
  const idWidth = idWidthOf(entries);
  return entries.map((entry) => ({
    head: `${String(entry.id).padStart(idWidth)}  ${whatOf(entry).padEnd(12)}  ${scopeOf(entry).padEnd(10)}  `,
    text: wordsOf(entry),
  }));
}

const WHO: Readonly<Record<StoredDirective['who'], string>> = {
  person: 'a person',
  model: 'the model',
  rule: 'a rule of chitta',
};

/** The entries about one directive: when, what, who, and from where. */
export function renderHistory(entries: readonly StoredDirective[]): string {
  return entries
    .map((entry) => {
      const { id, createdMs, who, session, source, expiresMs } = entry;
      const facts = [
        `${minute(createdMs)} UTC`,
        `by ${WHO[who]}`,
        ...(session === undefined ? [] : [`session ${session}`]),
        ...(source === undefined ? [] : [`turn ${source}`]),
        ...(expiresMs === undefined ? [] : [`until ${minute(expiresMs)} UTC`]),
      ];
      const words = wordsOf(entry);
      const text = words === '' ? '' : `    ${sanitizeLine(words)}\n`;
      return `${id}  ${whatOf(entry)}, ${sanitizeLine(facts.join(', '))}\n${text}`;
    })
    .join('');
}
