//! Loading a session: the newest snapshot, then the events after it.

use journal::Store;
use protocol::{Event, SessionId};
use session::State;

use super::snapshot;
use crate::Error;

/// Events read at a time.
const PAGE: usize = 512;

/// A session's state, and the number of events after the snapshot.
pub(super) struct LoadedSession {
    pub(super) state: State,
    pub(super) events_since_snapshot: u64,
}

pub(super) async fn load(store: &dyn Store, session_id: SessionId) -> Result<LoadedSession, Error> {
    let mut state = snapshot::read(store, session_id).await?;
    let start = state.as_ref().map_or(0, |state| state.head);
    loop {
        let head = state.as_ref().map_or(0, |state| state.head);
        let page = store.read(session_id, head, PAGE).await?;
        let is_last = page.len() < PAGE;
        for event in page {
            state = Some(take_in(state, &event)?);
        }
        if is_last {
            break;
        }
    }
    let state = state.ok_or(Error::NoSession)?;
    let events_since_snapshot = state.head - start;
    Ok(LoadedSession { state, events_since_snapshot })
}

fn take_in(state: Option<State>, event: &Event) -> Result<State, Error> {
    let expected = state.as_ref().map_or(1, |state| state.head + 1);
    if event.seq != expected {
        return Err(unreadable(format!("event {expected} is missing")));
    }
    match state {
        Some(mut state) => {
            state.apply(event);
            Ok(state)
        }
        None => State::begin(event).ok_or_else(|| unreadable("it does not begin with `session.started`".to_owned())),
    }
}

fn unreadable(cause: String) -> Error {
    Error::Journal(journal::Error::Storage { action: "load the session", cause })
}
