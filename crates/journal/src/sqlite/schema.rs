//! The tables, and how an older file becomes a current one.

use rusqlite::{Connection, TransactionBehavior};

/// Marks a SQLite file as Dwell's ("dwel").
pub(super) const APPLICATION_ID: i32 = 0x6477_656c;

/// Each step brings a file from the format of its index to the next. Released steps never change.
const STEPS: [&str; 2] = [FIRST, ARTIFACTS];

/// Sessions with their events, bodies and snapshots.
const FIRST: &str = "
    CREATE TABLE meta (
        name  TEXT PRIMARY KEY,
        value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO meta VALUES ('boots', 0);

    CREATE TABLE sessions (
        sid        INTEGER PRIMARY KEY,
        id         BLOB    NOT NULL UNIQUE,
        owner      TEXT    NOT NULL,
        name       TEXT,
        updated_at INTEGER NOT NULL,
        is_moving  INTEGER NOT NULL,
        view       TEXT    NOT NULL,
        UNIQUE (owner, name)
    ) STRICT;
    CREATE INDEX sessions_by_activity ON sessions (owner, updated_at, id);
    CREATE INDEX sessions_moving ON sessions (sid) WHERE is_moving;

    -- Clustered by session, so that a session's events lie together and one commit touches few pages.
    CREATE TABLE events (
        sid    INTEGER NOT NULL,
        seq    INTEGER NOT NULL,
        format INTEGER NOT NULL,
        at     INTEGER NOT NULL,
        turn   BLOB,
        agent  TEXT,
        body   TEXT,
        blob   BLOB,
        PRIMARY KEY (sid, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX events_by_turn ON events (turn, sid, seq) WHERE turn IS NOT NULL;

    -- Bodies too large for a row, by the digest of their bytes.
    CREATE TABLE blobs (
        digest BLOB PRIMARY KEY,
        bytes  BLOB NOT NULL
    ) STRICT;

    CREATE TABLE snapshots (
        sid    INTEGER PRIMARY KEY,
        seq    INTEGER NOT NULL,
        format INTEGER NOT NULL,
        state  TEXT    NOT NULL
    ) STRICT;
";

/// What is kept beside the conversation, and removing sessions.
const ARTIFACTS: &str = "
    -- The bytes come last, so that lists never read the pages they fill.
    CREATE TABLE artifacts (
        aid        INTEGER PRIMARY KEY,
        id         BLOB    NOT NULL UNIQUE,
        sid        INTEGER NOT NULL,
        owner      TEXT    NOT NULL,
        created_at INTEGER NOT NULL,
        size       INTEGER NOT NULL,
        view       TEXT    NOT NULL,
        bytes      BLOB    NOT NULL
    ) STRICT;
    CREATE INDEX artifacts_by_owner ON artifacts (owner, created_at, id);
    CREATE INDEX artifacts_by_session ON artifacts (sid, created_at, id, size);

    -- Who else refers to a body, when a session is removed.
    CREATE INDEX events_by_blob ON events (blob) WHERE blob IS NOT NULL;
";

/// The format this program writes.
pub(super) const CURRENT: i64 = STEPS.len() as i64;

/// The format of a file; 0 for an empty one.
pub(super) fn format(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Brings the file to the current format, each step in a transaction of its own.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let found = usize::try_from(format(connection)?).unwrap_or(0);
    for (step, next) in STEPS.iter().zip(1i64..).skip(found) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", next)?;
        transaction.commit()?;
    }
    Ok(())
}
