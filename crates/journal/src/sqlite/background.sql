-- In which session a turn in the background is, and whether it has ended.
CREATE TABLE background_turns (
    id      BLOB    PRIMARY KEY,
    sid     INTEGER NOT NULL,
    is_open INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX background_turns_by_session ON background_turns (sid);
CREATE INDEX background_turns_open ON background_turns (id) WHERE is_open;
