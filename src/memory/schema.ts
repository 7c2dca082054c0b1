/**
 * The schema, as the list of steps that lead to it. Append only: a step that has been released never changes, since
 * databases stand at every one of them. docs/memory-format.md describes the outcome.
 *
 * Ids are never used twice (AUTOINCREMENT), so that an id noted elsewhere cannot come to mean another row.
 */

/**
 * Full-text index over a text column kept elsewhere; `secure-delete` makes a deleted word leave the file as well. Rows are added
 * to it by a statement of their own, not by a trigger: a statement that fires one opens a savepoint, at which FTS5 writes
 * out what it has gathered, row by row (measured: 1.4 ms a row instead of 0.1).
 */
function fullText(table: string): string {
  return `
    CREATE VIRTUAL TABLE ${table}_fts USING fts5(
      text, content = '${table}', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
    );
    INSERT INTO ${table}_fts(${table}_fts, rank) VALUES ('secure-delete', 1);
    CREATE TRIGGER ${table}_fts_delete AFTER DELETE ON ${table} BEGIN
      INSERT INTO ${table}_fts(${table}_fts, rowid, text) VALUES ('delete', old.id, old.text);
    END;
    CREATE TRIGGER ${table}_fts_update AFTER UPDATE OF text ON ${table} BEGIN
      INSERT INTO ${table}_fts(${table}_fts, rowid, text) VALUES ('delete', old.id, old.text);
      INSERT INTO ${table}_fts(rowid, text) VALUES (new.id, new.text);
    END;`;
}

/** Step n (from 1) turns `user_version` n − 1 into n. */
export const MIGRATIONS: readonly string[] = [
  // 1: what is remembered. `revision` orders all changes, so that an index elsewhere can follow them.
  `
    CREATE TABLE store (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      id TEXT NOT NULL,
      revision INTEGER NOT NULL
    ) STRICT;
    INSERT INTO store VALUES (1, lower(hex(randomblob(16))), 0);

    CREATE TABLE memories (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      project TEXT,
      session TEXT,
      origin TEXT NOT NULL CHECK (origin IN ('auto', 'person', 'model')),
      status TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'archived')),
      superseded_by INTEGER REFERENCES memories (id) ON DELETE SET NULL,
      text TEXT NOT NULL,
      hash TEXT NOT NULL,
      created_ms INTEGER NOT NULL,
      revision INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX memories_once ON memories (hash, ifnull(project, '')) WHERE status = 'active';
    CREATE INDEX memories_by_project ON memories (project, status, id);
    CREATE INDEX memories_by_revision ON memories (revision);
    CREATE INDEX memories_by_successor ON memories (superseded_by) WHERE superseded_by IS NOT NULL;

    CREATE TABLE memory_sources (
      source_id TEXT NOT NULL,
      memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
      PRIMARY KEY (source_id, memory_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX memory_sources_by_memory ON memory_sources (memory_id);

    CREATE TABLE forgotten (
      memory_id INTEGER PRIMARY KEY,
      revision INTEGER NOT NULL,
      forgotten_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX forgotten_by_revision ON forgotten (revision);
    ${fullText('memories')}`,

  // 2: their vectors. `vector` is dim × float32, little endian, L2-normalised.
  `
    CREATE TABLE vectors (
      memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
      model TEXT NOT NULL,
      dim INTEGER NOT NULL,
      vector BLOB NOT NULL CHECK (length(vector) = dim * 4)
    ) STRICT;
    CREATE UNIQUE INDEX vectors_once ON vectors (memory_id, model);
    CREATE INDEX vectors_by_model ON vectors (model, memory_id);`,

  // 3: compactions and the turns they let go. `key` is the message's uuid, else the hash of role and text.
  `
    CREATE TABLE episodes (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      session TEXT,
      project TEXT,
      last_uuid TEXT,
      state TEXT NOT NULL CHECK (state IN ('proposed', 'done')),
      trigger TEXT NOT NULL,
      strategy TEXT NOT NULL,
      before_tokens INTEGER NOT NULL,
      after_tokens INTEGER NOT NULL,
      dropped INTEGER NOT NULL,
      covered INTEGER NOT NULL,
      embedding INTEGER NOT NULL,
      took_ms REAL NOT NULL,
      created_ms INTEGER NOT NULL,
      done_ms INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX episodes_once ON episodes (session, last_uuid)
      WHERE session IS NOT NULL AND last_uuid IS NOT NULL;
    CREATE INDEX episodes_by_session ON episodes (session, created_ms);
    CREATE INDEX episodes_by_project ON episodes (project, id);

    CREATE TABLE turns (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      handle TEXT NOT NULL,
      key TEXT NOT NULL,
      session TEXT,
      project TEXT,
      uuid TEXT,
      role TEXT NOT NULL,
      text TEXT NOT NULL,
      tokens INTEGER NOT NULL,
      archived_ms INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX turns_once ON turns (handle, key);
    CREATE INDEX turns_by_session ON turns (session, id);
    ${fullText('turns')}`,

  // 4: where the rest of what was let go stands.
  `
    ALTER TABLE episodes ADD COLUMN transcript TEXT;
    ALTER TABLE episodes ADD COLUMN transcript_bytes INTEGER;`,

  // 5: directives, as a ledger that only grows.
  `
    CREATE TABLE directives (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      project TEXT,
      session TEXT,
      status TEXT NOT NULL CHECK (status IN ('proposed', 'accepted', 'amended', 'revoked', 'superseded')),
      text TEXT NOT NULL,
      replaces INTEGER REFERENCES directives (id),
      created_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX directives_by_project ON directives (project, id);
    CREATE TRIGGER directives_only_grow BEFORE UPDATE ON directives BEGIN
      SELECT RAISE(ABORT, 'the ledger of directives only grows');
    END;`,

  // 6: sessions as the hooks know them, what they put into contexts, and what is known of a compaction afterwards.
  `
    ALTER TABLE episodes ADD COLUMN decisions TEXT;
    ALTER TABLE episodes ADD COLUMN restored TEXT;
    ALTER TABLE episodes ADD COLUMN audit TEXT;
    ALTER TABLE turns ADD COLUMN left_ms INTEGER;

    CREATE TABLE sessions (
      session TEXT PRIMARY KEY,
      project TEXT,
      transcript TEXT,
      archived_bytes INTEGER NOT NULL DEFAULT 0,
      told_directive INTEGER NOT NULL DEFAULT 0,
      seen_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE prompts (
      session TEXT NOT NULL,
      key TEXT NOT NULL,
      project TEXT,
      tokens INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      PRIMARY KEY (session, key)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE injections (
      session TEXT NOT NULL,
      what TEXT NOT NULL,
      at_ms INTEGER NOT NULL,
      PRIMARY KEY (session, what)
    ) STRICT, WITHOUT ROWID;`,

  // 7: summaries of a session, as a chain. `up_to` is the id of the last message that one stands for.
  `
    CREATE TABLE summaries (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      session TEXT NOT NULL,
      project TEXT,
      generation INTEGER NOT NULL,
      up_to TEXT NOT NULL,
      messages INTEGER NOT NULL,
      tokens INTEGER NOT NULL,
      model TEXT NOT NULL,
      text TEXT NOT NULL,
      created_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX summaries_by_session ON summaries (session, id);`,

  // 8: the ledger of directives as rows that never change and never go, with what can be taken away beside them.
  `
    CREATE TABLE ledger (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      status TEXT NOT NULL CHECK (
        status IN ('proposed', 'accepted', 'amended', 'revoked', 'superseded', 'expired', 'removed')),
      who TEXT NOT NULL CHECK (who IN ('person', 'model', 'rule')),
      project TEXT,
      replaces INTEGER REFERENCES ledger (id),
      successor INTEGER REFERENCES ledger (id),
      expires_ms INTEGER,
      created_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX ledger_by_project ON ledger (project, id);
    CREATE INDEX ledger_by_replaced ON ledger (replaces) WHERE replaces IS NOT NULL;
    CREATE INDEX ledger_by_expiry ON ledger (expires_ms) WHERE expires_ms IS NOT NULL;

    CREATE TABLE ledger_texts (
      entry INTEGER PRIMARY KEY REFERENCES ledger (id),
      session TEXT,
      source TEXT,
      text TEXT NOT NULL
    ) STRICT;
    CREATE INDEX ledger_texts_by_session ON ledger_texts (session);

    INSERT INTO ledger (id, status, who, project, replaces, created_ms)
      SELECT id, status, 'person', project, replaces, created_ms FROM directives ORDER BY id;
    INSERT INTO ledger_texts (entry, session, text)
      SELECT id, session, text FROM directives WHERE text <> '' AND status NOT IN ('revoked', 'superseded');
    DROP TABLE directives;

    CREATE TRIGGER ledger_never_changes BEFORE UPDATE ON ledger BEGIN
      SELECT RAISE(ABORT, 'the ledger of directives only grows');
    END;
    CREATE TRIGGER ledger_never_shrinks BEFORE DELETE ON ledger BEGIN
      SELECT RAISE(ABORT, 'the ledger of directives only grows');
    END;
    CREATE TRIGGER ledger_texts_never_change BEFORE UPDATE ON ledger_texts BEGIN
      SELECT RAISE(ABORT, 'the ledger of directives only grows');
    END;`,

  // 9: where a memory's words stand, what it is about, how sure and how useful it is, and where it was taken over from. Turns by age.
  `
    ALTER TABLE memories ADD COLUMN quote TEXT;
    ALTER TABLE memories ADD COLUMN topic TEXT;
    ALTER TABLE memories ADD COLUMN confidence REAL;
    ALTER TABLE memories ADD COLUMN uses INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE memories ADD COLUMN used_ms INTEGER;
    ALTER TABLE memories ADD COLUMN imported TEXT;
    CREATE INDEX memories_by_topic ON memories (topic) WHERE topic IS NOT NULL AND status = 'active';
    CREATE INDEX memories_by_hash ON memories (hash);
    CREATE INDEX turns_by_time ON turns (archived_ms);`,
];
