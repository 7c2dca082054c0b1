/** Archived turns, as the use cases see them. */

/** A turn that leaves the context, kept so that its handle brings it back. As it was said: the store masks secrets. */
export interface ArchivedTurn {
  readonly handle: string;
  readonly session: string | undefined;
  readonly project: string | undefined;
  readonly uuid: string | undefined;
  readonly role: string;
  readonly text: string;
  readonly tokens: number;
  /** It is in the session's context no more. */
  readonly left?: true;
}

export interface StoredTurn extends ArchivedTurn {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly archivedMs: number;
}

/** A turn as an index over what turns mean needs it. */
export interface TurnText {
  readonly id: number;
  readonly role: string;
  readonly text: string;
}

/** Turns of a project with ids above `above` and up to `upTo`, without those whose text has more than `maxBytes`. */
export interface TurnRange {
  readonly project: string;
  readonly above: number;
  readonly upTo: number;
  readonly maxBytes: number;
}

export interface TurnTexts {
  /** Changes when the store behind is another one: start over. */
  readonly storeId: string;
  /** The highest id of all; 0 without turns. */
  readonly newest: number;
  /** In order of ids. */
  readonly turns: readonly TurnText[];
}

export interface TurnQuery {
  readonly project: string | undefined;
  /** Only turns that were archived before the one with this id. */
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

export interface Neighbours {
  readonly before: readonly StoredTurn[];
  readonly after: readonly StoredTurn[];
}

/** A name, and where the archive has it. */
export interface NameHits {
  readonly name: string;
  /** Whether it stands in what the session has before it. */
  readonly isLive: boolean;
  /** Turns that left the session's context, or belong to other sessions of the project; best first. */
  readonly turns: readonly StoredTurn[];
}

/** What can be asked of archived turns, and done with them. Every call has its deadline; texts are masked before they are kept. */
export interface TurnCalls {
  /**
   * Keeps turns by the spool, without those that are in the database as they are; rejects only if there is no room in either. For a
   * caller that has no time for the database, which is only asked what it has.
   */
  archiveLater(turns: readonly ArchivedTurn[], deadlineMs: number): Promise<void>;
  /** Looks for each name as it is written, its words in order. At most `limit` turns a name. */
  findNames(
    names: readonly string[],
    scope: { readonly session: string; readonly project: string | undefined },
    limit: number,
    deadlineMs: number,
  ): Promise<readonly NameHits[]>;
  /** BM25 over the turns that have left the context of a session. */
  searchLeft(query: string, session: string, limit: number, deadlineMs: number): Promise<readonly StoredTurn[]>;
  /** For each text: whether one turn before the session's eyes has all its words. */
  areLive(session: string, texts: readonly string[], deadlineMs: number): Promise<readonly boolean[]>;
  /** Turns by handle; more than one only if two messages share it by chance. */
  turns(handle: string, deadlineMs: number): Promise<readonly StoredTurn[]>;
  /** Turns by id, in the order asked for; unknown ids are left out. */
  turnsById(ids: readonly number[], deadlineMs: number): Promise<readonly StoredTurn[]>;
  /** What turns say. Costs what lies between the ids, whichever project it is of. */
  turnTexts(range: TurnRange, deadlineMs: number): Promise<TurnTexts>;
  /** Archived turns of a project, the newest first, each with the beginning of its text only. */
  newestTurns(query: TurnQuery, deadlineMs: number): Promise<readonly StoredTurn[]>;
  /** Archived neighbours of a turn in its session, in order, the turn itself left out. */
  neighbours(turn: StoredTurn, count: number, deadlineMs: number): Promise<Neighbours>;
}
