//! The result of a command, as data.

use protocol::{
    AgentId, AlertId, Body, Event, Origin, RunCause, RunKey, ScheduledAction, SessionId, Timestamp, TurnId, TurnStatus,
};

use crate::{open_turn::OpenTurn, state::State};

/// An event before it has a number.
#[derive(Debug, Clone, PartialEq)]
pub struct EventDraft {
    /// The turn it belongs to, and the agent that runs it.
    pub turn: Option<(TurnId, AgentId)>,
    /// The content of the event.
    pub body: Body,
}

impl EventDraft {
    /// The event, once its number is known.
    pub fn number(self, session_id: SessionId, seq: u64, at: Timestamp) -> Event {
        let (turn_id, agent_id) = self.turn.unzip();
        Event { seq, session_id, turn_id, agent_id, at, body: self.body }
    }
}

/// A side effect to perform once the events are committed.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Start or continue work on this turn.
    Run(TurnId),
    /// Stop work on this turn.
    Stop(TurnId),
    /// Notify the running turn that a question is settled or that a message has arrived.
    Nudge(TurnId),
    /// Start a run of a schedule; its key is the idempotency key.
    StartRun {
        /// The run.
        key: RunKey,
        /// What to do.
        action: ScheduledAction,
        /// Whether its text is trusted.
        origin: Origin,
        /// What started it, if it waited for something.
        cause: Option<RunCause>,
    },
    /// Deliver this alert.
    Deliver(AlertId),
}

/// The answer to the caller, once the events are committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandOutcome {
    /// The message is accepted as this turn, now or earlier.
    Accepted {
        /// The turn.
        turn_id: TurnId,
        /// The agent that runs it.
        agent_id: AgentId,
        /// Sequence number of its `message.accepted`.
        seq: u64,
        /// Its position in the queue, if it waits.
        position: Option<u32>,
        /// Whether the idempotency key was known.
        duplicate: bool,
    },
    /// The results of the client's calls are recorded, now or earlier.
    Told {
        /// The agent that runs the turn.
        agent_id: AgentId,
        /// The turn's next events have sequence numbers after this one.
        seq: u64,
        /// The calls that still wait for a result.
        still: Vec<String>,
        /// Whether at least one result was new.
        is_new: bool,
    },
    /// The turn is paused, or still runs until its running calls have their results.
    Paused(TurnStatus),
    /// These turns are cancelled.
    Cancelled(Vec<TurnId>),
    /// The turn had ended before.
    AlreadyFinal,
    /// The command is done, or there was nothing to do.
    Done,
    /// The turn continues: a message has arrived that its answer does not take into account.
    GoOn,
    /// Too late: the turn had ended, or another attempt is running. Nothing was written.
    TooLate,
}

/// The result of a command.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandDecision {
    /// Events to commit, in order.
    pub events: Vec<EventDraft>,
    /// Side effects after the commit.
    pub effects: Vec<Effect>,
    /// The answer to the caller after the commit.
    pub outcome: CommandOutcome,
}

impl CommandDecision {
    /// A decision without events and effects.
    pub(crate) const fn nothing(outcome: CommandOutcome) -> Self {
        Self { events: Vec::new(), effects: Vec::new(), outcome }
    }

    /// Adds an event of the session.
    pub(crate) fn session_event(&mut self, body: Body) {
        self.events.push(EventDraft { turn: None, body });
    }

    /// Adds an event of a turn.
    pub(crate) fn turn_event(&mut self, turn: &OpenTurn, body: Body) {
        self.events.push(EventDraft { turn: Some((turn.id, turn.agent_id.clone())), body });
    }

    /// The sequence number that the next event of this decision will get.
    pub(crate) fn next_seq(&self, state: &State) -> u64 {
        state.head + self.events.len() as u64 + 1
    }
}
