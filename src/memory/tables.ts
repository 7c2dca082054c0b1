/** One open database: its tables, prepared when first used, and what concerns all of them. */
import type Database from 'better-sqlite3';
import { type DirectiveTable, directiveTable } from './directives.ts';
import { type EpisodeTable, episodeTable } from './episodes.ts';
import { type LearnedTable, learnedTable } from './learned.ts';
import { type MemoryTable, memoryTable } from './memories.ts';
import { type SessionTable, sessionTable } from './sessions.ts';
import { type SummaryTable, summaryTable } from './summaries.ts';
import { type TurnTable, turnTable } from './turns.ts';
import { type VectorTable, vectorTable } from './vectors.ts';

export class Tables {
  readonly db: Database.Database;
  #memories: MemoryTable | undefined;
  #learned: LearnedTable | undefined;
  #vectors: VectorTable | undefined;
  #turns: TurnTable | undefined;
  #episodes: EpisodeTable | undefined;
  #directives: DirectiveTable | undefined;
  #sessions: SessionTable | undefined;
  #summaries: SummaryTable | undefined;

  constructor(db: Database.Database) {
    this.db = db;
  }

  get memories(): MemoryTable {
    return (this.#memories ??= memoryTable(this.db));
  }

  get learned(): LearnedTable {
    return (this.#learned ??= learnedTable(this.db, this.memories));
  }

  get vectors(): VectorTable {
    return (this.#vectors ??= vectorTable(this.db));
  }

  get turns(): TurnTable {
    return (this.#turns ??= turnTable(this.db));
  }

  get episodes(): EpisodeTable {
    return (this.#episodes ??= episodeTable(this.db));
  }

  get directives(): DirectiveTable {
    return (this.#directives ??= directiveTable(this.db));
  }

  get sessions(): SessionTable {
    return (this.#sessions ??= sessionTable(this.db, this.memories));
  }

  get summaries(): SummaryTable {
    return (this.#summaries ??= summaryTable(this.db));
  }

  /** Runs writes in one transaction, all or none. It takes the write lock first: a lock taken later cannot be waited for. */
  write<T>(work: () => T): T {
    return this.db.transaction(work).immediate();
  }

  /** Names this database; another one, or one made anew, has another. */
  storeId(): string {
    return String(this.db.prepare('SELECT id FROM store').pluck().get());
  }

  /** Makes the full-text indexes anew from the texts. */
  rebuildIndexes(): void {
    this.write(() => {
      for (const table of ['memories_fts', 'turns_fts']) {
        this.db.exec(`INSERT INTO ${table}(${table}) VALUES ('rebuild')`);
      }
    });
  }

  /**
   * Moves the write-ahead log into the file and empties it, so that what was deleted is in neither. False while
   * somebody still reads an older state.
   */
  checkpoint(waitMs: number): boolean {
    this.db.pragma(`busy_timeout = ${waitMs}`);
    // One row: busy, and two page counts. Typed `unknown` by better-sqlite3's types.
    return Number(this.db.pragma('wal_checkpoint(TRUNCATE)', { simple: true })) === 0;
  }
}
