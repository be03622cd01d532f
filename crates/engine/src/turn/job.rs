//! All that a turn needs to know, taken from the state when it begins, and what it hears while it works.

use protocol::{
    AgentId, AppOutcome, AppRequestId, ApprovalId, Decision, DialogAnswer, DialogId, EntityBase, Offer, Origin,
    OwnerId, SessionId, Settings, Timestamp, ToolResult,
};
use session::{Desktop, Entry, OpenTurn, Pins, RecentTurn, Reload, Standing, State, Switched, TimelineEntry};
use tokio::sync::watch;

use crate::{live::Reporter, pool::Background};

/// What a session's turns are told of it.
pub(crate) struct Conversation {
    pub(crate) settings: Settings,
    pub(crate) recent: Vec<RecentTurn>,
    pub(crate) pins: Pins,
    pub(crate) standing: Standing,
}

impl Conversation {
    /// What an agent's next turn would be told.
    pub(crate) fn of(state: &State, agent_id: &AgentId) -> Self {
        let (settings, pins, standing) = (state.settings.clone(), state.pins.clone(), state.standing.clone());
        Self { settings, recent: state.recent_of(agent_id), pins, standing }
    }
}

/// All that a turn needs to know when it begins.
pub(crate) struct Job {
    pub(super) session_id: SessionId,
    pub(super) owner: OwnerId,
    pub(super) settings: Settings,
    pub(super) turn: OpenTurn,
    pub(super) recent: Vec<RecentTurn>,
    /// What happened since the main agent's last turn.
    pub(super) timeline: Vec<TimelineEntry>,
    /// What is on the desktop.
    pub(super) desktop: Desktop,
    /// What was done before and may be done again by rote.
    pub(super) reload: Reload,
    pub(super) pins: Pins,
    /// What the session's turns are told of the entities around.
    pub(super) entities: Option<EntityBase>,
    pub(super) switched: Option<Switched>,
    /// When the conversation last started over.
    pub(super) started_over_at: Option<Timestamp>,
    /// Whether it is removed with all that was said in it.
    pub(super) is_temporary: bool,
    pub(super) heard: watch::Receiver<Heard>,
    /// What may be done on monitors that nobody looks at.
    pub(super) background: Background,
}

impl Job {
    pub(crate) fn new(state: &State, turn: &OpenTurn, heard: watch::Receiver<Heard>, background: Background) -> Self {
        Self {
            session_id: state.id,
            owner: state.owner.clone(),
            settings: state.settings.clone(),
            turn: turn.clone(),
            recent: state.recent_for(turn),
            timeline: state.timeline_of(turn.id).cloned().collect(),
            desktop: state.desktop.clone(),
            reload: state.reload().clone(),
            pins: state.pins.clone(),
            entities: state.entities.clone(),
            switched: state.switched.clone(),
            started_over_at: state.started_over_at,
            is_temporary: state.temporary,
            heard,
            background,
        }
    }
}

impl Job {
    /// Looks at the desktop as it is by now.
    pub(super) async fn look_again(&mut self, reporter: &Reporter) {
        // If the session is gone, so is the turn.
        if let Ok(desktop) = reporter.windows(&self.owner).await {
            self.desktop = desktop;
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
    /// What the user answered on the desktop.
    pub(super) answers: Vec<(DialogId, DialogAnswer)>,
    /// What came of asking apps.
    pub(super) outcomes: Vec<(AppRequestId, AppOutcome)>,
    /// What came of the calls that its client has run.
    pub(super) results: Vec<ToolResult>,
    /// What its client offers.
    pub(super) offer: Offer,
    /// Whose words its messages are.
    pub(super) origin: Origin,
}

impl Heard {
    pub(crate) fn of(state: &State, turn: &OpenTurn) -> Self {
        let steers = turn.thread.entries().iter().filter_map(|entry| match entry {
            Entry::Steered(text) => Some(text.clone()),
            Entry::Round(_) => None,
        });
        let results = turn.thread.calls().filter(|call| call.is_clients()).filter_map(|call| call.result.clone());
        let asked = turn.thread.calls().filter_map(|call| call.asked.as_ref());
        let decisions = asked.filter_map(|asked| Some((asked.request.approval_id, asked.decision?)));
        let answers = turn.doings.dialogs.iter().filter_map(|(id, answer)| Some((*id, answer.clone()?)));
        let outcomes = turn.doings.requests.iter().filter_map(|(id, outcome)| Some((*id, outcome.clone()?)));
        Self {
            steers: steers.collect(),
            decisions: decisions.collect(),
            standing: state.standing.clone(),
            answers: answers.collect(),
            outcomes: outcomes.collect(),
            results: results.collect(),
            offer: turn.request.offer.clone(),
            origin: turn.request.origin,
        }
    }
}
