-- Values of programs. A key is a blob in which the order of bytes is the order of its parts. The embeddings and the
-- bytes come last, so that lists of keys never read the pages they fill.
CREATE TABLE stored_values (
    vid        INTEGER PRIMARY KEY,
    owner      TEXT    NOT NULL,
    key        BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ttl_ms     INTEGER,
    expires_at INTEGER,
    size       INTEGER NOT NULL,
    stored     INTEGER NOT NULL,
    sum        BLOB    NOT NULL,
    dimensions INTEGER NOT NULL,
    vectors    BLOB    NOT NULL,
    bytes      BLOB    NOT NULL,
    UNIQUE (owner, key)
) STRICT;
CREATE INDEX stored_values_by_time ON stored_values (owner, updated_at, key);
CREATE INDEX stored_values_by_expiry ON stored_values (expires_at) WHERE expires_at IS NOT NULL;

-- `stored` is what a value takes: key, embeddings and bytes.
ALTER TABLE owner_totals ADD COLUMN value_bytes INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER value_added AFTER INSERT ON stored_values BEGIN
    INSERT INTO owner_totals (owner)
        SELECT NEW.owner WHERE NOT EXISTS (SELECT 1 FROM owner_totals WHERE owner = NEW.owner);
    UPDATE owner_totals SET value_bytes = value_bytes + NEW.stored WHERE owner = NEW.owner;
END;
CREATE TRIGGER value_rewritten AFTER UPDATE OF stored ON stored_values BEGIN
    UPDATE owner_totals SET value_bytes = value_bytes + NEW.stored - OLD.stored WHERE owner = NEW.owner;
END;
CREATE TRIGGER value_removed AFTER DELETE ON stored_values BEGIN
    UPDATE owner_totals SET value_bytes = value_bytes - OLD.stored WHERE owner = OLD.owner;
END;
