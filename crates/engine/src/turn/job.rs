//! All that a turn needs to know, taken from the state when it begins, and what it hears while it works.

use protocol::{ApprovalId, Decision, OwnerId, SessionId, Settings, Timestamp};
use session::{Entry, OpenTurn, Pins, RecentTurn, Standing, State, Switched};
use tokio::sync::watch;

/// What a session's turns are told of it.
pub(crate) struct Conversation {
    pub(crate) settings: Settings,
    pub(crate) recent: Vec<RecentTurn>,
    pub(crate) pins: Pins,
    pub(crate) standing: Standing,
}

impl Conversation {
    pub(crate) fn of(state: &State) -> Self {
        let (settings, pins, standing) = (state.settings.clone(), state.pins.clone(), state.standing.clone());
        Self { settings, recent: state.recent().cloned().collect(), pins, standing }
    }
}

/// All that a turn needs to know when it begins.
pub(crate) struct Job {
    pub(super) session_id: SessionId,
    pub(super) owner: OwnerId,
    pub(super) settings: Settings,
    pub(super) turn: OpenTurn,
    pub(super) recent: Vec<RecentTurn>,
    pub(super) pins: Pins,
    pub(super) switched: Option<Switched>,
    /// When the conversation last started over.
    pub(super) started_over_at: Option<Timestamp>,
    /// Whether it is removed with all that was said in it.
    pub(super) is_temporary: bool,
    pub(super) heard: watch::Receiver<Heard>,
}

impl Job {
    pub(crate) fn new(state: &State, turn: &OpenTurn, heard: watch::Receiver<Heard>) -> Self {
        Self {
            session_id: state.id,
            owner: state.owner.clone(),
            settings: state.settings.clone(),
            turn: turn.clone(),
            recent: state.recent().cloned().collect(),
            pins: state.pins.clone(),
            switched: state.switched.clone(),
            started_over_at: state.started_over_at,
            is_temporary: state.temporary,
            heard,
        }
    }
}

/// What is said to a turn while it works, whole each time.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Heard {
    /// Messages that came in between, oldest first.
    pub(super) steers: Vec<String>,
    /// Answers to its questions.
    pub(super) decisions: Vec<(ApprovalId, Decision)>,
    /// Answers that hold for the session.
    pub(super) standing: Standing,
}

impl Heard {
    pub(crate) fn of(state: &State, turn: &OpenTurn) -> Self {
        let steers = turn.thread.entries().iter().filter_map(|entry| match entry {
            Entry::Steered(text) => Some(text.clone()),
            Entry::Round(_) => None,
        });
        let asked = turn.thread.calls().filter_map(|call| call.asked.as_ref());
        let decisions = asked.filter_map(|asked| Some((asked.request.approval_id, asked.decision?)));
        Self { steers: steers.collect(), decisions: decisions.collect(), standing: state.standing.clone() }
    }
}
