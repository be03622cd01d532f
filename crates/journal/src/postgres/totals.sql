-- What each owner has in all is the sum of the owner's rows. Each node adds the bytes of its appends to a row of its own
-- (its number is the slot), so that nodes do not wait for each other; everything else is added to slot 0 by these triggers.
-- They run once a statement, not once a row: many updates of one row in a transaction would get slower and slower.
CREATE TABLE dwell.owner_totals (
    owner          TEXT COLLATE "C" NOT NULL,
    slot           BIGINT NOT NULL,
    sessions       BIGINT NOT NULL DEFAULT 0,
    journal_bytes  BIGINT NOT NULL DEFAULT 0,
    records        BIGINT NOT NULL DEFAULT 0,
    record_bytes   BIGINT NOT NULL DEFAULT 0,
    artifacts      BIGINT NOT NULL DEFAULT 0,
    artifact_bytes BIGINT NOT NULL DEFAULT 0,
    value_bytes    BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, slot)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

CREATE FUNCTION dwell.sessions_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO dwell.owner_totals AS t (owner, slot, sessions)
        SELECT owner, 0, count(*) FROM added GROUP BY owner ORDER BY owner
        ON CONFLICT (owner, slot) DO UPDATE SET sessions = t.sessions + excluded.sessions;
    RETURN NULL;
END $$;
CREATE FUNCTION dwell.sessions_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO dwell.owner_totals AS t (owner, slot, sessions)
        SELECT owner, 0, -count(*) FROM removed GROUP BY owner ORDER BY owner
        ON CONFLICT (owner, slot) DO UPDATE SET sessions = t.sessions + excluded.sessions;
    RETURN NULL;
END $$;
CREATE TRIGGER sessions_added AFTER INSERT ON dwell.sessions
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dwell.sessions_added();
CREATE TRIGGER sessions_removed AFTER DELETE ON dwell.sessions
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION dwell.sessions_removed();

CREATE FUNCTION dwell.artifacts_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO dwell.owner_totals AS t (owner, slot, artifacts, artifact_bytes)
        SELECT owner, 0, count(*), sum(size) FROM added GROUP BY owner ORDER BY owner
        ON CONFLICT (owner, slot) DO UPDATE SET artifacts = t.artifacts + excluded.artifacts,
            artifact_bytes = t.artifact_bytes + excluded.artifact_bytes;
    RETURN NULL;
END $$;
CREATE FUNCTION dwell.artifacts_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO dwell.owner_totals AS t (owner, slot, artifacts, artifact_bytes)
        SELECT owner, 0, -count(*), -sum(size) FROM removed GROUP BY owner ORDER BY owner
        ON CONFLICT (owner, slot) DO UPDATE SET artifacts = t.artifacts + excluded.artifacts,
            artifact_bytes = t.artifact_bytes + excluded.artifact_bytes;
    RETURN NULL;
END $$;
CREATE TRIGGER artifacts_added AFTER INSERT ON dwell.artifacts
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dwell.artifacts_added();
CREATE TRIGGER artifacts_removed AFTER DELETE ON dwell.artifacts
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION dwell.artifacts_removed();

-- Vaults, memories and records.
CREATE FUNCTION dwell.records_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO dwell.owner_totals AS t (owner, slot, records, record_bytes)
        SELECT owner, 0, count(*), sum(octet_length(body)) FROM added GROUP BY owner ORDER BY owner
        ON CONFLICT (owner, slot) DO UPDATE SET records = t.records + excluded.records,
            record_bytes = t.record_bytes + excluded.record_bytes;
    RETURN NULL;
END $$;
CREATE FUNCTION dwell.records_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO dwell.owner_totals AS t (owner, slot, records, record_bytes)
        SELECT owner, 0, -count(*), -sum(octet_length(body)) FROM removed GROUP BY owner ORDER BY owner
        ON CONFLICT (owner, slot) DO UPDATE SET records = t.records + excluded.records,
            record_bytes = t.record_bytes + excluded.record_bytes;
    RETURN NULL;
END $$;
CREATE FUNCTION dwell.records_rewritten() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO dwell.owner_totals AS t (owner, slot, record_bytes)
        SELECT owner, 0, sum(bytes) FROM (
            SELECT owner, octet_length(body) AS bytes FROM added
            UNION ALL SELECT owner, -octet_length(body) FROM removed
        ) AS changed GROUP BY owner ORDER BY owner
        ON CONFLICT (owner, slot) DO UPDATE SET record_bytes = t.record_bytes + excluded.record_bytes;
    RETURN NULL;
END $$;
CREATE TRIGGER vaults_added AFTER INSERT ON dwell.vaults
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dwell.records_added();
CREATE TRIGGER vaults_removed AFTER DELETE ON dwell.vaults
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION dwell.records_removed();
CREATE TRIGGER vaults_rewritten AFTER UPDATE ON dwell.vaults
    REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dwell.records_rewritten();
CREATE TRIGGER memories_added AFTER INSERT ON dwell.memories
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dwell.records_added();
CREATE TRIGGER memories_removed AFTER DELETE ON dwell.memories
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION dwell.records_removed();
CREATE TRIGGER memories_rewritten AFTER UPDATE ON dwell.memories
    REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dwell.records_rewritten();
CREATE TRIGGER records_added AFTER INSERT ON dwell.records
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dwell.records_added();
CREATE TRIGGER records_removed AFTER DELETE ON dwell.records
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION dwell.records_removed();
CREATE TRIGGER records_rewritten AFTER UPDATE ON dwell.records
    REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dwell.records_rewritten();

CREATE FUNCTION dwell.values_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO dwell.owner_totals AS t (owner, slot, value_bytes)
        SELECT owner, 0, sum(stored) FROM added GROUP BY owner ORDER BY owner
        ON CONFLICT (owner, slot) DO UPDATE SET value_bytes = t.value_bytes + excluded.value_bytes;
    RETURN NULL;
END $$;
CREATE FUNCTION dwell.values_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO dwell.owner_totals AS t (owner, slot, value_bytes)
        SELECT owner, 0, -sum(stored) FROM removed GROUP BY owner ORDER BY owner
        ON CONFLICT (owner, slot) DO UPDATE SET value_bytes = t.value_bytes + excluded.value_bytes;
    RETURN NULL;
END $$;
CREATE FUNCTION dwell.values_rewritten() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO dwell.owner_totals AS t (owner, slot, value_bytes)
        SELECT owner, 0, sum(bytes) FROM (
            SELECT owner, stored AS bytes FROM added UNION ALL SELECT owner, -stored FROM removed
        ) AS changed GROUP BY owner ORDER BY owner
        ON CONFLICT (owner, slot) DO UPDATE SET value_bytes = t.value_bytes + excluded.value_bytes;
    RETURN NULL;
END $$;
CREATE TRIGGER values_added AFTER INSERT ON dwell.stored_values
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dwell.values_added();
CREATE TRIGGER values_removed AFTER DELETE ON dwell.stored_values
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION dwell.values_removed();
CREATE TRIGGER values_rewritten AFTER UPDATE ON dwell.stored_values
    REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dwell.values_rewritten();
