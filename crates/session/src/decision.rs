//! What a command leads to, as data.

use protocol::{AgentId, Body, Event, SessionId, Timestamp, TurnId};

use crate::{open_turn::OpenTurn, state::State};

/// An event before it has a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The turn it belongs to, and who runs it.
    pub turn: Option<(TurnId, AgentId)>,
    /// What happened.
    pub body: Body,
}

impl Draft {
    /// The event, once its number is known.
    pub fn number(self, session_id: SessionId, seq: u64, at: Timestamp) -> Event {
        let (turn_id, agent_id) = self.turn.unzip();
        Event { seq, session_id, turn_id, agent_id, at, body: self.body }
    }
}

/// Something to do in the world once the events are committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Let the agent work on this turn.
    Run(TurnId),
    /// Stop the work on this turn.
    Stop(TurnId),
    /// Tell the work on this turn that a question is settled or that something was said.
    Nudge(TurnId),
}

/// What to tell the caller once the events are committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The message is, or was before, accepted as this turn.
    Accepted {
        /// The turn.
        turn_id: TurnId,
        /// Who runs it.
        agent_id: AgentId,
        /// The number of its `message.accepted`.
        seq: u64,
        /// Its place in the queue, if it waits.
        position: Option<u32>,
        /// Whether the key was known.
        duplicate: bool,
    },
    /// What came of the client's calls is, or was before, written down.
    Told {
        /// Who runs the turn.
        agent_id: AgentId,
        /// What comes of it has numbers after this one.
        seq: u64,
        /// The calls that still wait.
        still: Vec<String>,
        /// Whether some of it is new.
        is_new: bool,
    },
    /// These turns are cancelled.
    Cancelled(Vec<TurnId>),
    /// The turn had ended before.
    AlreadyFinal,
    /// It was done, or there was nothing to do.
    Done,
    /// The turn is not over: something was said that its answer does not know of.
    GoOn,
    /// It came too late: the turn had ended, or another attempt runs. Nothing was written.
    TooLate,
}

/// What a command leads to.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Events to commit, in order.
    pub events: Vec<Draft>,
    /// What to do after the commit.
    pub effects: Vec<Effect>,
    /// What to tell the caller after the commit.
    pub outcome: Outcome,
}

impl Decision {
    /// Nothing to write, nothing to do.
    pub(crate) const fn nothing(outcome: Outcome) -> Self {
        Self { events: Vec::new(), effects: Vec::new(), outcome }
    }

    /// Adds an event of the session.
    pub(crate) fn session_event(&mut self, body: Body) {
        self.events.push(Draft { turn: None, body });
    }

    /// Adds an event of a turn.
    pub(crate) fn turn_event(&mut self, turn: &OpenTurn, body: Body) {
        self.events.push(Draft { turn: Some((turn.id, turn.agent_id.clone())), body });
    }

    /// The number the next event of this decision will get.
    pub(crate) fn next_seq(&self, state: &State) -> u64 {
        state.head + self.events.len() as u64 + 1
    }
}
