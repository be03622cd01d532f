//! Adopting a journal: builds a new session from another session's journal, which may come from an
//! untrusted file.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{
    Body, Event, ImportOrigin, Level, MessageChannel, Origin, OwnerId, SessionId, SessionName, Settings, Step,
    Timestamp, TurnId,
};

use crate::{
    fork::{copy, ends_turn},
    state::State,
};

/// How a journal is adopted: the identity of the new session and the trust in its content.
pub struct Adoption {
    /// Id of the new session.
    pub session_id: SessionId,
    /// Owner of the new session.
    pub owner: OwnerId,
    /// The client's own name for the new session.
    pub name: Option<SessionName>,
    /// Where the journal comes from.
    pub origin: ImportOrigin,
    /// Whether the origins recorded in the journal are kept. Only for a journal that is known to be
    /// written here, for the same owner.
    pub keeps_origins: bool,
    /// The current time.
    pub now: Timestamp,
}

/// The result of adopting a journal.
#[derive(Debug, Clone, PartialEq)]
pub struct AdoptedJournal {
    /// The events of the new session.
    pub events: Vec<Event>,
    /// What was not adopted: the number of events by kind.
    pub left_out: BTreeMap<String, u64>,
}

/// Builds the events of a new session from a journal: every turn that has ended in it, with the ids
/// that `rename` gives. Desktop, home and memory events are left out. A file may come from any
/// source, so all of its text becomes untrusted, whatever origins the file states, unless the
/// adoption keeps them. `None` if no turn has ended in the journal.
pub fn adopt(journal: &[Event], adoption: Adoption, rename: impl FnMut(TurnId) -> TurnId) -> Option<AdoptedJournal> {
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
            mark_untrusted(&mut event.body);
        }
    }
    Some(AdoptedJournal { events, left_out: left_out(journal) })
}

/// Marks everything that an event adds to the conversation as untrusted.
fn mark_untrusted(body: &mut Body) {
    match body {
        Body::SessionStarted(started) => mark_settings_untrusted(&mut started.settings),
        Body::SessionUpdated(change) => mark_settings_untrusted(&mut change.settings),
        Body::MessageAccepted(accepted) => {
            (accepted.request.origin, accepted.request.via) = (Origin::Untrusted, MessageChannel::Token);
        }
        Body::MessageSteered(steered) => {
            (steered.request.origin, steered.request.via) = (Origin::Untrusted, MessageChannel::Token);
        }
        Body::MemoryUsed(used) => (used.tainted, used.tainted_once) = (true, true),
        Body::MemoryWritten(written) => written.origin = Origin::Untrusted,
        Body::Step(Step::ToolResult(result)) => result.origin = Origin::Untrusted,
        _ => {}
    }
}

/// Marks all preferences as imported from a file.
pub(crate) fn mark_settings_untrusted(settings: &mut Settings) {
    settings.imported = settings.preferences.keys().cloned().collect();
}

fn accepted(event: &Event) -> Option<TurnId> {
    match &event.body {
        // The two are the same in every journal that was written here.
        Body::MessageAccepted(accepted) => event.turn_id.filter(|turn| *turn == accepted.turn_id),
        _ => None,
    }
}

/// Whether the event is about the session rather than about one of its turns.
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

/// Counts the events that are not adopted, by kind.
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
