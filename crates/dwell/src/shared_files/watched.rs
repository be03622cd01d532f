//! The last known contents of the files in the database, for a running node: one task looks for
//! new versions, and requests read from memory.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use journal::{Error, postgres};
use tokio_util::sync::CancellationToken;

use super::FileContents;

/// How often new versions are looked for. Revoked tokens work on other nodes for that long.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The files as a node knows them.
#[derive(Clone)]
pub(crate) struct WatchedFiles {
    files: postgres::SharedFiles,
    known: Arc<KnownFiles>,
}

type KnownFiles = Mutex<BTreeMap<String, FileContents>>;

impl WatchedFiles {
    /// Reads all files, and follows their changes until the server stops.
    pub(crate) async fn start(files: postgres::SharedFiles, stopping: CancellationToken) -> anyhow::Result<Self> {
        let watched = Self { files, known: Arc::default() };
        watched.look().await?;
        let following = follow(watched.files.clone(), Arc::downgrade(&watched.known));
        tokio::spawn(async move { stopping.run_until_cancelled(following).await });
        Ok(watched)
    }

    /// The last known contents of a file.
    pub(crate) fn get(&self, name: &str) -> Option<FileContents> {
        self.known().get(name).cloned()
    }

    /// The last known contents, if they are not those of this version.
    pub(crate) fn newer(&self, name: &str, seen: Option<i64>) -> Option<FileContents> {
        self.known().get(name).filter(|file| Some(file.version) != seen).cloned()
    }

    /// Writes a file if it still has this version. If it does not, the newer one is known after
    /// this.
    pub(crate) async fn write(&self, name: &str, expected: Option<i64>, bytes: &[u8]) -> Result<bool, Error> {
        let written = self.files.write(name, expected, bytes).await?;
        match written {
            Some(version) => self.learn(name.to_owned(), FileContents { version, bytes: bytes.to_owned() }),
            None => self.look().await?,
        }
        Ok(written.is_some())
    }

    /// Looks for new versions now.
    pub(crate) async fn look(&self) -> Result<(), Error> {
        let known: Vec<(String, i64)> = self.known().iter().map(|(name, file)| (name.clone(), file.version)).collect();
        let known: Vec<(&str, i64)> = known.iter().map(|(name, version)| (name.as_str(), *version)).collect();
        for file in self.files.changed(&known).await? {
            self.learn(file.name, FileContents { version: file.version, bytes: file.bytes });
        }
        Ok(())
    }

    /// An answer that was overtaken by a newer one does not count.
    fn learn(&self, name: String, file: FileContents) {
        let mut known = self.known();
        if known.get(&name).is_none_or(|before| before.version < file.version) {
            known.insert(name, file);
        }
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, FileContents>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks for new versions as long as the files are used.
async fn follow(files: postgres::SharedFiles, known: Weak<KnownFiles>) {
    let mut timer = tokio::time::interval(LOOK_EVERY);
    timer.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut is_away = false;
    loop {
        timer.tick().await;
        let Some(known) = known.upgrade() else { return };
        match (WatchedFiles { files: files.clone(), known }).look().await {
            Ok(()) => is_away = false,
            // Said once: the database is looked for every second.
            Err(error) if !is_away => {
                tracing::warn!(%error, "changes of owners and tokens by other nodes cannot be read");
                is_away = true;
            }
            Err(_) => {}
        }
    }
}
