//! Snapshots avoid reading a session from its beginning. They change nothing else, whatever they
//! contain.

use journal::{Snapshot, Snapshots, sqlite::Sqlite};
use protocol::SessionId;
use tempfile::TempDir;

use crate::{
    driven_model::reply_to,
    failing_store::AppendMode,
    harness::{Harness, options},
};

const TURNS: usize = 60;

/// A closed folder with a session of some hundred events, and that session's view.
async fn long_session() -> (TempDir, protocol::SessionView) {
    let harness = Harness::new();
    harness.model.answer_everything();
    let session = harness.start().await;
    for number in 0..TURNS {
        let turn = harness.say(session, &format!("This is number {number}.")).await;
        harness.ended(turn).await;
    }
    let view = harness.view(session).await;
    assert!(view.last_seq > 300, "{}", view.last_seq);
    (harness.close().await, view)
}

/// The expected prompt for this message.
fn expected_prompt(message: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for number in TURNS - 18..TURNS {
        let said = format!("This is number {number}.");
        lines.extend([format!("> {said}"), format!("< {}", reply_to(&said))]);
    }
    lines.push(format!("> {message}"));
    lines
}

/// Opens the folder again: the session is unchanged, and continues.
async fn check_comes_back(folder: TempDir, view: &protocol::SessionView) {
    let harness = Harness::over(folder, options());
    assert_eq!(harness.view(view.session_id).await, *view);
    let turn = harness.say(view.session_id, "What now?").await;
    let call = harness.model.call().await;
    assert_eq!(call.lines(), expected_prompt("What now?"));
    call.answer("Nothing.");
    harness.ended(turn).await;
    let events = harness.journal(view.session_id).await;
    assert_eq!(events[usize::try_from(view.last_seq).unwrap()].seq, view.last_seq + 1);
}

async fn latest(folder: &TempDir, session: SessionId) -> Option<Snapshot> {
    Sqlite::open(folder.path()).unwrap().latest(session).await.unwrap()
}

async fn save(folder: &TempDir, session: SessionId, snapshot: Snapshot) {
    Sqlite::open(folder.path()).unwrap().save(session, snapshot).await.unwrap();
}

#[tokio::test]
async fn a_long_session_comes_back_from_its_snapshot() {
    let (folder, view) = long_session().await;
    let snapshot = latest(&folder, view.session_id).await.unwrap();
    assert_eq!(snapshot.seq, view.last_seq, "one is taken when the session is unloaded");
    check_comes_back(folder, &view).await;
}

#[tokio::test]
async fn a_snapshot_from_the_middle_is_continued_with_the_events_after_it() {
    let harness = Harness::new();
    harness.model.answer_everything();
    let session = harness.start().await;
    let mut middle = None;
    for number in 0..TURNS {
        let turn = harness.say(session, &format!("This is number {number}.")).await;
        harness.ended(turn).await;
        middle = middle.or(harness.store.latest(session).await.unwrap());
    }
    let view = harness.view(session).await;
    let folder = harness.close().await;
    let middle = middle.expect("one is taken on the way, too");
    assert!(middle.seq < view.last_seq);
    save(&folder, session, middle).await;
    check_comes_back(folder, &view).await;
}

#[tokio::test]
async fn a_damaged_snapshot_is_ignored() {
    for garbage in ["", "{", "null", "{\"id\":1}", "\u{1F3E0}"] {
        let (folder, view) = long_session().await;
        let damaged = Snapshot { seq: view.last_seq, format: 1, state: garbage.to_owned() };
        save(&folder, view.session_id, damaged).await;
        check_comes_back(folder, &view).await;
    }
}

#[tokio::test]
async fn a_snapshot_of_another_format_is_ignored_and_replaced() {
    let (folder, view) = long_session().await;
    let own = latest(&folder, view.session_id).await.unwrap();
    let foreign = Snapshot { seq: own.seq, format: 999, state: own.state.replace("number", "letter") };
    save(&folder, view.session_id, foreign).await;

    // Loading all of it is more than enough for a new snapshot.
    let harness = Harness::over(folder, options());
    assert_eq!(harness.view(view.session_id).await, view);
    let folder = harness.close().await;

    assert_eq!(latest(&folder, view.session_id).await.unwrap().format, own.format);
    check_comes_back(folder, &view).await;
}

/// Text that could not be written when the server stopped is lost, and the snapshot does not
/// contain it.
#[tokio::test]
async fn a_snapshot_never_knows_more_than_the_journal() {
    let harness = Harness::new();
    let session = harness.start().await;
    for _ in 0..10 {
        harness.exchange(session, "Hello", "Hi").await;
    }
    let mut follower = harness.follow(session).await;
    let turn = harness.say(session, "Tell me a story.").await;
    let call = harness.model.call().await;
    call.say("Once upon");
    follower.until_text(turn, "Once upon").await;
    drop(follower);

    harness.store.turn_to(AppendMode::Refusing);
    let folder = harness.close().await;

    let harness = Harness::over(folder, options());
    let head = harness.journal(session).await.len() as u64;
    if let Some(snapshot) = harness.store.latest(session).await.unwrap() {
        assert!(snapshot.seq <= head, "the snapshot is at {}, the journal at {head}", snapshot.seq);
    }
    harness.model.call().await.answer("There was.");
    assert_eq!(harness.ended(turn).await.text, "There was.");
}
