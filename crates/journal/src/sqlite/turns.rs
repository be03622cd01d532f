//! SQL statements that find turns, with the index of events by turn.

use protocol::{Event, Order, SessionId, TurnId};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    chain::{COLUMN_COUNT, COLUMNS, stored_event},
    read::ReadResult,
    write,
};
use crate::{Checksum, Damage, Error, TurnEntry, TurnLocation};

/// A turn starts at the first event with its id. The scan follows the order of events and stops at
/// the last requested turn. The first event of each turn is one lookup in the index.
const BEGINNINGS: &str = "SELECT e.seq, e.turn FROM events e WHERE e.sid = ?1 AND e.turn IS NOT NULL
    AND e.seq = (SELECT min(f.seq) FROM events f WHERE f.turn = e.turn AND f.sid = e.sid)";

pub(super) fn events(connection: &Connection, turn_id: TurnId, after: u64, limit: usize) -> ReadResult<Vec<Event>> {
    // The checksum of the previous event is usually on the same page.
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}, p.sum FROM events e JOIN sessions s USING (sid) LEFT JOIN blobs b ON b.digest = e.blob
         LEFT JOIN events p ON p.sid = e.sid AND p.seq = e.seq - 1
         WHERE e.turn = ?1 AND e.seq > ?2 ORDER BY e.sid, e.seq LIMIT ?3"
    ))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![turn_id.to_bytes(), write::number(after), limit], checked)?;
    rows.collect::<rusqlite::Result<Vec<_>>>().map(|rows| rows.into_iter().collect())
}

/// An event from a row whose last column is the checksum of the event before it.
fn checked(row: &Row<'_>) -> rusqlite::Result<Result<Event, Error>> {
    let stored = stored_event(row)?;
    let before = match row.get::<_, Option<Vec<u8>>>(COLUMN_COUNT)? {
        // An invalid checksum matches no event after it.
        Some(sum) => Checksum::from_slice(&sum).unwrap_or(Checksum::START),
        None if stored.seq() == 1 => Checksum::START,
        None => {
            let (session_id, seq) = (stored.session_id(), stored.seq() - 1);
            return Ok(Err(Damage { session_id, seq, detail: "it is missing".to_owned() }.into()));
        }
    };
    Ok(stored.verify(before).map_err(Error::from).and_then(|_| stored.event()))
}

pub(super) fn place(connection: &Connection, turn_id: TurnId) -> ReadResult<Option<TurnLocation>> {
    connection
        .prepare_cached(
            "SELECT s.id, e.seq FROM events e JOIN sessions s USING (sid)
             WHERE e.turn = ?1 ORDER BY e.sid DESC, e.seq DESC LIMIT 1",
        )?
        .query_row([turn_id.to_bytes()], |row| {
            let last_seq = u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0);
            Ok(TurnLocation { session_id: SessionId::from_bytes(row.get(0)?), last_seq })
        })
        .optional()
        .map(Ok)
}

pub(super) fn list(
    connection: &Connection,
    session_id: SessionId,
    order: Order,
    from: Option<u64>,
    limit: usize,
) -> ReadResult<Vec<TurnEntry>> {
    let Some(sid) = write::sid(connection, session_id)? else { return Ok(Err(Error::NotFound)) };
    let mut statement = connection.prepare_cached(&statement(order))?;
    let from = write::number(from.unwrap_or(match order {
        Order::Oldest => 0,
        Order::Newest => u64::MAX,
    }));
    let rows = statement.query_map(params![sid, from, i64::try_from(limit).unwrap_or(i64::MAX)], |row| {
        let first_seq = u64::try_from(row.get::<_, i64>(0)?).unwrap_or(0);
        Ok(TurnEntry { first_seq, turn_id: TurnId::from_bytes(row.get(1)?) })
    })?;
    rows.collect::<rusqlite::Result<Vec<_>>>().map(Ok)
}

fn statement(order: Order) -> String {
    match order {
        Order::Oldest => format!("{BEGINNINGS} AND e.seq > ?2 ORDER BY e.seq LIMIT ?3"),
        Order::Newest => format!("{BEGINNINGS} AND e.seq < ?2 ORDER BY e.seq DESC LIMIT ?3"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::schema;

    /// SQLite's query plan for a statement.
    fn plan(order: Order) -> String {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::migrate(&mut connection).unwrap();
        let mut explained = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", statement(order))).unwrap();
        let steps = explained.query_map(params![1, 1, 1], |row| row.get::<_, String>(3)).unwrap();
        steps.map(Result::unwrap).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn turns_are_listed_in_order_of_the_key_and_looked_up_in_the_index() {
        for (order, range) in [(Order::Oldest, "sid=? AND seq>?"), (Order::Newest, "sid=? AND seq<?")] {
            let plan = plan(order);
            assert!(plan.contains(&format!("SEARCH e USING PRIMARY KEY ({range})")), "{plan}");
            assert!(plan.contains("SEARCH f USING COVERING INDEX events_by_turn (turn=? AND sid=?)"), "{plan}");
            assert!(!plan.contains("B-TREE") && !plan.contains("SCAN"), "nothing is sorted or read whole: {plan}");
        }
    }
}
