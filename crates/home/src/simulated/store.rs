//! The file in the data folder in which the simulated home lives.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use protocol::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    SimulatedError,
    deeds::{Deeds, Item},
};

/// Its name.
const FILE: &str = "simulated-home.json";
/// What this program writes.
const VERSION: u32 = 1;
/// What decides everything that looks like chance.
const SEED: u64 = 20_260_731;
/// What a newcomer finds on the list.
const LIST: (&str, &[&str]) = ("todo.shopping_list", &["Milk", "Coffee beans", "Batteries CR2450"]);

/// What is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    version: u32,
    pub(super) seed: u64,
    #[serde(flatten)]
    pub(super) deeds: Deeds,
}

impl Kept {
    /// A home in which nobody has done anything.
    fn new() -> Self {
        let (list, items) = LIST;
        let items: Vec<Item> = (1_u64..)
            .zip(items)
            .map(|(number, summary)| Item {
                uid: number.to_string(),
                summary: (*summary).to_owned(),
                status: "needs_action".to_owned(),
            })
            .collect();
        let mut deeds = Deeds::default();
        deeds.items = items.len() as u64;
        deeds.lists.insert(list.to_owned(), items);
        Self { version: VERSION, seed: SEED, deeds }
    }
}

/// The file.
pub(super) struct Store {
    path: PathBuf,
}

impl Store {
    /// Reads what is kept; what cannot be read is set aside, and said so.
    pub(super) fn open(folder: &Path, now: Timestamp) -> Result<(Self, Kept, Option<String>), SimulatedError> {
        let path = folder.join(FILE);
        let failed = |error: io::Error| SimulatedError::Folder { path: path.clone(), why: error.to_string() };
        fs::create_dir_all(folder).map_err(failed)?;
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let (store, kept) = (Self { path: path.clone() }, Kept::new());
                store.write(&kept).map_err(failed)?;
                return Ok((store, kept, None));
            }
            Err(error) => return Err(failed(error)),
        };
        match read(&text) {
            Ok(kept) if kept.version > VERSION => Err(SimulatedError::Newer { path, version: kept.version }),
            Ok(kept) => {
                make_private(&path).map_err(failed)?;
                Ok((Self { path }, kept, None))
            }
            Err(why) => {
                let aside = folder.join(format!("{FILE}.unreadable-{}", now.as_millis()));
                fs::rename(&path, &aside).map_err(failed)?;
                let kept = Kept::new();
                let warning = format!(
                    "{} could not be read ({why}); it was set aside as {}, and the simulated home begins anew",
                    path.display(),
                    aside.display()
                );
                let store = Self { path: path.clone() };
                store.write(&kept).map_err(failed)?;
                Ok((store, kept, Some(warning)))
            }
        }
    }

    /// Writes it all: after a crash there is the old or the new, never half of one.
    pub(super) fn write(&self, kept: &Kept) -> io::Result<()> {
        let next = self.path.with_extension("json.new");
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        // When somebody is at home is nobody else's business.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // A file that is there already would keep its rights.
        let _ = fs::remove_file(&next);
        let mut file = options.open(&next)?;
        file.write_all(&serde_json::to_vec(kept)?)?;
        file.sync_all()?;
        fs::rename(&next, &self.path)?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        // A folder cannot be opened everywhere; where it can, the new name is durable too.
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

fn read(text: &[u8]) -> Result<Kept, String> {
    serde_json::from_slice(text).map_err(|error| error.to_string())
}
