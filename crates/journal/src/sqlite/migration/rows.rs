//! Rows of the embedded store in the form that both stores share.

use rusqlite::{Connection, OptionalExtension, Row, ToSql, params_from_iter, types::ToSqlOutput, types::Value};

use super::super::write::{WriteFailure, number, text_or_blob};
use crate::{
    Error,
    encoding::item_sums,
    migration::{ARTIFACTS, BYTES_MAX, Cell, ColumnKind, EVENTS, HEADS, ROWS_MAX, Table, TableRow},
};

/// Where the rows of a table are: the table itself, or what has the same columns.
fn relation(table: &Table) -> &'static str {
    match table.name {
        EVENTS => {
            "(SELECT e.sid, e.seq, e.format, e.at, e.turn, e.agent,
                 coalesce(e.body, CAST(b.bytes AS TEXT)) AS body, e.sum
             FROM events e LEFT JOIN blobs b ON b.digest = e.blob)"
        }
        HEADS => {
            "(SELECT t.sid, coalesce(e.seq, 0) AS head, coalesce(e.sum, zeroblob(16)) AS sum, t.bytes
             FROM session_totals t LEFT JOIN events e
             ON e.sid = t.sid AND e.seq = (SELECT max(seq) FROM events WHERE sid = t.sid))"
        }
        name => name,
    }
}

fn condition(table: &Table) -> &'static str {
    if table.condition.is_empty() { "true" } else { table.condition }
}

/// The number of rows of a table.
pub(super) fn count(connection: &Connection, table: &Table) -> rusqlite::Result<u64> {
    let from = match table.name {
        EVENTS => "events",
        HEADS => "session_totals",
        name => name,
    };
    let sql = format!("SELECT count(*) FROM {from} WHERE {}", condition(table));
    connection.query_row(&sql, [], |row| row.get(0)).map(|count: i64| u64::try_from(count).unwrap_or(0))
}

/// The next rows after a key.
pub(super) fn read(connection: &Connection, table: &Table, after: Option<&[Cell]>) -> rusqlite::Result<Vec<TableRow>> {
    let (key, after) = (table.key_list(), after.unwrap_or_default());
    let places = (1..=after.len()).map(|n| format!("?{n}")).collect::<Vec<_>>().join(", ");
    let beyond = if after.is_empty() { "true".to_owned() } else { format!("({key}) > ({places})") };
    let sql = format!(
        "SELECT {} FROM {} WHERE {} AND {beyond} ORDER BY {key} LIMIT {ROWS_MAX}",
        table.column_list(),
        relation(table),
        condition(table),
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found = statement.query(params_from_iter(after))?;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while bytes < BYTES_MAX
        && let Some(row) = found.next()?
    {
        let row = table_row(row, table)?;
        bytes += row.size();
        rows.push(row);
    }
    Ok(rows)
}

fn table_row(row: &Row<'_>, table: &Table) -> rusqlite::Result<TableRow> {
    let kinds = table.columns.iter().map(|(_, kind)| *kind).enumerate();
    let mut cells = kinds.map(|(at, kind)| cell(row, at, kind)).collect::<rusqlite::Result<Vec<_>>>()?;
    if table.name == ARTIFACTS
        && let [Cell::Bytes(id), .., sum @ Cell::Null, Cell::Bytes(bytes)] = cells.as_mut_slice()
    {
        // It is older than the checksums of artifacts. The other store has none without.
        *sum = Cell::Bytes(item_sums::of_artifact(id, bytes).as_bytes().to_vec());
    }
    Ok(TableRow(cells))
}

fn cell(row: &Row<'_>, at: usize, kind: ColumnKind) -> rusqlite::Result<Cell> {
    Ok(match kind {
        ColumnKind::Integer => row.get::<_, Option<i64>>(at)?.map(Cell::Integer),
        ColumnKind::Truth => row.get::<_, Option<bool>>(at)?.map(Cell::Truth),
        ColumnKind::Text => row.get::<_, Option<String>>(at)?.map(Cell::Text),
        ColumnKind::Bytes => row.get::<_, Option<Vec<u8>>>(at)?.map(Cell::Bytes),
    }
    .unwrap_or(Cell::Null))
}

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Integer(number) => ToSqlOutput::from(*number),
            Self::Truth(truth) => ToSqlOutput::from(*truth),
            Self::Text(text) => ToSqlOutput::from(text.as_str()),
            Self::Bytes(bytes) => ToSqlOutput::from(bytes.as_slice()),
        })
    }
}

/// Writes rows.
pub(super) fn write(connection: &Connection, table: &Table, rows: &[TableRow]) -> Result<(), WriteFailure> {
    match table.name {
        EVENTS => rows.iter().try_for_each(|row| write_event(connection, row)),
        HEADS => rows.iter().try_for_each(|row| write_bytes(connection, row)),
        _ => {
            let places = (1..=table.columns.len()).map(|n| format!("?{n}")).collect::<Vec<_>>().join(", ");
            let sql = format!("INSERT INTO {} ({}) VALUES ({places})", table.name, table.column_list());
            let mut statement = connection.prepare_cached(&sql)?;
            for row in rows {
                statement.execute(params_from_iter(&row.0))?;
            }
            Ok(())
        }
    }
}

fn write_event(connection: &Connection, row: &TableRow) -> Result<(), WriteFailure> {
    let [sid, seq, format, at, turn, agent, Cell::Text(body), sum] = row.0.as_slice() else {
        return Err(unexpected(EVENTS));
    };
    let stored = text_or_blob(connection, body)?;
    let (text, blob) = (stored.text.map_or(Cell::Null, |text| Cell::Text(text.to_owned())), stored.blob);
    connection
        .prepare_cached(
            "INSERT INTO events (sid, seq, format, at, turn, agent, body, blob, sum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(rusqlite::params![sid, seq, format, at, turn, agent, text, blob, sum])?;
    Ok(())
}

/// The head itself is the session's last event, which is copied before.
fn write_bytes(connection: &Connection, row: &TableRow) -> Result<(), WriteFailure> {
    let [sid, _, _, bytes] = row.0.as_slice() else { return Err(unexpected(HEADS)) };
    connection
        .prepare_cached("UPDATE session_totals SET bytes = ?2 WHERE sid = ?1")?
        .execute(rusqlite::params![sid, bytes])?;
    Ok(())
}

fn unexpected(table: &str) -> WriteFailure {
    let cause = format!("a row of `{table}` has not the columns that it should have");
    WriteFailure::Refused(Error::Storage { action: "copy rows", cause })
}

/// A number in the table `meta`.
pub(super) fn mark(connection: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
    connection.query_row("SELECT value FROM meta WHERE name = ?1", [name], |row| row.get(0)).optional()
}

/// Sets or removes a number in the table `meta`.
pub(super) fn set_mark(connection: &Connection, name: &str, value: Option<i64>) -> rusqlite::Result<()> {
    match value {
        Some(value) => {
            let sql = "INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)";
            connection.execute(sql, rusqlite::params![name, value])
        }
        None => connection.execute("DELETE FROM meta WHERE name = ?1", [name]),
    }
    .map(drop)
}

/// Moves the position of a table. Refused if it is not where the caller believes.
pub(super) fn advance(
    connection: &Connection,
    table: &Table,
    before: u64,
    after: u64,
    last: &str,
) -> Result<(), WriteFailure> {
    let sql = "UPDATE migration SET rows = ?3, last = ?4 WHERE name = ?1 AND rows = ?2";
    let params = rusqlite::params![table.name, number(before), number(after), last];
    match connection.prepare_cached(sql)?.execute(params)? {
        1 => Ok(()),
        _ => Err(WriteFailure::Refused(Error::NotMigrated("another migration copies into the same target".to_owned()))),
    }
}
