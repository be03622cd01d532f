//! Queues of turns, one for each agent.

use std::collections::{BTreeMap, VecDeque};

use protocol::{AgentId, TurnId};
use serde::{Deserialize, Serialize};

/// A queue of turns for each agent, first in, first out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct TurnQueues {
    by_agent: BTreeMap<AgentId, VecDeque<TurnId>>,
}

impl TurnQueues {
    pub(crate) fn of(&self, agent_id: &AgentId) -> impl Iterator<Item = TurnId> {
        self.by_agent.get(agent_id).into_iter().flatten().copied()
    }

    pub(crate) fn len(&self, agent_id: &AgentId) -> usize {
        self.by_agent.get(agent_id).map_or(0, VecDeque::len)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_agent.is_empty()
    }

    /// The agents that have turns in their queue.
    pub(crate) fn agents(&self) -> impl Iterator<Item = &AgentId> {
        self.by_agent.keys()
    }

    /// Adds a turn to the end of its agent's queue, unless it is in it already.
    pub(crate) fn join(&mut self, agent_id: &AgentId, turn_id: TurnId) {
        let line = self.by_agent.entry(agent_id.clone()).or_default();
        if !line.contains(&turn_id) {
            line.push_back(turn_id);
        }
    }

    pub(crate) fn leave(&mut self, turn_id: TurnId) {
        self.by_agent.retain(|_, line| {
            line.retain(|waiting| *waiting != turn_id);
            !line.is_empty()
        });
    }
}
