//! `dwell verify`: checks the whole data folder through a read-only connection. A server may run on
//! it.

use std::{collections::HashMap, path::Path};

use protocol::SessionId;
use rusqlite::Connection;
use serde::Serialize;

use super::{
    heads::{self, CheckScope, Heads},
    integrity, log, open, schema,
    start::open_read_only,
};
use crate::{Error, Loss, Snapshot, encoding::item_sums};

/// Maximum number of SQLite's findings that are reported.
const COMPLAINTS_MAX: u32 = 20;

/// Result of a verification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct VerifyReport {
    /// The format of the file.
    pub format: i64,
    /// Number of commits.
    pub commits: u64,
    /// Whether there is a file of heads to compare with.
    pub has_heads: bool,
    /// Sessions that were checked.
    pub sessions: u64,
    /// Intact events.
    pub events: u64,
    /// Snapshots that were checked.
    pub snapshots: u64,
    /// Artifacts that were checked.
    pub artifacts: u64,
    /// Artifacts stored before there were checksums, so that their bytes cannot be checked.
    pub artifacts_without_sum: u64,
    /// Records of memory that were checked.
    pub records: u64,
    /// Values of programs that were checked.
    pub values: u64,
    /// Acknowledged data that is missing.
    pub loss: Option<Loss>,
    /// What is damaged.
    pub faults: Vec<VerifyFault>,
}

/// A damaged item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifyFault {
    /// Kind of the item: `file`, `heads`, `session`, `snapshot`, `artifact`, `record`, `vault`,
    /// `memory` or `value`.
    pub what: &'static str,
    /// Id of the item, if it has one.
    pub id: Option<String>,
    /// The number of the first damaged event of a session.
    pub seq: Option<u64>,
    /// How this was detected.
    pub detail: String,
}

impl VerifyReport {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.loss.is_none() && self.faults.is_empty()
    }

    fn fault(&mut self, what: &'static str, id: Option<String>, detail: impl Into<String>) {
        self.faults.push(VerifyFault { what, id, seq: None, detail: detail.into() });
    }
}

/// Checks a data folder's journal. `progress` gets the number of checked sessions and of all
/// sessions.
pub fn verify(folder: &Path, progress: &mut dyn FnMut(u64, u64)) -> Result<VerifyReport, Error> {
    let path = folder.join(open::FILE);
    // Read before the database: a running server may commit meanwhile, so that the database has
    // more, never less.
    let acknowledged = heads::read(&folder.join(heads::FILE))?;
    let mut report = VerifyReport { has_heads: acknowledged.is_some(), ..VerifyReport::default() };
    if open::size(&path) == 0 {
        report.loss = acknowledged.as_ref().and_then(heads::lost_whole);
        report.fault("file", None, format!("{} is missing or empty", path.display()));
        return Ok(report);
    }
    open::check_header(&path)?;
    let failed = |error| open::explain(&path, "check the journal", &error);
    let connection = open_read_only(&path).map_err(failed)?;
    report.format = schema::format(&connection).map_err(failed)?;
    if report.format > schema::CURRENT {
        return Err(Error::Newer { path, found: report.format, known: schema::CURRENT });
    }
    check_pages(&connection, &mut report).map_err(failed)?;
    if let Some(acknowledged) = &acknowledged {
        if acknowledged.bad_lines > 0 {
            report.fault("heads", None, format!("{} lines of {} cannot be read", acknowledged.bad_lines, heads::FILE));
        }
        let ahead = log::ahead(folder, &connection)?;
        let compared = heads::compare(&connection, &ahead, acknowledged, CheckScope::All).map_err(failed)?;
        report.loss = compared.loss;
        for damage in compared.changed {
            let (id, seq) = (Some(damage.session_id.to_string()), Some(damage.seq));
            report.faults.push(VerifyFault { what: "session", id, seq, detail: damage.detail });
        }
    }
    if report.format < schema::WITH_SUMS {
        report.fault("file", None, "it was written before there were checksums; start the server once to make them");
        return Ok(report);
    }
    report.commits = heads::commits(&connection).map_err(failed)?;
    check_sessions(&connection, &mut report, progress).map_err(failed)??;
    check_snapshots(&connection, &mut report).map_err(failed)?;
    check_artifacts(&connection, &mut report).map_err(failed)?;
    check_memory(&connection, &mut report).map_err(failed)?;
    if report.format >= schema::WITH_VALUES {
        check_values(&connection, &mut report).map_err(failed)?;
    }
    Ok(report)
}

/// Rewrites the file of heads from the journal, for example after a restore. No server may run on
/// it.
pub fn make_heads(folder: &Path) -> Result<(), Error> {
    let path = folder.join(open::FILE);
    open::check_header(&path)?;
    let failed = |error| open::explain(&path, "read the journal", &error);
    let connection = open_read_only(&path).map_err(failed)?;
    let is_current = schema::format(&connection).map_err(failed)? >= schema::WITH_SUMS;
    let (commits, known) = if is_current {
        (heads::commits(&connection).map_err(failed)?, heads::all(&connection).map_err(failed)?)
    } else {
        (0, HashMap::new())
    };
    let file = folder.join(heads::FILE);
    Heads::create(file.clone(), commits, known);
    match heads::read(&file)? {
        Some(written) if written.commits == commits => Ok(()),
        _ => Err(Error::Storage { action: "write the file of heads", cause: "see the log".to_owned() }),
    }
}

fn check_pages(connection: &Connection, report: &mut VerifyReport) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(&format!("PRAGMA integrity_check({COMPLAINTS_MAX})"))?;
    let complaints = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    for complaint in complaints.into_iter().filter(|complaint| complaint != "ok") {
        report.fault("file", None, complaint);
    }
    Ok(())
}

fn check_sessions(
    connection: &Connection,
    report: &mut VerifyReport,
    progress: &mut dyn FnMut(u64, u64),
) -> rusqlite::Result<Result<(), Error>> {
    let mut statement = connection.prepare("SELECT id FROM sessions ORDER BY sid")?;
    let ids = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<[u8; 16]>>>()?;
    let total = ids.len() as u64;
    for id in ids {
        let session_id = SessionId::from_bytes(id);
        let mut events = 0;
        loop {
            match integrity::check(connection, session_id, events)? {
                Ok(count) => {
                    events += count;
                    if count < integrity::PAGE as u64 {
                        break;
                    }
                }
                // It was removed meanwhile.
                Err(Error::NotFound) => break,
                Err(Error::DamagedSession { seq, detail, .. }) => {
                    events = seq.saturating_sub(1);
                    let id = Some(session_id.to_string());
                    report.faults.push(VerifyFault { what: "session", id, seq: Some(seq), detail });
                    break;
                }
                Err(error) => return Ok(Err(error)),
            }
        }
        report.events += events;
        report.sessions += 1;
        progress(report.sessions, total);
    }
    Ok(Ok(()))
}

fn check_snapshots(connection: &Connection, report: &mut VerifyReport) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(
        "SELECT s.id, p.seq, p.format, p.state, p.sum, p.event_sum IS e.sum
         FROM snapshots p JOIN sessions s USING (sid) LEFT JOIN events e ON e.sid = p.sid AND e.seq = p.seq",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        report.snapshots += 1;
        let id = SessionId::from_bytes(row.get(0)?);
        let seq = u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0);
        let state = String::from_utf8_lossy(row.get_ref(3)?.as_bytes()?).into_owned();
        let snapshot = Snapshot { seq, format: row.get(2)?, state };
        if item_sums::of_snapshot(id, &snapshot).as_bytes() != row.get_ref(4)?.as_bytes()? {
            report.fault(
                "snapshot",
                Some(id.to_string()),
                "it is not what was written; loading reads the events instead",
            );
        } else if !row.get::<_, bool>(5)? {
            report.fault(
                "snapshot",
                Some(id.to_string()),
                "it does not match the events; loading reads the events instead",
            );
        }
    }
    Ok(())
}

fn check_artifacts(connection: &Connection, report: &mut VerifyReport) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT id, view, bytes, sum FROM artifacts")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        report.artifacts += 1;
        let id: [u8; 16] = row.get(0)?;
        let name = || Some(protocol::ArtifactId::from_bytes(id).to_string());
        match row.get_ref(3)?.as_bytes_or_null()? {
            None => report.artifacts_without_sum += 1,
            Some(sum) if item_sums::of_artifact(&id, row.get_ref(2)?.as_bytes()?).as_bytes() == sum => {}
            Some(_) => report.fault("artifact", name(), "its bytes are not what was written"),
        }
        if serde_json::from_slice::<protocol::ArtifactView>(row.get_ref(1)?.as_bytes()?).is_err() {
            report.fault("artifact", name(), "its description cannot be read");
        }
    }
    Ok(())
}

fn check_memory(connection: &Connection, report: &mut VerifyReport) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT id, owner, body, sum FROM records")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        report.records += 1;
        let id: [u8; 16] = row.get(0)?;
        let text = |column| Ok::<_, rusqlite::Error>(String::from_utf8_lossy(row.get_ref(column)?.as_bytes()?));
        if item_sums::of_record(&id, &text(1)?, &text(2)?).as_bytes() != row.get_ref(3)?.as_bytes()? {
            report.fault("record", Some(protocol::ItemId::from_bytes(id).to_string()), "it is not what was written");
        }
    }
    for (what, sql) in [("vault", "SELECT id, body FROM vaults"), ("memory", "SELECT id, body FROM memories")] {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            report.records += 1;
            if serde_json::from_slice::<serde_json::Value>(row.get_ref(1)?.as_bytes()?).is_err() {
                let id = protocol::ItemId::from_bytes(row.get(0)?).to_string();
                report.fault(what, Some(id), "it cannot be read");
            }
        }
    }
    Ok(())
}

fn check_values(connection: &Connection, report: &mut VerifyReport) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT owner, key, bytes, sum FROM stored_values")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        report.values += 1;
        let owner: String = row.get(0)?;
        let sum = item_sums::of_value(&owner, row.get_ref(1)?.as_bytes()?, row.get_ref(2)?.as_bytes()?);
        if sum.as_bytes() != row.get_ref(3)?.as_bytes()? {
            report.fault("value", None, format!("a value of the owner {owner} is not what was written"));
        }
    }
    Ok(())
}
