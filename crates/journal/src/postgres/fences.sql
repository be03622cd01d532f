-- A second fence between owners: while a transaction names an owner, it sees no rows of others, whatever its statements
-- say. Without a name all rows are there, for what concerns all owners. Superusers pass every fence.
DO $$
DECLARE
    part TEXT;
BEGIN
    FOREACH part IN ARRAY ARRAY[
        'sessions', 'artifacts', 'vaults', 'memories', 'records', 'vectors', 'write_keys', 'stored_values'
    ] LOOP
        EXECUTE format('ALTER TABLE dwell.%I ENABLE ROW LEVEL SECURITY', part);
        EXECUTE format('ALTER TABLE dwell.%I FORCE ROW LEVEL SECURITY', part);
        EXECUTE format(
            'CREATE POLICY owners ON dwell.%I USING (coalesce(current_setting(''dwell.owner'', true), '''') IN ('''', owner))',
            part);
    END LOOP;
END $$;
