//! Archives a session as a file: its journal and its artifacts, in the format of `dwell import`.
//!
//! The file is written under a temporary name, read back and compared with the store, and only then
//! renamed. The session is removed after that.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io::{BufRead, BufReader, ErrorKind, Write},
    path::{Path, PathBuf},
};

use journal::Store;
use protocol::{Event, OwnerId};
use serde_json::Value;
use session::State;

use crate::{Error, hub::journal_file};

/// Events that are read at once.
const PAGE: usize = 500;
/// Artifacts whose views are read at once.
const ARTIFACTS_PAGE: usize = 50;
/// A larger file could not be imported again.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Writes a session to a file in the folder. On failure an existing file stays as it was.
pub(crate) async fn write(store: &dyn Store, state: &State, folder: &Path) -> Result<PathBuf, Error> {
    let folder = folder.join(folder_name(&state.owner));
    let path = folder.join(format!("{}.ndjson", state.id));
    let part = path.with_extension("ndjson.part");
    let file = blocking({
        let (folder, part) = (folder.clone(), part.clone());
        move || {
            make_folder(&folder)?;
            create(&part)
        }
    })
    .await?;
    let written = async {
        fill(store, state, file).await?;
        verify(store, state, &part).await
    };
    if let Err(error) = written.await {
        // An incomplete file is no archive.
        let _ = blocking(move || std::fs::remove_file(&part)).await;
        return Err(error);
    }
    let (from, to) = (part, path.clone());
    blocking(move || {
        std::fs::rename(&from, &to)?;
        // The name is durable only after its folder was synced.
        File::open(&folder)?.sync_all()
    })
    .await?;
    Ok(path)
}

/// The folder of an owner: a chosen owner name is not always a valid file name.
fn folder_name(owner: &OwnerId) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    owner
        .as_str()
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

fn create(path: &Path) -> std::io::Result<File> {
    // The rest of an earlier attempt is not continued, and may have other permissions.
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

async fn fill(store: &dyn Store, state: &State, mut file: File) -> Result<(), Error> {
    let mut lines = ArchiveLines::new(store, state);
    let (mut bytes, mut artifacts) = (0, 0);
    while let Some(page) = lines.next().await? {
        artifacts += page.iter().filter(|line| journal_file::is_artifact(line)).count();
        let mut text = Vec::new();
        for line in page {
            serde_json::to_writer(&mut text, &line).map_err(|error| Error::Archive(error.to_string()))?;
            text.push(b'\n');
        }
        bytes += text.len() as u64;
        if bytes > BYTES_MAX || artifacts > journal_file::ARTIFACTS_MAX {
            let most = format!("{BYTES_MAX} bytes or {} artifacts", journal_file::ARTIFACTS_MAX);
            return Err(Error::Archive(format!("it has more than {most} and could not be imported again")));
        }
        file = blocking(move || file.write_all(&text).map(|()| file)).await?;
    }
    blocking(move || file.sync_all()).await
}

/// Reads the file back and compares it with the store, line by line.
async fn verify(store: &dyn Store, state: &State, path: &Path) -> Result<(), Error> {
    let path = path.to_owned();
    let mut file = blocking(move || File::open(path).map(BufReader::new)).await?;
    let mut lines = ArchiveLines::new(store, state);
    let differs = || Error::Archive("what was read back is not what was written".to_owned());
    while let Some(page) = lines.next().await? {
        let read = blocking(move || {
            let read: std::io::Result<Vec<String>> = (&mut file).lines().take(page.len()).collect();
            read.map(|read| (read, page, file))
        });
        let (read, page, rest) = read.await?;
        file = rest;
        let parsed = read.iter().map(|line| serde_json::from_str::<Value>(line)).collect::<Result<Vec<_>, _>>();
        if parsed.map_err(|_| differs())? != page {
            return Err(differs());
        }
        for line in page.into_iter().filter(|line| !journal_file::is_artifact(line)) {
            serde_json::from_value::<Event>(line).map_err(|_| differs())?;
        }
    }
    let is_over = blocking(move || file.fill_buf().map(<[u8]>::is_empty)).await?;
    is_over.then_some(()).ok_or_else(differs)
}

/// The lines of a session's file, page by page.
struct ArchiveLines<'a> {
    store: &'a dyn Store,
    state: &'a State,
    seq: u64,
    has_events: bool,
    artifacts: Option<journal::ArtifactCursor>,
    has_artifacts: bool,
}

impl<'a> ArchiveLines<'a> {
    const fn new(store: &'a dyn Store, state: &'a State) -> Self {
        Self { store, state, seq: 0, has_events: true, artifacts: None, has_artifacts: true }
    }

    async fn next(&mut self) -> Result<Option<Vec<Value>>, Error> {
        if self.has_events {
            let page = self.store.read(self.state.id, self.seq, PAGE).await?;
            self.has_events = page.len() == PAGE;
            self.seq = page.last().map_or(self.seq, |event| event.seq);
            let lines = page.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>();
            return lines.map(Some).map_err(|error| Error::Archive(error.to_string()));
        }
        if !self.has_artifacts {
            return Ok(None);
        }
        let (owner, id) = (&self.state.owner, self.state.id);
        let page = self.store.artifacts(owner, Some(id), self.artifacts.take(), ARTIFACTS_PAGE).await?;
        self.artifacts = page.next;
        self.has_artifacts = page.next.is_some();
        let mut lines = Vec::new();
        for view in page.artifacts {
            if let Some((view, bytes)) = self.store.artifact(owner, view.artifact_id).await? {
                lines.push(journal_file::artifact_line(&view, &bytes));
            }
        }
        Ok(Some(lines))
    }
}

/// Runs blocking disk operations on the blocking thread pool.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> std::io::Result<T> + Send + 'static) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|error| Error::Archive(error.to_string()))?;
    done.map_err(|error| Error::Archive(error.to_string()))
}
