-- What each owner has in all. Every write changes it within its own transaction: by triggers, apart from appended events,
-- whose bytes the append adds to its session once.
CREATE TABLE owner_totals (
    owner          TEXT PRIMARY KEY,
    sessions       INTEGER NOT NULL DEFAULT 0,
    journal_bytes  INTEGER NOT NULL DEFAULT 0,
    records        INTEGER NOT NULL DEFAULT 0,
    record_bytes   INTEGER NOT NULL DEFAULT 0,
    artifacts      INTEGER NOT NULL DEFAULT 0,
    artifact_bytes INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Bytes of each session's events; apart from the sessions, whose rows are large.
CREATE TABLE session_totals (
    sid   INTEGER PRIMARY KEY,
    owner TEXT    NOT NULL,
    bytes INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO session_totals (sid, owner, bytes)
SELECT s.sid, s.owner, coalesce((
    SELECT sum(coalesce(length(CAST(e.body AS BLOB)), length(b.bytes), 0))
    FROM events e LEFT JOIN blobs b ON b.digest = e.blob WHERE e.sid = s.sid
), 0) FROM sessions s;

INSERT INTO owner_totals (owner, sessions, journal_bytes, records, record_bytes, artifacts, artifact_bytes)
SELECT owner, sum(sessions), sum(journal_bytes), sum(records), sum(record_bytes), sum(artifacts), sum(artifact_bytes)
FROM (
    SELECT owner, 1 AS sessions, bytes AS journal_bytes, 0 AS records, 0 AS record_bytes, 0 AS artifacts,
        0 AS artifact_bytes FROM session_totals
    UNION ALL SELECT owner, 0, 0, 1, length(CAST(body AS BLOB)), 0, 0 FROM vaults
    UNION ALL SELECT owner, 0, 0, 1, length(CAST(body AS BLOB)), 0, 0 FROM memories
    UNION ALL SELECT owner, 0, 0, 1, length(CAST(body AS BLOB)), 0, 0 FROM records
    UNION ALL SELECT owner, 0, 0, 0, 0, 1, size FROM artifacts
) GROUP BY owner;

CREATE TRIGGER session_added AFTER INSERT ON sessions BEGIN
    INSERT INTO session_totals (sid, owner) VALUES (NEW.sid, NEW.owner);
    INSERT INTO owner_totals (owner)
        SELECT NEW.owner WHERE NOT EXISTS (SELECT 1 FROM owner_totals WHERE owner = NEW.owner);
    UPDATE owner_totals SET sessions = sessions + 1 WHERE owner = NEW.owner;
END;
CREATE TRIGGER session_removed AFTER DELETE ON sessions BEGIN
    UPDATE owner_totals SET sessions = sessions - 1, journal_bytes = journal_bytes
        - coalesce((SELECT bytes FROM session_totals WHERE sid = OLD.sid), 0) WHERE owner = OLD.owner;
    DELETE FROM session_totals WHERE sid = OLD.sid;
END;

CREATE TRIGGER event_rewritten AFTER UPDATE OF body, blob ON events BEGIN
    UPDATE session_totals SET bytes = bytes
        + coalesce(length(CAST(NEW.body AS BLOB)), (SELECT length(bytes) FROM blobs WHERE digest = NEW.blob), 0)
        - coalesce(length(CAST(OLD.body AS BLOB)), (SELECT length(bytes) FROM blobs WHERE digest = OLD.blob), 0)
        WHERE sid = NEW.sid;
END;
-- A session is removed with all its events, and what they had goes with it.
CREATE TRIGGER session_measured AFTER UPDATE OF bytes ON session_totals BEGIN
    UPDATE owner_totals SET journal_bytes = journal_bytes + NEW.bytes - OLD.bytes WHERE owner = NEW.owner;
END;

CREATE TRIGGER artifact_added AFTER INSERT ON artifacts BEGIN
    UPDATE owner_totals SET artifacts = artifacts + 1, artifact_bytes = artifact_bytes + NEW.size
        WHERE owner = NEW.owner;
END;
CREATE TRIGGER artifact_removed AFTER DELETE ON artifacts BEGIN
    UPDATE owner_totals SET artifacts = artifacts - 1, artifact_bytes = artifact_bytes - OLD.size
        WHERE owner = OLD.owner;
END;

CREATE TRIGGER vault_added AFTER INSERT ON vaults BEGIN
    INSERT INTO owner_totals (owner)
        SELECT NEW.owner WHERE NOT EXISTS (SELECT 1 FROM owner_totals WHERE owner = NEW.owner);
    UPDATE owner_totals SET records = records + 1, record_bytes = record_bytes + length(CAST(NEW.body AS BLOB))
        WHERE owner = NEW.owner;
END;
CREATE TRIGGER vault_removed AFTER DELETE ON vaults BEGIN
    UPDATE owner_totals SET records = records - 1, record_bytes = record_bytes - length(CAST(OLD.body AS BLOB))
        WHERE owner = OLD.owner;
END;
CREATE TRIGGER memory_added AFTER INSERT ON memories BEGIN
    UPDATE owner_totals SET records = records + 1, record_bytes = record_bytes + length(CAST(NEW.body AS BLOB))
        WHERE owner = NEW.owner;
END;
CREATE TRIGGER memory_removed AFTER DELETE ON memories BEGIN
    UPDATE owner_totals SET records = records - 1, record_bytes = record_bytes - length(CAST(OLD.body AS BLOB))
        WHERE owner = OLD.owner;
END;
CREATE TRIGGER record_added AFTER INSERT ON records BEGIN
    INSERT INTO owner_totals (owner)
        SELECT NEW.owner WHERE NOT EXISTS (SELECT 1 FROM owner_totals WHERE owner = NEW.owner);
    UPDATE owner_totals SET records = records + 1, record_bytes = record_bytes + length(CAST(NEW.body AS BLOB))
        WHERE owner = NEW.owner;
END;
CREATE TRIGGER record_rewritten AFTER UPDATE OF body ON records BEGIN
    UPDATE owner_totals SET record_bytes = record_bytes
        + length(CAST(NEW.body AS BLOB)) - length(CAST(OLD.body AS BLOB)) WHERE owner = NEW.owner;
END;
CREATE TRIGGER record_removed AFTER DELETE ON records BEGIN
    UPDATE owner_totals SET records = records - 1, record_bytes = record_bytes - length(CAST(OLD.body AS BLOB))
        WHERE owner = OLD.owner;
END;
