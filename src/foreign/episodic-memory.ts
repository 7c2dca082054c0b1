/**
 * The index of episodic-memory: exchanges of past sessions, word for word. They go into the archive of turns, a prompt and an answer
 * each. Columns that older versions lack are not needed.
 */
import { isAbsolute } from 'node:path';
import { projectRoot } from '../platform/project.ts';
import { handleOf } from '../messages/handle.ts';
import type { ArchivedTurn } from '../ports/turns.ts';
import type { ImportEntry } from '../ports/transfer.ts';
import { estimateTokens } from '../tokens/text.ts';
import { cellText, columnsOf, openForeign, rowsOf } from './database.ts';

type Row = Readonly<Record<string, unknown>>;

/** The name of a folder of transcripts, as the host makes it of a working directory. */
function folderNameOf(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9]/g, '-');
}

/** Which project an exchange belongs to: that of its working directory, else this one if the name of its folder says so. */
function projectOf(row: Row, here: string): string | undefined {
  const cwd = cellText(row, 'cwd');
  if (cwd !== undefined && isAbsolute(cwd) && !cwd.includes('\0')) return projectRoot(cwd);
  return cellText(row, 'project') === folderNameOf(here) ? here : undefined;
}

function turnOf(row: Row, role: 'user' | 'assistant', project: string): ArchivedTurn[] {
  const text = cellText(row, `${role}_message`);
  if (text === undefined) return [];
  const uuid = `episodic-memory:${String(row['id'])}:${role}`;
  const handle = handleOf({ role, content: text, uuid });
  const session = cellText(row, 'session_id');
  return [{ handle, session, project, uuid, role, text, tokens: estimateTokens(text), left: true }];
}

/** Exchanges of every project that is named by its working directory; of those without one, only this project's. */
export async function* episodicMemoryEntries(path: string, here: string): AsyncGenerator<ImportEntry> {
  const db = await openForeign(path, ['exchanges']);
  try {
    const order = columnsOf(db, 'exchanges').has('timestamp') ? 'timestamp, rowid' : 'rowid';
    for (const row of rowsOf(db, `SELECT * FROM exchanges ORDER BY ${order}`)) {
      const at = `exchange ${String(row['id'])}`;
      if (row['is_sidechain'] === 1) continue;
      const project = projectOf(row, here);
      if (project === undefined) {
        yield { at, elsewhere: true };
        continue;
      }
      const turns = [...turnOf(row, 'user', project), ...turnOf(row, 'assistant', project)];
      yield turns.length === 0 ? { at, problem: 'it holds no text' } : { at, turns };
    }
  } finally {
    db.close();
  }
}
