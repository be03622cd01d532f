-- Texts are compared byte by byte, whatever the database's locale: lists have the same order in every store.

CREATE TABLE dwell.meta (
    name  TEXT COLLATE "C" PRIMARY KEY,
    value BIGINT NOT NULL
);

-- A write enters its token in its own transaction. Tokens are removed after some minutes.
CREATE TABLE dwell.writes (
    token TEXT COLLATE "C" PRIMARY KEY,
    at    TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX writes_by_age ON dwell.writes (at);

-- The nodes that use this database. A lease is alive as long as its node's row says, by the database's clock: one row is
-- renewed however many sessions a node has.
CREATE TABLE dwell.nodes (
    number      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id          TEXT COLLATE "C" NOT NULL UNIQUE,
    boot        BIGINT NOT NULL,
    version     TEXT NOT NULL,
    -- The newest schema that its program knows.
    schema      BIGINT NOT NULL,
    -- Where other nodes reach it; NULL if it takes no requests from them.
    address     TEXT,
    -- It hands its owners over and takes no new ones.
    is_leaving  BOOLEAN NOT NULL DEFAULT false,
    started_at  TIMESTAMPTZ NOT NULL,
    lease_until TIMESTAMPTZ NOT NULL
);

-- The node that serves an owner: its sessions, its memory. Others pass their requests on to it.
CREATE TABLE dwell.owner_leases (
    owner TEXT COLLATE "C" PRIMARY KEY,
    epoch BIGINT NOT NULL,
    node  BIGINT
);
CREATE INDEX owner_leases_by_node ON dwell.owner_leases (node) WHERE node IS NOT NULL;

-- What all nodes share and one machine keeps in its data folder: tokens, owners, keys. The version grows with every write.
CREATE TABLE dwell.shared_files (
    name    TEXT COLLATE "C" PRIMARY KEY,
    version BIGINT NOT NULL,
    bytes   BYTEA NOT NULL
);

-- Commits, for followers on other nodes; written while there are others, and removed after a minute.
CREATE TABLE dwell.notices (
    id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    node     BIGINT NOT NULL,
    sessions BYTEA[] NOT NULL,
    heads    BIGINT[] NOT NULL
);
CREATE INDEX notices_by_age ON dwell.notices (at);

CREATE TABLE dwell.sessions (
    sid          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           BYTEA NOT NULL CONSTRAINT sessions_id UNIQUE,
    owner        TEXT COLLATE "C" NOT NULL,
    name         TEXT COLLATE "C",
    updated_at   BIGINT NOT NULL,
    is_moving    BOOLEAN NOT NULL,
    is_temporary BOOLEAN NOT NULL,
    wake_at      BIGINT,
    view         TEXT NOT NULL,
    CONSTRAINT sessions_name UNIQUE (owner, name)
);
CREATE INDEX sessions_by_activity ON dwell.sessions (owner, updated_at, id);
CREATE INDEX sessions_by_time ON dwell.sessions (updated_at);
CREATE INDEX sessions_moving ON dwell.sessions (sid) WHERE is_moving;
CREATE INDEX sessions_waking ON dwell.sessions (wake_at, id) WHERE wake_at IS NOT NULL;

-- What every append changes, apart from the sessions, whose rows are large. The row counts the session's events and has its
-- lease: the epoch that may append, and the number of the node that has it. Space is left so that an update stays on its page.
CREATE TABLE dwell.heads (
    sid   BIGINT PRIMARY KEY,
    epoch BIGINT NOT NULL DEFAULT 0,
    node  BIGINT,
    head  BIGINT NOT NULL,
    sum   BYTEA NOT NULL,
    bytes BIGINT NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- Large bodies need no table of their own: the database stores long values beside the row.
CREATE TABLE dwell.events (
    sid    BIGINT NOT NULL,
    seq    BIGINT NOT NULL,
    format BIGINT NOT NULL,
    at     BIGINT NOT NULL,
    turn   BYTEA,
    agent  TEXT,
    body   TEXT NOT NULL,
    sum    BYTEA NOT NULL,
    PRIMARY KEY (sid, seq)
);
CREATE INDEX events_by_turn ON dwell.events (turn, sid, seq) WHERE turn IS NOT NULL;

CREATE TABLE dwell.snapshots (
    sid       BIGINT PRIMARY KEY,
    seq       BIGINT NOT NULL,
    format    BIGINT NOT NULL,
    state     TEXT NOT NULL,
    event_sum BYTEA,
    sum       BYTEA NOT NULL
);

CREATE TABLE dwell.artifacts (
    id         BYTEA PRIMARY KEY,
    sid        BIGINT NOT NULL,
    owner      TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    size       BIGINT NOT NULL,
    view       TEXT NOT NULL,
    sum        BYTEA NOT NULL,
    bytes      BYTEA NOT NULL
);
-- Compressing what is often compressed already costs time for nothing.
ALTER TABLE dwell.artifacts ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX artifacts_by_owner ON dwell.artifacts (owner, created_at, id);
CREATE INDEX artifacts_by_session ON dwell.artifacts (sid, created_at, id);
CREATE INDEX artifacts_by_age ON dwell.artifacts (created_at, id);

CREATE TABLE dwell.schedules (
    id     BYTEA PRIMARY KEY,
    sid    BIGINT NOT NULL,
    entity TEXT
);
CREATE INDEX schedules_by_session ON dwell.schedules (sid);
CREATE TABLE dwell.alerts (
    id  BYTEA PRIMARY KEY,
    sid BIGINT NOT NULL
);
CREATE INDEX alerts_by_session ON dwell.alerts (sid);
CREATE TABLE dwell.background_turns (
    id      BYTEA PRIMARY KEY,
    sid     BIGINT NOT NULL,
    is_open BOOLEAN NOT NULL
);
CREATE INDEX background_turns_by_session ON dwell.background_turns (sid);

CREATE TABLE dwell.vaults (
    id         BYTEA PRIMARY KEY,
    owner      TEXT COLLATE "C" NOT NULL,
    title      TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    body       TEXT NOT NULL,
    UNIQUE (owner, title)
);
CREATE INDEX vaults_by_owner ON dwell.vaults (owner, created_at, id);

-- A session may be gone while its memory stays, so the session's own id stands here.
CREATE TABLE dwell.memories (
    id         BYTEA PRIMARY KEY,
    owner      TEXT COLLATE "C" NOT NULL,
    vault      BYTEA NOT NULL,
    title      TEXT COLLATE "C" NOT NULL,
    session    BYTEA,
    created_at BIGINT NOT NULL,
    body       TEXT NOT NULL,
    UNIQUE (vault, title)
);
CREATE INDEX memories_by_owner ON dwell.memories (owner, created_at, id);
CREATE INDEX memories_by_vault ON dwell.memories (vault, created_at, id);
CREATE UNIQUE INDEX memories_by_session ON dwell.memories (owner, session) WHERE session IS NOT NULL;

CREATE TABLE dwell.records (
    id        BYTEA PRIMARY KEY,
    owner     TEXT COLLATE "C" NOT NULL,
    level     TEXT COLLATE "C" NOT NULL,
    memory    BYTEA,
    at        BIGINT NOT NULL,
    stored_at BIGINT NOT NULL,
    body      TEXT NOT NULL,
    sum       BYTEA NOT NULL
);
CREATE INDEX records_by_owner ON dwell.records (owner, level, at, id);
CREATE INDEX records_by_memory ON dwell.records (memory, at, id) WHERE memory IS NOT NULL;

CREATE TABLE dwell.vectors (
    item  BYTEA NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    bytes BYTEA NOT NULL,
    PRIMARY KEY (item, model)
);
CREATE INDEX vectors_by_owner ON dwell.vectors (owner, model);

CREATE TABLE dwell.write_keys (
    owner  TEXT COLLATE "C" NOT NULL,
    key    TEXT COLLATE "C" NOT NULL,
    digest TEXT NOT NULL,
    answer TEXT NOT NULL,
    at     BIGINT NOT NULL,
    PRIMARY KEY (owner, key)
);
CREATE INDEX write_keys_by_age ON dwell.write_keys (at);

CREATE TABLE dwell.bookmarks (
    follower TEXT COLLATE "C" NOT NULL,
    sid      BIGINT NOT NULL,
    seq      BIGINT NOT NULL,
    state    TEXT NOT NULL,
    PRIMARY KEY (follower, sid)
);
CREATE INDEX bookmarks_by_session ON dwell.bookmarks (sid);

-- A key is bytes in which the order of bytes is the order of its parts.
CREATE TABLE dwell.stored_values (
    vid        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner      TEXT COLLATE "C" NOT NULL,
    key        BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    ttl_ms     BIGINT,
    expires_at BIGINT,
    size       BIGINT NOT NULL,
    stored     BIGINT NOT NULL,
    sum        BYTEA NOT NULL,
    dimensions BIGINT NOT NULL,
    vectors    BYTEA NOT NULL,
    bytes      BYTEA NOT NULL,
    UNIQUE (owner, key)
);
CREATE INDEX stored_values_by_time ON dwell.stored_values (owner, updated_at, key);
CREATE INDEX stored_values_by_expiry ON dwell.stored_values (expires_at) WHERE expires_at IS NOT NULL;
