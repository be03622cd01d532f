-- When a session has to be woken for a schedule or an alert.
ALTER TABLE sessions ADD COLUMN wake_at INTEGER;
CREATE INDEX sessions_waking ON sessions (wake_at, id) WHERE wake_at IS NOT NULL;

-- In which session a schedule or an alert is. What it is stands in the session's events.
CREATE TABLE schedules (
    id     BLOB    PRIMARY KEY,
    sid    INTEGER NOT NULL,
    -- The entity of the home that it waits for.
    entity TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX schedules_by_session ON schedules (sid);
CREATE INDEX schedules_waiting ON schedules (entity) WHERE entity IS NOT NULL;
CREATE TABLE alerts (
    id  BLOB    PRIMARY KEY,
    sid INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX alerts_by_session ON alerts (sid);
