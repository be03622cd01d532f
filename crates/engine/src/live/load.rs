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
    let state = snapshot::read(store, session_id).await?;
    let start = state.as_ref().map_or(0, |state| state.head);
    let state = read_on(store, session_id, state).await?.ok_or(Error::NoSession)?;
    let events_since_snapshot = state.head - start;
    Ok(LoadedSession { state, events_since_snapshot })
}

impl LoadedSession {
    /// The same with what was appended since.
    pub(super) async fn read_on(self, store: &dyn Store) -> Result<Self, Error> {
        let (session_id, before) = (self.state.id, self.state.head);
        let state = read_on(store, session_id, Some(self.state)).await?.ok_or(Error::NoSession)?;
        let events_since_snapshot = self.events_since_snapshot + (state.head - before);
        Ok(Self { state, events_since_snapshot })
    }
}

/// A state with the events after it.
async fn read_on(store: &dyn Store, session_id: SessionId, mut state: Option<State>) -> Result<Option<State>, Error> {
    loop {
        let head = state.as_ref().map_or(0, |state| state.head);
        let page = store.read(session_id, head, PAGE).await?;
        let is_last = page.len() < PAGE;
        for event in page {
            state = Some(take_in(state, &event)?);
        }
        if is_last {
            return Ok(state);
        }
    }
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
