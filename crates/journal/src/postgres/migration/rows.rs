//! Rows of the database in the form that both stores share.

use async_trait::async_trait;
use tokio_postgres::Row;

use super::super::{
    database::Write,
    failure::Failure,
    params::{Param, params},
    pool::Connection,
};
use crate::{
    Error,
    migration::{BYTES_MAX, Cell, ColumnKind, CopyPosition, HEADS, ROWS_MAX, Table, TableRow},
};

fn condition(table: &Table) -> &'static str {
    if table.condition.is_empty() { "true" } else { table.condition }
}

/// The statement that counts a table's rows.
pub(super) fn count(table: &Table) -> String {
    format!("SELECT count(*) FROM dwell.{} WHERE {}", table.name, condition(table))
}

/// The statement for the next rows after a key of that many columns. The database adds up the sizes
/// of the rows, so that it sends few bytes more than are wanted.
pub(super) fn read(table: &Table, after: usize) -> String {
    let (columns, key) = (table.column_list(), table.key_list());
    let places = (1..=after).map(|n| format!("${n}")).collect::<Vec<_>>().join(", ");
    let beyond = if after == 0 { "true".to_owned() } else { format!("({key}) > ({places})") };
    let long = table.columns.iter().filter(|(_, kind)| matches!(kind, ColumnKind::Text | ColumnKind::Bytes));
    let sizes = long.map(|(name, _)| format!(" + coalesce(octet_length({name}), 0)")).collect::<String>();
    format!(
        "SELECT {columns} FROM (
             SELECT r.*, sum(row_bytes) OVER (ORDER BY {key} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
             FROM (SELECT {columns}, (0{sizes})::bigint AS row_bytes FROM dwell.{name}
                   WHERE {condition} AND {beyond} ORDER BY {key} LIMIT {ROWS_MAX}) r) r
         WHERE coalesce(bytes_before, 0) < {BYTES_MAX} ORDER BY {key}",
        name = table.name,
        condition = condition(table),
    )
}

/// The parameter for a cell of a key.
pub(super) fn key_param(cell: &Cell) -> Param<'_> {
    match cell {
        Cell::Null => Param::Text(None),
        Cell::Integer(number) => Param::Int(Some(*number)),
        Cell::Truth(truth) => Param::Bool(*truth),
        Cell::Text(text) => Param::Text(Some(text)),
        Cell::Bytes(bytes) => Param::Bytes(Some(bytes)),
    }
}

/// Reads a row.
pub(super) fn table_row(row: &Row, table: &Table) -> Result<TableRow, Failure> {
    let kinds = table.columns.iter().map(|(_, kind)| *kind).enumerate();
    Ok(TableRow(kinds.map(|(at, kind)| cell(row, at, kind)).collect::<Result<_, _>>()?))
}

fn cell(row: &Row, at: usize, kind: ColumnKind) -> Result<Cell, tokio_postgres::Error> {
    Ok(match kind {
        ColumnKind::Integer => row.try_get::<_, Option<i64>>(at)?.map(Cell::Integer),
        ColumnKind::Truth => row.try_get::<_, Option<bool>>(at)?.map(Cell::Truth),
        ColumnKind::Text => row.try_get::<_, Option<String>>(at)?.map(Cell::Text),
        ColumnKind::Bytes => row.try_get::<_, Option<Vec<u8>>>(at)?.map(Cell::Bytes),
    }
    .unwrap_or(Cell::Null))
}

/// Rows to write, with the position before them.
pub(super) struct WriteRows<'a> {
    pub(super) table: &'static Table,
    pub(super) rows: &'a [TableRow],
    pub(super) at: &'a CopyPosition,
    /// The position after them.
    pub(super) last: String,
}

#[async_trait]
impl Write for WriteRows<'_> {
    type Answer = ();

    async fn run(&self, on: &Connection) -> Result<(), Failure> {
        let Self { table, rows, at, last } = self;
        let after = at.rows + rows.len() as u64;
        let sql = "UPDATE dwell.migration SET rows = $3, last = $4 WHERE name = $1 AND rows = $2";
        if on.execute(sql, &params![table.name, at.rows, after, last]).await? != 1 {
            return Err(Error::NotMigrated("another migration copies into the same target".to_owned()).into());
        }
        let kinds = table.columns.iter().enumerate();
        let arrays = kinds.clone().map(|(at, (_, kind))| format!("${}::{}[]", at + 1, sql_type(*kind)));
        // The numbers of the source stay, so that the rows of both sides are the same.
        let sql = format!(
            "INSERT INTO dwell.{} ({}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest({})",
            table.name,
            table.column_list(),
            arrays.collect::<Vec<_>>().join(", "),
        );
        let params = kinds.map(|(at, (name, kind))| array(rows, at, name, *kind)).collect::<Result<Vec<_>, _>>()?;
        on.execute(&sql, &params).await?;
        if table.name == HEADS {
            count_bytes(on, &params).await?;
        }
        Ok(())
    }
}

/// Adds the bytes of sessions to the totals of their owners. Everything else is counted by
/// triggers.
async fn count_bytes(on: &Connection, heads: &[Param<'_>]) -> Result<(), Failure> {
    let [Param::Ints(sids), _, _, Param::Ints(bytes)] = heads else { return Ok(()) };
    let sql = "INSERT INTO dwell.owner_totals AS t (owner, slot, journal_bytes)
         SELECT s.owner, 0, sum(n.bytes) FROM unnest($1::bigint[], $2::bigint[]) AS n(sid, bytes)
         JOIN dwell.sessions s USING (sid) GROUP BY s.owner ORDER BY s.owner
         ON CONFLICT (owner, slot) DO UPDATE SET journal_bytes = t.journal_bytes + excluded.journal_bytes";
    on.execute(sql, &params![sids.clone(), bytes.clone()]).await.map(drop)
}

const fn sql_type(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Integer => "bigint",
        ColumnKind::Truth => "boolean",
        ColumnKind::Text => "text",
        ColumnKind::Bytes => "bytea",
    }
}

/// The cells of a column, as one parameter.
fn array<'a>(rows: &'a [TableRow], at: usize, name: &str, kind: ColumnKind) -> Result<Param<'a>, Failure> {
    let wrong = || Error::Storage { action: "copy rows", cause: format!("a row has a wrong `{name}`") };
    let cells = || rows.iter().map(|row| row.0.get(at).unwrap_or(&Cell::Null));
    let param = match kind {
        ColumnKind::Integer => cells()
            .map(|cell| match cell {
                Cell::Integer(number) => Some(Some(*number)),
                Cell::Null => Some(None),
                _ => None,
            })
            .collect::<Option<Vec<_>>>()
            .map(Param::Ints),
        ColumnKind::Truth => cells()
            .map(|cell| if let Cell::Truth(truth) = cell { Some(*truth) } else { None })
            .collect::<Option<Vec<_>>>()
            .map(Param::Bools),
        ColumnKind::Text => cells()
            .map(|cell| match cell {
                Cell::Text(text) => Some(Some(text.as_str())),
                Cell::Null => Some(None),
                _ => None,
            })
            .collect::<Option<Vec<_>>>()
            .map(Param::Texts),
        ColumnKind::Bytes => cells()
            .map(|cell| match cell {
                Cell::Bytes(bytes) => Some(Some(bytes.clone())),
                Cell::Null => Some(None),
                _ => None,
            })
            .collect::<Option<Vec<_>>>()
            .map(Param::Blobs),
    };
    Ok(param.ok_or_else(wrong)?)
}
