//! The journal's file, damaged by a bad disk or by an attacker.

use std::{fs, path::Path, sync::LazyLock};

use journal::{
    Catalog, Journal, Memories, SessionSummary,
    sqlite::{FILE, Sqlite},
};
use protocol::{Body, Event, SessionId, SessionStarted, Timestamp};
use serde_json::json;
use session::State;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// An intact file with a session.
static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let store = Sqlite::open(folder.path()).unwrap();
    let (session_id, at) = (SessionId::from_bytes([1; 16]), Timestamp::from_millis(1_790_000_000_000));
    let started: SessionStarted = serde_json::from_value(json!({ "owner": "ada", "settings": {} })).unwrap();
    let first = Event { seq: 1, session_id, turn_id: None, agent_id: None, at, body: Body::SessionStarted(started) };
    let state = State::begin(&first).unwrap();
    let summary = SessionSummary::new(state.view(), true);
    RUNTIME.block_on(store.create(vec![first], summary)).unwrap();
    drop(store);
    fs::read(folder.path().join(FILE)).unwrap()
});

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap());

pub(super) fn seeds() -> Vec<Vec<u8>> {
    // Page by page, so that a change reaches every table.
    let pages = WHOLE.len() / 4096;
    (0..pages.min(48)).map(|page| [&(page as u16).to_be_bytes()[..], &WHOLE[page * 4096..][..4096]].concat()).collect()
}

/// The first two bytes give the position at which the rest is written.
pub(super) fn take(input: &[u8]) {
    let Some((page, bytes)) = input.split_first_chunk::<2>() else { return };
    let at = usize::from(u16::from_be_bytes(*page)) * 4096 % WHOLE.len();
    let mut file = WHOLE.clone();
    for (place, byte) in file[at..].iter_mut().zip(bytes) {
        *place = *byte;
    }
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join(FILE), file).unwrap();
    open(folder.path());
}

/// Opens the file as the program does, and reads everything. Any error is fine.
fn open(folder: &Path) {
    let Ok(store) = Sqlite::open(folder) else { return };
    RUNTIME.block_on(async {
        let owner = "ada".parse().unwrap();
        let _ = store.moving().await;
        let _ = store.owners().await;
        if let Ok(page) = store.list(&owner, &journal::SessionFilter::new("", None), None, 50).await {
            for session in page.sessions {
                let _ = store.read(session.session_id, 0, 100).await;
            }
        }
    });
}
