//! Adopting: a session made of the journal of another, which may come from anywhere.

use protocol::{Body, Event, ImportOrigin, Level, Origin, OwnerId, SessionId, SessionName, Step, Timestamp, TurnId};

use crate::fork::{copy, ends_turn};

/// What a session is adopted as.
pub struct Adoption {
    /// Its id.
    pub session_id: SessionId,
    /// Whose it is from now on.
    pub owner: OwnerId,
    /// The client's own name for it.
    pub name: Option<SessionName>,
    /// Where it comes from.
    pub origin: ImportOrigin,
    /// The present moment.
    pub now: Timestamp,
}

/// The events of a session that holds what these tell of: all turns that have ended in them, renamed as `rename` says.
/// What is on a desktop or around, and what memory was told, stays where it is; and since a file may be anybody's, so
/// are the results of its calls. None if no turn has ended in it.
pub fn adopt(journal: &[Event], adoption: Adoption, rename: impl FnMut(TurnId) -> TurnId) -> Option<Vec<Event>> {
    let Adoption { session_id, owner, name, origin, now } = adoption;
    let last = journal.iter().rev().find(|event| ends_turn(event)).and_then(|event| event.turn_id)?;
    let kept: Vec<Event> = journal.iter().filter(|event| comes_along(&event.body)).cloned().collect();
    let mut events = copy(&kept, last, session_id, name, now, rename)?;
    for event in &mut events {
        event.at = event.at.min(now);
        match &mut event.body {
            Body::SessionStarted(started) => {
                started.owner = owner.clone();
                (started.forked_from, started.imported) = (None, Some(origin.clone()));
            }
            Body::Step(Step::ToolResult(result)) => result.origin = Origin::Untrusted,
            _ => {}
        }
    }
    Some(events)
}

fn comes_along(body: &Body) -> bool {
    match body {
        Body::MemoryWritten(written) => written.level == Level::Pin,
        Body::SessionStarted(_)
        | Body::SessionUpdated(_)
        | Body::SessionReset(_)
        | Body::SessionEnded(_)
        | Body::MessageAccepted(_)
        | Body::MessageSteered(_)
        | Body::MessageQueued(_)
        | Body::TurnStage(_)
        | Body::MemoryUsed(_)
        | Body::Clarification(_)
        | Body::Step(_)
        | Body::ResearchStarted(_)
        | Body::ResearchChunk(_)
        | Body::ResearchDone(_)
        | Body::ApprovalRequested(_)
        | Body::ApprovalResolved(_)
        | Body::Thinking(_)
        | Body::Text(_)
        | Body::Final(_)
        | Body::TurnStatus(_) => true,
        _ => false,
    }
}
