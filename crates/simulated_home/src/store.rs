//! The file of the simulated home in the data folder: a line with everything that was so when it
//! was written, and a line for each call since then, so that a call costs the same however many
//! there were before.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use protocol::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    actions::{ActionChange, ActionLog, TodoItem},
    error::SimulatedHomeError,
    layout::{Behaviour, HomeLayout},
};

/// The name of the file.
const FILE: &str = "simulated-home.json";
/// The format version that this program writes. Files of version 1 have no further lines.
const VERSION: u32 = 2;
/// Lines after which everything is written anew.
const LINES_MAX: usize = 1_000;
/// The seed of all pseudo-random numbers.
const SEED: u64 = 20_260_731;

/// The contents of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredHome {
    version: u32,
    pub(super) seed: u64,
    #[serde(flatten)]
    pub(super) actions: ActionLog,
}

impl StoredHome {
    /// A home without any actions.
    fn new(layout: &HomeLayout) -> Self {
        let mut actions = ActionLog::default();
        for entity in layout.all() {
            let Behaviour::List(items) = &entity.behaviour else { continue };
            let mut item = |summary: &String| {
                actions.items += 1;
                let (uid, status) = (actions.items.to_string(), "needs_action".to_owned());
                TodoItem { uid, summary: summary.clone(), status }
            };
            let items = items.iter().map(&mut item).collect();
            actions.lists.insert(entity.id.to_string(), items);
        }
        Self { version: VERSION, seed: SEED, actions }
    }
}

/// The file.
pub(super) struct HomeFile {
    path: PathBuf,
    end: Mutex<FileEnd>,
}

/// Where the next line is added.
#[derive(Debug, Default)]
struct FileEnd {
    /// `None` if the file has to be written anew: its last line may be a part of one.
    file: Option<fs::File>,
    lines: usize,
}

impl HomeFile {
    /// Reads the file. A file that cannot be parsed is moved aside, with a notice.
    pub(super) fn open(
        folder: &Path,
        layout: &HomeLayout,
        now: Timestamp,
    ) -> Result<(Self, StoredHome, Option<String>), SimulatedHomeError> {
        let path = folder.join(FILE);
        let failed = |error: io::Error| SimulatedHomeError::Folder { path: path.clone(), why: error.to_string() };
        fs::create_dir_all(folder).map_err(failed)?;
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let (store, kept) = (Self::at(path.clone()), StoredHome::new(layout));
                store.write(&kept).map_err(failed)?;
                return Ok((store, kept, None));
            }
            Err(error) => return Err(failed(error)),
        };
        match read(&text) {
            Ok(kept) if kept.version > VERSION => Err(SimulatedHomeError::Newer { path, version: kept.version }),
            Ok(kept) => {
                make_private(&path).map_err(failed)?;
                Ok((Self::at(path), StoredHome { version: VERSION, ..kept }, None))
            }
            Err(why) => {
                let aside = folder.join(format!("{FILE}.unreadable-{}", now.as_millis()));
                fs::rename(&path, &aside).map_err(failed)?;
                let kept = StoredHome::new(layout);
                let warning = format!(
                    "{} could not be read ({why}); it was renamed to {}, and the simulated home starts anew",
                    path.display(),
                    aside.display()
                );
                let store = Self::at(path.clone());
                store.write(&kept).map_err(failed)?;
                Ok((store, kept, Some(warning)))
            }
        }
    }

    /// The file is written anew at the first call, with what its lines said.
    fn at(path: PathBuf) -> Self {
        Self { path, end: Mutex::default() }
    }

    /// Stores what a call changes, and returns all of it.
    pub(super) fn add(&self, kept: &StoredHome, change: ActionChange) -> io::Result<StoredHome> {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let mut line = serde_json::to_vec(&change)?;
        line.push(b'\n');
        let mut next = kept.clone();
        next.actions.apply(change);
        // After an error the last line may be there in part; then everything is written anew.
        match end.file.take().filter(|_| end.lines < LINES_MAX) {
            Some(mut file) => {
                file.write_all(&line)?;
                file.sync_data()?;
                *end = FileEnd { file: Some(file), lines: end.lines + 1 };
            }
            None => {
                self.write(&next)?;
                let file = fs::OpenOptions::new().append(true).open(&self.path)?;
                *end = FileEnd { file: Some(file), lines: 0 };
            }
        }
        Ok(next)
    }

    /// Writes the file atomically: after a crash there is the old or the new one, never a part.
    fn write(&self, kept: &StoredHome) -> io::Result<()> {
        let next = self.path.with_extension("json.new");
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        // The file reveals when people are at home, so only the owner may read it.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // An existing file would keep its permissions.
        let _ = fs::remove_file(&next);
        let mut file = options.open(&next)?;
        let mut text = serde_json::to_vec(kept)?;
        text.push(b'\n');
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&next, &self.path)?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        // Not every platform can open a folder; where it can, the rename is made durable too.
        if let Some(Ok(folder)) = folder.map(fs::File::open) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// Files of earlier versions were readable by all.
fn make_private(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Reads everything and what was added since. The last line is left out if a crash cut it off: that
/// call was not answered.
fn read(text: &[u8]) -> Result<StoredHome, String> {
    let (first, lines) = match text.iter().position(|byte| *byte == b'\n') {
        Some(end) => text.split_at(end),
        None => (text, [].as_slice()),
    };
    let mut kept: StoredHome = serde_json::from_slice(first).map_err(|error| error.to_string())?;
    if kept.version > VERSION {
        // Its lines may be others; it is refused by its version.
        return Ok(kept);
    }
    for line in lines.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n") && line.len() > 1) {
        let change = serde_json::from_slice(line).map_err(|error| format!("a line of a call: {error}"))?;
        kept.actions.apply(change);
    }
    Ok(kept)
}
