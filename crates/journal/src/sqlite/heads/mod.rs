//! The last committed head of every session, kept outside SQLite's log.
//!
//! When a batch is durable, and before its callers are answered, the writer thread appends a line
//! to the file `journal.heads`. The line has the number of the batch and, for each session that it
//! touched, the number and the checksum of its newest event. The number is also in the journal's
//! log or in the database (`meta`). A start compares them, so a log that lost its end is noticed.
//!
//! The line is written without a flush. A killed process loses nothing of it, since the operating
//! system has it. After a power cut the file may be older than the database or end in a torn line,
//! but never newer: a line is written only after its batch was flushed to the disk. Less in the
//! file than in the database is therefore normal. Less in the database never is.

mod check;
mod line;

use std::{
    collections::{HashMap, HashSet},
    fs::{File, OpenOptions},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

pub(super) use check::{CheckScope, HeadsComparison, LogHeads, all, commits, compare, lost_whole};
use line::HeadsLine;
use protocol::SessionId;

use crate::{Error, encoding::Head};

/// The file's name in the data folder.
pub(super) const FILE: &str = "journal.heads";
/// The first line of the file.
const HEADER: &str = "dwell-heads 1\n";
/// Sessions per line in the list at the beginning of the file.
const BASE_SESSIONS_MAX: usize = 32;
/// Lines are appended up to this size, or up to the size of the list; then the file is rewritten.
const ADDED_BYTES_MAX: u64 = 1024 * 1024;

/// What was acknowledged, according to the file.
#[derive(Debug, Default)]
pub(super) struct AcknowledgedHeads {
    /// The number of the last commit.
    pub(super) commits: u64,
    /// The heads of sessions after it.
    pub(super) heads: HashMap<SessionId, Head>,
    /// Sessions that were touched since the file was rewritten.
    pub(super) recent: HashSet<SessionId>,
    /// Unreadable lines before the last one: the file itself is damaged. A torn last line is
    /// normal.
    pub(super) bad_lines: usize,
}

/// Reads the file. `None` if it does not exist or has no readable line.
pub(super) fn read(path: &Path) -> Result<Option<AcknowledgedHeads>, Error> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let cause = format!("{}: {error}", path.display());
            return Err(Error::Storage { action: "read the file of heads", cause });
        }
    };
    Ok(parse(&bytes))
}

fn parse(bytes: &[u8]) -> Option<AcknowledgedHeads> {
    let (mut found, mut is_empty, mut bad_before) = (AcknowledgedHeads::default(), true, 0);
    for bytes in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        if bytes == HEADER.trim_end().as_bytes() {
            continue;
        }
        let Some(line) = HeadsLine::read(bytes) else {
            bad_before += 1;
            continue;
        };
        // A bad line before a good one is damaged, not torn.
        found.bad_lines = bad_before;
        is_empty = false;
        found.commits = found.commits.max(line.commits);
        for (id, head) in line.sessions {
            if !line.is_base {
                found.recent.insert(id);
            }
            match head {
                Some(head) => drop(found.heads.insert(id, head)),
                None => drop(found.heads.remove(&id)),
            }
        }
    }
    (!is_empty).then_some(found)
}

/// The file. Only the writer thread writes it.
#[derive(Debug)]
pub(super) struct Heads {
    path: PathBuf,
    /// `None` after a failure: the next line rewrites the file.
    file: Option<File>,
    known: HashMap<SessionId, Head>,
    commits: u64,
    base_bytes: u64,
    added_bytes: u64,
    is_failing: bool,
}

impl Heads {
    /// Rewrites the file.
    pub(super) fn create(path: PathBuf, commits: u64, known: HashMap<SessionId, Head>) -> Self {
        let mut heads = Self { path, file: None, known, commits, base_bytes: 0, added_bytes: 0, is_failing: false };
        heads.write(None);
        heads
    }

    /// Records a commit. A failure here is logged and does not affect the commit. The next commit
    /// rewrites the file.
    pub(super) fn record(&mut self, commits: u64, sessions: Vec<(SessionId, Option<Head>)>) {
        self.commits = commits;
        for (id, head) in &sessions {
            match head {
                Some(head) => drop(self.known.insert(*id, *head)),
                None => drop(self.known.remove(id)),
            }
        }
        let is_long = self.added_bytes > ADDED_BYTES_MAX.max(self.base_bytes);
        let line = (!is_long).then_some(HeadsLine { is_base: false, commits, sessions });
        self.write(line);
    }

    /// Rewrites the file, so that no checksum of erased text is left in it.
    pub(super) fn forget(&mut self) {
        self.write(None);
    }

    fn write(&mut self, line: Option<HeadsLine>) {
        let written = match (&mut self.file, line) {
            (Some(file), Some(line)) => {
                let text = line.write();
                self.added_bytes += text.len() as u64;
                file.write_all(text.as_bytes())
            }
            _ => self.write_anew(),
        };
        match written {
            Ok(()) => self.is_failing = false,
            Err(error) => {
                self.file = None;
                if !std::mem::replace(&mut self.is_failing, true) {
                    tracing::warn!(path = %self.path.display(), %error,
                        "failed to record what was committed; a loss of it would go unnoticed until this succeeds");
                }
            }
        }
    }

    /// Replaces the file. The new one is flushed first, so that a power cut leaves one of the two.
    fn write_anew(&mut self) -> std::io::Result<()> {
        let mut text = HEADER.to_owned();
        let mut sessions: Vec<_> = self.known.iter().map(|(id, head)| (*id, Some(*head))).collect();
        sessions.sort_unstable_by_key(|(id, _)| *id);
        let commits = self.commits;
        let base = |sessions: &[_]| HeadsLine { is_base: true, commits, sessions: sessions.to_vec() }.write();
        // At least one line, which has the number of the commit.
        text.push_str(&base(&[]));
        text.extend(sessions.chunks(BASE_SESSIONS_MAX).map(base));
        let new = self.path.with_extension("heads-new");
        let mut file = create_private(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, &self.path)?;
        self.file = Some(file);
        (self.base_bytes, self.added_bytes) = (text.len() as u64, 0);
        Ok(())
    }
}

fn create_private(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Checksum;

    fn id(n: u8) -> SessionId {
        SessionId::from_bytes([n; 16])
    }

    fn head(seq: u64) -> Head {
        Head { seq, sum: Checksum::of(&[&seq.to_be_bytes()]) }
    }

    fn written(folder: &Path) -> PathBuf {
        let path = folder.join(FILE);
        let known = (1..=100).map(|n| (id(n), head(u64::from(n)))).collect();
        let mut heads = Heads::create(path.clone(), 7, known);
        heads.record(8, vec![(id(3), Some(head(50))), (id(200), Some(head(1)))]);
        heads.record(9, vec![(id(4), None)]);
        path
    }

    #[test]
    fn what_was_written_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let found = read(&written(folder.path())).unwrap().unwrap();
        assert_eq!((found.commits, found.heads.len(), found.bad_lines), (9, 100, 0));
        assert_eq!(found.heads[&id(3)], head(50));
        assert!(!found.heads.contains_key(&id(4)));
        assert_eq!(found.recent, [id(3), id(4), id(200)].into());
        assert!(read(&folder.path().join("none")).unwrap().is_none());
    }

    #[test]
    fn a_torn_end_is_normal_and_damage_before_it_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = std::fs::read(written(folder.path())).unwrap();
        let torn = parse(&bytes[..bytes.len() - 3]).unwrap();
        assert_eq!((torn.commits, torn.bad_lines), (8, 0));
        let mut zeroed = bytes.clone();
        zeroed.extend([0; 100]);
        assert_eq!(parse(&zeroed).unwrap().bad_lines, 0);
        let mut changed = bytes;
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        let damaged = parse(&changed).unwrap();
        assert_eq!((damaged.commits, damaged.bad_lines), (9, 1));
        assert!(parse(b"").is_none() && parse(b"nothing\nof ours").is_none());
    }

    #[test]
    fn a_long_file_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let mut heads = Heads::create(path.clone(), 0, HashMap::new());
        for commits in 1..=20_000 {
            heads.record(commits, vec![(id(1), Some(head(commits)))]);
        }
        assert!(std::fs::metadata(&path).unwrap().len() < ADDED_BYTES_MAX, "it was written anew on the way");
        let found = read(&path).unwrap().unwrap();
        assert_eq!((found.commits, found.heads[&id(1)]), (20_000, head(20_000)));
    }
}
