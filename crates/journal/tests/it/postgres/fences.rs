//! The policies that keep owners apart, whatever a statement says.

use journal::{Artifacts, Journal};

use super::TestDatabase;
use crate::sample::{artifact, owner, session, started, summary};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_of_an_owner_sees_no_rows_of_others() {
    let database = TestDatabase::new();
    let store = database.node("one").await;
    for (n, name) in [(1, "ada"), (2, "bob"), (3, "bob")] {
        let (id, who) = (session(n), owner(name));
        store.create(vec![started(id, &who, None)], summary(id, &who, None, 0)).await.unwrap();
        store.put(artifact(n, id, &who, n, 10)).await.unwrap();
    }
    let seen = |who: &str, table: &str| {
        let fenced = format!(
            "SET ROLE dwell; BEGIN; SELECT set_config('dwell.owner', '{who}', true) <> 'x'; \
             SELECT count(*) FROM dwell.{table}; COMMIT"
        );
        database.sql(&fenced).lines().last().unwrap_or_default().to_owned()
    };
    for table in ["sessions", "artifacts"] {
        assert_eq!(seen("ada", table), "1", "{table}");
        assert_eq!(seen("bob", table), "2", "{table}");
        assert_eq!(seen("eve", table), "0", "{table}");
        assert_eq!(seen("", table), "3", "{table}: without an owner all are there");
    }
    // Totals are read for all owners at once, and every node has to know who is served where.
    let unfenced = database.sql(
        "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'owner'
         WHERE n.nspname = 'dwell' AND c.relkind = 'r' AND NOT c.relforcerowsecurity
             AND c.relname NOT IN ('owner_totals', 'owner_leases')",
    );
    assert_eq!(unfenced, "0", "every table with an owner has the fence");
}
