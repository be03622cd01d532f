//! The input of a turn, taken from the state when it starts, and the inbox it reads while it runs.

use journal::OwnerHold;
use protocol::{
    AgentId, AppOutcome, AppRequestId, ApprovalDecision, ApprovalId, ClientToolOffer, DialogAnswer, DialogId,
    EntityBase, Origin, OwnerId, SessionId, Settings, Timestamp, ToolResult,
};
use session::{
    Desktop, ModelSwitch, OpenTurn, Pins, RecentTurn, ReplayCache, SavedApprovals, State, ThreadEntry, TimelineEntry,
};
use tokio::sync::watch;

use crate::{Options, live::Reporter, pool::BackgroundLimiter};

/// The conversation context of a session's turns.
pub(crate) struct ConversationContext {
    pub(crate) settings: Settings,
    pub(crate) recent: Vec<RecentTurn>,
    pub(crate) pins: Pins,
    pub(crate) saved_approvals: SavedApprovals,
}

impl ConversationContext {
    /// The context of an agent's next turn.
    pub(crate) fn of(state: &State, agent_id: &AgentId) -> Self {
        let (settings, pins, standing) = (state.settings.clone(), state.pins.clone(), state.standing.clone());
        Self { settings, recent: state.recent_of(agent_id), pins, saved_approvals: standing }
    }
}

/// The input of a turn.
pub(crate) struct TurnInput {
    pub(super) session_id: SessionId,
    pub(super) owner: OwnerId,
    pub(super) settings: Settings,
    pub(super) turn: OpenTurn,
    pub(super) recent: Vec<RecentTurn>,
    /// What happened since the main agent's last turn.
    pub(super) timeline: Vec<TimelineEntry>,
    /// The desktop.
    pub(super) desktop: Desktop,
    /// Earlier turns that can be replayed.
    pub(super) reload: ReplayCache,
    pub(super) pins: Pins,
    /// The entities of the home that the session's turns get as context.
    pub(super) entities: Option<EntityBase>,
    pub(super) switched: Option<ModelSwitch>,
    /// When the conversation was last reset.
    pub(super) started_over_at: Option<Timestamp>,
    /// Whether the session is removed after the turn.
    pub(super) is_temporary: bool,
    pub(super) inbox: watch::Receiver<Inbox>,
    /// The limiter for monitors without viewers.
    pub(super) background: BackgroundLimiter,
    /// The right of this node to act for the owner.
    pub(super) hold: OwnerHold,
}

impl TurnInput {
    pub(crate) fn new(
        state: &State,
        turn: &OpenTurn,
        inbox: watch::Receiver<Inbox>,
        background: BackgroundLimiter,
        hold: OwnerHold,
        options: &Options,
    ) -> Self {
        let mut settings = state.settings.clone();
        if turn.request.background {
            settings.budgets = settings.budgets.in_background(&options.background.budgets);
        }
        Self {
            session_id: state.id,
            owner: state.owner.clone(),
            settings,
            turn: turn.clone(),
            recent: state.recent_for(turn),
            timeline: state.timeline_of(turn.id).cloned().collect(),
            desktop: state.desktop.clone(),
            reload: state.replay_cache().clone(),
            pins: state.pins.clone(),
            entities: state.entities.clone(),
            switched: state.switched.clone(),
            started_over_at: state.started_over_at,
            is_temporary: state.temporary,
            inbox,
            background,
            hold,
        }
    }
}

impl TurnInput {
    /// Reads the current desktop.
    pub(super) async fn refresh(&mut self, reporter: &Reporter) {
        // If the session is gone, the turn is about to be stopped.
        if let Ok(desktop) = reporter.windows(&self.owner).await {
            self.desktop = desktop;
        }
    }
}

/// Messages and answers to a running turn; each update contains all of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Inbox {
    /// Steering messages, oldest first.
    pub(super) steers: Vec<String>,
    /// Decisions on its approval requests.
    pub(super) decisions: Vec<(ApprovalId, ApprovalDecision)>,
    /// Decisions that are saved for the session.
    pub(super) standing: SavedApprovals,
    /// The user's answers to its dialogs.
    pub(super) answers: Vec<(DialogId, DialogAnswer)>,
    /// The answers of apps.
    pub(super) outcomes: Vec<(AppRequestId, AppOutcome)>,
    /// The results of its client calls.
    pub(super) results: Vec<ToolResult>,
    /// The tools that its client offers.
    pub(super) offer: ClientToolOffer,
    /// The client's instructions, which may change with the results of its calls.
    pub(super) instructions: Option<serde_json::Value>,
    /// The origin of its messages.
    pub(super) origin: Origin,
}

impl Inbox {
    pub(crate) fn of(state: &State, turn: &OpenTurn) -> Self {
        let steers = turn.thread.entries().iter().filter_map(|entry| match entry {
            ThreadEntry::Steered(text) => Some(text.clone()),
            ThreadEntry::Round(_) => None,
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
            instructions: state.settings.preferences.get(Settings::INSTRUCTIONS).cloned(),
            origin: turn.request.origin,
        }
    }
}
