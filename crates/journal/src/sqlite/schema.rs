//! The schema and its migrations.

use rusqlite::{Connection, TransactionBehavior};

use super::checksums;

/// Application id of a Dwell file ("dwel").
pub(super) const APPLICATION_ID: i32 = 0x6477_656c;

/// Each step brings a file from the format of its index to the next. Released steps never change.
const STEPS: [&str; 10] = [FIRST, ARTIFACTS, MEMORIES, ARTIFACTS_BY_AGE, SUMS, TOTALS, LOG, VALUES, PLANS, BACKGROUND];

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

/// Artifacts, and an index for removing sessions.
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

/// Long-term memory, and how far its followers have read.
const MEMORIES: &str = "
    -- Temporary sessions are not part of memory. Their first event says that they are temporary.
    ALTER TABLE sessions ADD COLUMN is_temporary INTEGER NOT NULL DEFAULT 0;
    UPDATE sessions SET is_temporary = 1 WHERE EXISTS (
        SELECT 1 FROM (
            SELECT coalesce(e.body, CAST(b.bytes AS TEXT)) AS text
            FROM events e LEFT JOIN blobs b ON b.digest = e.blob WHERE e.sid = sessions.sid AND e.seq = 1
        ) WHERE json_valid(text) AND json_extract(text, '$.data.temporary')
    );
    -- All that finding unread sessions needs, so that no view is read for it.
    CREATE INDEX sessions_kept ON sessions (sid, owner, id, is_temporary) WHERE is_temporary = 0;

    CREATE TABLE vaults (
        vid        INTEGER PRIMARY KEY,
        id         BLOB    NOT NULL UNIQUE,
        owner      TEXT    NOT NULL,
        title      TEXT    NOT NULL,
        created_at INTEGER NOT NULL,
        body       TEXT    NOT NULL,
        UNIQUE (owner, title)
    ) STRICT;
    CREATE INDEX vaults_by_owner ON vaults (owner, created_at, id);

    -- A session may be gone while its memory stays, so the session's own id stands here.
    CREATE TABLE memories (
        mid        INTEGER PRIMARY KEY,
        id         BLOB    NOT NULL UNIQUE,
        owner      TEXT    NOT NULL,
        vault      BLOB    NOT NULL,
        title      TEXT    NOT NULL,
        session    BLOB,
        created_at INTEGER NOT NULL,
        body       TEXT    NOT NULL,
        UNIQUE (vault, title)
    ) STRICT;
    CREATE INDEX memories_by_owner ON memories (owner, created_at, id);
    CREATE INDEX memories_by_vault ON memories (vault, created_at, id);
    CREATE UNIQUE INDEX memories_by_session ON memories (owner, session) WHERE session IS NOT NULL;

    CREATE TABLE records (
        rid       INTEGER PRIMARY KEY,
        id        BLOB    NOT NULL UNIQUE,
        owner     TEXT    NOT NULL,
        level     TEXT    NOT NULL,
        memory    BLOB,
        at        INTEGER NOT NULL,
        stored_at INTEGER NOT NULL,
        body      TEXT    NOT NULL
    ) STRICT;
    -- The few of a level are found among the many; all levels together are a merge of each one's order.
    CREATE INDEX records_by_owner ON records (owner, level, at, id);
    CREATE INDEX records_by_memory ON records (memory, at, id, level, owner) WHERE memory IS NOT NULL;

    -- The bytes come last and apart from the records, so that reading records never reads the pages they fill.
    CREATE TABLE vectors (
        vid   INTEGER PRIMARY KEY,
        owner TEXT NOT NULL,
        item  BLOB NOT NULL,
        model TEXT NOT NULL,
        bytes BLOB NOT NULL,
        UNIQUE (item, model)
    ) STRICT;
    CREATE INDEX vectors_by_owner ON vectors (owner, model);

    CREATE TABLE write_keys (
        owner  TEXT    NOT NULL,
        key    TEXT    NOT NULL,
        digest TEXT    NOT NULL,
        answer TEXT    NOT NULL,
        at     INTEGER NOT NULL,
        PRIMARY KEY (owner, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX write_keys_by_age ON write_keys (at);

    CREATE TABLE bookmarks (
        follower TEXT    NOT NULL,
        sid      INTEGER NOT NULL,
        seq      INTEGER NOT NULL,
        state    TEXT    NOT NULL,
        PRIMARY KEY (follower, sid)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX bookmarks_by_session ON bookmarks (sid);
";

/// Indexes for the size of an owner's artifacts and for the oldest artifacts of all owners.
const ARTIFACTS_BY_AGE: &str = "
    DROP INDEX artifacts_by_owner;
    CREATE INDEX artifacts_by_owner ON artifacts (owner, created_at, id, size);
    CREATE INDEX artifacts_by_age ON artifacts (created_at, id, size);
";

/// Checksums. [`checksums::fill`] computes those of existing rows in the same transaction. It omits
/// artifacts, whose bytes would have to be read: older artifacts have no checksum.
const SUMS: &str = "
    ALTER TABLE events ADD COLUMN sum BLOB NOT NULL DEFAULT X'';
    -- The sum of the event up to which a snapshot goes, and the one of the snapshot itself.
    ALTER TABLE snapshots ADD COLUMN event_sum BLOB;
    ALTER TABLE snapshots ADD COLUMN sum BLOB NOT NULL DEFAULT X'';
    ALTER TABLE artifacts ADD COLUMN sum BLOB;
    ALTER TABLE records ADD COLUMN sum BLOB NOT NULL DEFAULT X'';
    -- How many commits there were, and whether they are also noted in the file of heads.
    INSERT INTO meta VALUES ('commits', 0), ('heads', 0);
";

/// The first format with checksums.
pub(super) const WITH_SUMS: i64 = 5;

/// Totals of each owner, kept up to date by triggers, so that reading them reads one row.
const TOTALS: &str = include_str!("totals.sql");

/// The first format with a log.
pub(super) const WITH_LOG: i64 = 7;

/// Which frames of the log belong to the file.
const LOG: &str = "INSERT INTO meta VALUES ('log', 0);";

/// Values of programs.
const VALUES: &str = include_str!("values.sql");

/// Schedules and alerts.
const PLANS: &str = include_str!("plans.sql");

/// Turns in the background.
const BACKGROUND: &str = include_str!("background.sql");

/// The first format with values.
pub(super) const WITH_VALUES: i64 = 8;

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
        if next == WITH_SUMS {
            checksums::fill(&transaction)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", next)?;
        transaction.commit()?;
    }
    Ok(())
}
