//! Retention: idle sessions expire, are archived, or are deleted for good.

mod archives;
mod delete_apis;
mod deletion;
mod expiry;
mod followers;
mod killed;
mod memories;

use std::{fs, path::Path};

use journal::{Artifact, Artifacts, Catalog, Journal, SessionFilter, SessionSummary, sqlite::Sqlite};
use protocol::{Body, SessionId, Timestamp};
use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Program, RestClient, RestResponse};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Sends a message and waits for the end of its turn.
async fn exchange(rest: &RestClient, session: &str, message: &str) -> Value {
    let turn = rest.send(session, message).await;
    rest.ended(&turn).await
}

/// Deletes a session for good.
async fn delete(rest: &RestClient, session: &str, more: &str) -> RestResponse {
    rest.call(Method::DELETE, &format!("/api/v1/sessions/{session}?forever=true{more}"), None, &[]).await
}

/// Waits until everything that was said and written can be found.
async fn settled(rest: &RestClient) {
    let state = rest.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 30_000 })).await.ok();
    assert_eq!(state["consistent"], true, "{state}");
}

/// The current view of a session.
async fn view(rest: &RestClient, session: &str) -> Value {
    rest.get(&format!("/api/v1/sessions/{session}")).await.ok()
}

/// The ids of the sessions with this status.
async fn with_status(rest: &RestClient, status: &str) -> Vec<String> {
    let page = rest.get(&format!("/api/v1/sessions?limit=100&status={status}")).await.ok();
    let ids = page["data"].as_array().unwrap().iter().map(|view| view["session_id"].as_str().unwrap().to_owned());
    let mut ids: Vec<String> = ids.collect();
    ids.sort();
    ids
}

/// The files of the data folder that contain a text.
fn files_with(program: &Program, words: &str) -> Vec<String> {
    fn look(folder: &Path, words: &[u8], seen: &mut Vec<String>) {
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.is_dir() {
                look(&path, words, seen);
                continue;
            }
            // The write-ahead log may disappear at any moment.
            let bytes = fs::read(&path).unwrap_or_default();
            if bytes.windows(words.len()).any(|window| window == words) {
                seen.push(path.display().to_string());
            }
        }
    }
    let mut seen = Vec::new();
    look(program.folder(), words.as_bytes(), &mut seen);
    seen
}

/// Makes sessions of a stopped server that many days older, written through the store itself.
async fn age(program: &Program, sessions: &[&str], days: i64) {
    let store = Sqlite::open(program.folder()).unwrap();
    let back = |at: Timestamp| Timestamp::from_millis(at.as_millis() - days * DAY_MS);
    for session in sessions {
        let id: SessionId = session.parse().unwrap();
        let mut events = store.read(id, 0, 10_000).await.unwrap();
        events.iter_mut().for_each(|event| event.at = back(event.at));
        let Body::SessionStarted(started) = &events[0].body else { panic!("{:?}", events[0]) };
        let owner = started.owner.clone();
        let page = store.list(&owner, &SessionFilter::default(), None, 1_000).await.unwrap();
        let mut view = page.sessions.into_iter().find(|view| view.session_id == id).unwrap();
        (view.created_at, view.updated_at) = (back(view.created_at), back(view.updated_at));
        view.ended_at = view.ended_at.map(back);
        let mut kept = Vec::new();
        for artifact in store.artifacts(&owner, Some(id), None, 100).await.unwrap().artifacts {
            let (view, bytes) = store.artifact(&owner, artifact.artifact_id).await.unwrap().unwrap();
            kept.push(Artifact { view, owner: owner.clone(), bytes });
        }
        let lease = store.acquire(id).await.unwrap();
        store.remove(lease).await.unwrap();
        store.create(events, SessionSummary::new(view, false)).await.unwrap();
        for artifact in kept {
            store.put(artifact).await.unwrap();
        }
    }
}
