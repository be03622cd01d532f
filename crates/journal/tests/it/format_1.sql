-- A journal as the first release wrote it: one session with three events, one of them with its body beside it.
CREATE TABLE blobs (
    digest BLOB PRIMARY KEY,
    bytes  BLOB NOT NULL
) STRICT;
INSERT INTO "blobs" VALUES(X'CE3CF426CE3DC824459B0DE7793FB33A5101D6014530855CB4CA9E51A800AC9D',CAST('{"type":"chat.token","data":{"offset":0,"delta":"a body kept beside the events"}}' AS BLOB));
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
INSERT INTO "events" VALUES(1,1,1,1700000000000,NULL,NULL,'{"type":"session.started","data":{"owner":"ada","key":"kitchen","settings":{"budgets":{"max_steps":8,"max_tool_calls":16,"max_duration_ms":120000,"max_tokens":100000},"policy":{"on_restart":"resume"}}}}',NULL);
INSERT INTO "events" VALUES(1,2,1,1700000000002,NULL,NULL,'{"type":"session.reset","data":{"reason":"note 2"}}',NULL);
INSERT INTO "events" VALUES(1,3,1,1700000000003,X'00000000000100000000000000000000','main',NULL,X'CE3CF426CE3DC824459B0DE7793FB33A5101D6014530855CB4CA9E51A800AC9D');
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "meta" VALUES('boots',1);
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
INSERT INTO "sessions" VALUES(1,X'00000000000100000000000000000000','ada','kitchen',1700000000000,0,'{"session_id":"00000000010000000000000000","owner":"ada","key":"kitchen","status":"active","version":1,"last_seq":1,"created_at":"2023-11-14T22:13:20.000Z","updated_at":"2023-11-14T22:13:20.000Z","settings":{"budgets":{"max_steps":8,"max_tool_calls":16,"max_duration_ms":120000,"max_tokens":100000},"policy":{"on_restart":"resume"}},"stats":{"turns":0,"completed":0,"failed":0,"cancelled":0,"steps":0,"tool_calls":0,"input_tokens":0,"output_tokens":0,"cost_micros":0,"errors":0},"open_turns":[]}');
CREATE TABLE snapshots (
    sid    INTEGER PRIMARY KEY,
    seq    INTEGER NOT NULL,
    format INTEGER NOT NULL,
    state  TEXT    NOT NULL
) STRICT;
INSERT INTO "snapshots" VALUES(1,3,1,'{}');
CREATE INDEX sessions_by_activity ON sessions (owner, updated_at, id);
CREATE INDEX sessions_moving ON sessions (sid) WHERE is_moving;
CREATE INDEX events_by_turn ON events (turn, sid, seq) WHERE turn IS NOT NULL;
PRAGMA application_id = 1685546348;
PRAGMA user_version = 1;
