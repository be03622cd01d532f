//! Adopting: a session made of the journal of another, which may come from anywhere.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{
    Body, Event, ImportOrigin, Level, Origin, OwnerId, SessionId, SessionName, Settings, Step, Timestamp, TurnId, Via,
};

use crate::{
    fork::{copy, ends_turn},
    state::State,
};

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
    /// Whether its words are trusted as it says: only where it is known to be written here, for the same owner.
    pub keeps_origins: bool,
    /// The present moment.
    pub now: Timestamp,
}

/// A journal that was adopted.
#[derive(Debug, Clone, PartialEq)]
pub struct Adopted {
    /// The events of the new session.
    pub events: Vec<Event>,
    /// What did not come along, and how much of it.
    pub left_out: BTreeMap<String, u64>,
}

/// The events of a session that holds what these tell of: all turns that have ended in them, renamed as `rename` says.
/// What is on a desktop or around, and what memory was told, stays where it is. A file may be anybody's, so all of its words are
/// untrusted, whatever it says of them itself. None if no turn has ended in it.
pub fn adopt(journal: &[Event], adoption: Adoption, rename: impl FnMut(TurnId) -> TurnId) -> Option<Adopted> {
    let Adoption { session_id, owner, name, origin, keeps_origins, now } = adoption;
    let asked: BTreeSet<TurnId> = journal.iter().filter_map(accepted).collect();
    let is_whole = |event: &&Event| event.turn_id.is_some_and(|turn| asked.contains(&turn));
    let last =
        journal.iter().rev().find(|event| ends_turn(event) && is_whole(event)).and_then(|event| event.turn_id)?;
    let comes = |event: &&Event| comes_along(event) && (is_of_session(&event.body) || is_whole(event));
    let kept: Vec<Event> = journal.iter().filter(comes).cloned().collect();
    let mut events = copy(&kept, last, session_id, name, now, rename)?;
    for event in &mut events {
        event.at = event.at.min(now);
        if let Body::SessionStarted(started) = &mut event.body {
            started.owner = owner.clone();
            (started.forked_from, started.imported) = (None, Some(origin.clone()));
        }
        if !keeps_origins {
            distrust(&mut event.body);
        }
    }
    Some(Adopted { events, left_out: left_out(journal) })
}

/// Takes all trust from what an event brings in.
fn distrust(body: &mut Body) {
    match body {
        Body::SessionStarted(started) => distrust_settings(&mut started.settings),
        Body::SessionUpdated(change) => distrust_settings(&mut change.settings),
        Body::MessageAccepted(accepted) => {
            (accepted.request.origin, accepted.request.via) = (Origin::Untrusted, Via::Token);
        }
        Body::MessageSteered(steered) => {
            (steered.request.origin, steered.request.via) = (Origin::Untrusted, Via::Token);
        }
        Body::MemoryUsed(used) => (used.tainted, used.tainted_once) = (true, true),
        Body::MemoryWritten(written) => written.origin = Origin::Untrusted,
        Body::Step(Step::ToolResult(result)) => result.origin = Origin::Untrusted,
        _ => {}
    }
}

/// All preferences count as taken in from a file.
pub(crate) fn distrust_settings(settings: &mut Settings) {
    settings.imported = settings.preferences.keys().cloned().collect();
}

fn accepted(event: &Event) -> Option<TurnId> {
    match &event.body {
        // The two are the same in every journal that was written here.
        Body::MessageAccepted(accepted) => event.turn_id.filter(|turn| *turn == accepted.turn_id),
        _ => None,
    }
}

/// Whether it is about the session rather than about one of its turns.
fn is_of_session(body: &Body) -> bool {
    matches!(
        body,
        Body::SessionStarted(_)
            | Body::SessionUpdated(_)
            | Body::SessionReset(_)
            | Body::SessionEnded(_)
            | Body::MemoryWritten(_)
    )
}

fn comes_along(event: &Event) -> bool {
    match &event.body {
        Body::SessionStarted(_) => event.seq == 1,
        Body::MemoryWritten(written) => written.level == Level::Pin,
        Body::SessionUpdated(_)
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

/// What stays behind, by kind.
fn left_out(journal: &[Event]) -> BTreeMap<String, u64> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut count = |kind: &str, number: usize| {
        if number > 0 {
            *counts.entry(kind.to_owned()).or_default() += number as u64;
        }
    };
    for event in journal.iter().filter(|event| !comes_along(event)) {
        let kind = match &event.body {
            Body::MemoryWritten(_) | Body::SummaryCreated(_) => "memory",
            Body::Actions(_)
            | Body::Interacted(_)
            | Body::WindowAgent(_)
            | Body::RenderFailed(_)
            | Body::DialogAnswered(_)
            | Body::ToastActed(_)
            | Body::AppReady(_)
            | Body::AppRequested(_)
            | Body::AppAnswered(_)
            | Body::SessionRestored(_) => "desktop",
            _ => "other",
        };
        count(kind, 1);
    }
    let ended: BTreeSet<TurnId> =
        journal.iter().filter(|event| ends_turn(event)).filter_map(|event| event.turn_id).collect();
    let asked: BTreeSet<TurnId> = journal.iter().filter_map(accepted).collect();
    count("open_turns", asked.difference(&ended).count());
    let mut rest = journal.iter();
    if let Some(mut state) = rest.next().and_then(State::begin) {
        rest.for_each(|event| state.apply(event));
        count("windows", state.desktop.windows().count());
    }
    counts
}
