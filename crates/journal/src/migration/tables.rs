//! The tables that a migration copies, in a form that both stores can read and write.
//!
//! A store's own numbers of sessions (`sid`) and values (`vid`) are copied too, so that the rows of
//! both sides are the same. What belongs to running servers only is not copied: nodes, leases,
//! tokens of writes, notices. Sums of each owner follow from the rows.

use super::row::ColumnKind::{self, Bytes, Integer, Text, Truth};

/// A table in the form that both stores share.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The columns with their types, those of the key first.
    pub(crate) columns: &'static [(&'static str, ColumnKind)],
    /// The number of columns of the key. Rows are copied in its order.
    pub(crate) key: usize,
    /// The rows that are copied, as a condition; empty for all.
    pub(crate) condition: &'static str,
}

impl Table {
    /// The names of the columns, as a list.
    pub(crate) fn column_list(&self) -> String {
        join(self.columns)
    }

    /// The columns of the key, as a list.
    pub(crate) fn key_list(&self) -> String {
        join(self.key_columns())
    }

    /// The columns of the key.
    pub(crate) fn key_columns(&self) -> &'static [(&'static str, ColumnKind)] {
        self.columns.get(..self.key).unwrap_or_default()
    }
}

fn join(columns: &[(&str, ColumnKind)]) -> String {
    columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

const fn table(name: &'static str, key: usize, columns: &'static [(&'static str, ColumnKind)]) -> Table {
    Table { name, columns, key, condition: "" }
}

/// The bytes of a session's events, and the last of them.
pub(crate) const HEADS: &str = "heads";
/// Events, whose large bodies the embedded store has in a table of their own.
pub(crate) const EVENTS: &str = "events";
/// Artifacts, of which old ones have no checksum in the embedded store.
pub(crate) const ARTIFACTS: &str = "artifacts";

/// All tables, in the order in which they are copied: what others refer to comes first.
pub(crate) static TABLES: [Table; 16] = [
    table(
        "sessions",
        1,
        &[
            ("sid", Integer),
            ("id", Bytes),
            ("owner", Text),
            ("name", Text),
            ("updated_at", Integer),
            ("is_moving", Truth),
            ("is_temporary", Truth),
            ("wake_at", Integer),
            ("view", Text),
        ],
    ),
    table(
        EVENTS,
        2,
        &[
            ("sid", Integer),
            ("seq", Integer),
            ("format", Integer),
            ("at", Integer),
            ("turn", Bytes),
            ("agent", Text),
            ("body", Text),
            ("sum", Bytes),
        ],
    ),
    table(HEADS, 1, &[("sid", Integer), ("head", Integer), ("sum", Bytes), ("bytes", Integer)]),
    table(
        "snapshots",
        1,
        &[
            ("sid", Integer),
            ("seq", Integer),
            ("format", Integer),
            ("state", Text),
            ("event_sum", Bytes),
            ("sum", Bytes),
        ],
    ),
    table(
        ARTIFACTS,
        1,
        &[
            ("id", Bytes),
            ("sid", Integer),
            ("owner", Text),
            ("created_at", Integer),
            ("size", Integer),
            ("view", Text),
            ("sum", Bytes),
            ("bytes", Bytes),
        ],
    ),
    table("schedules", 1, &[("id", Bytes), ("sid", Integer), ("entity", Text)]),
    table("alerts", 1, &[("id", Bytes), ("sid", Integer)]),
    table("background_turns", 1, &[("id", Bytes), ("sid", Integer), ("is_open", Truth)]),
    table("vaults", 1, &[("id", Bytes), ("owner", Text), ("title", Text), ("created_at", Integer), ("body", Text)]),
    table(
        "memories",
        1,
        &[
            ("id", Bytes),
            ("owner", Text),
            ("vault", Bytes),
            ("title", Text),
            ("session", Bytes),
            ("created_at", Integer),
            ("body", Text),
        ],
    ),
    table(
        "records",
        1,
        &[
            ("id", Bytes),
            ("owner", Text),
            ("level", Text),
            ("memory", Bytes),
            ("at", Integer),
            ("stored_at", Integer),
            ("body", Text),
            ("sum", Bytes),
        ],
    ),
    table("vectors", 2, &[("item", Bytes), ("model", Text), ("owner", Text), ("bytes", Bytes)]),
    table("write_keys", 2, &[("owner", Text), ("key", Text), ("digest", Text), ("answer", Text), ("at", Integer)]),
    table("bookmarks", 2, &[("follower", Text), ("sid", Integer), ("seq", Integer), ("state", Text)]),
    table(
        "stored_values",
        1,
        &[
            ("vid", Integer),
            ("owner", Text),
            ("key", Bytes),
            ("created_at", Integer),
            ("updated_at", Integer),
            ("ttl_ms", Integer),
            ("expires_at", Integer),
            ("size", Integer),
            ("stored", Integer),
            ("sum", Bytes),
            ("dimensions", Integer),
            ("vectors", Bytes),
            ("bytes", Bytes),
        ],
    ),
    // The record of the clock; what else is in this table belongs to the store.
    Table { condition: "name LIKE 'clock%'", ..table("meta", 1, &[("name", Text), ("value", Integer)]) },
];
