//! Who waits for whom: a line of turns for each agent.

use std::collections::{BTreeMap, VecDeque};

use protocol::{AgentId, TurnId};
use serde::{Deserialize, Serialize};

/// A line of turns for each agent, first come first served.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Lines {
    by_agent: BTreeMap<AgentId, VecDeque<TurnId>>,
}

impl Lines {
    pub(crate) fn of(&self, agent_id: &AgentId) -> impl Iterator<Item = TurnId> {
        self.by_agent.get(agent_id).into_iter().flatten().copied()
    }

    pub(crate) fn len(&self, agent_id: &AgentId) -> usize {
        self.by_agent.get(agent_id).map_or(0, VecDeque::len)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_agent.is_empty()
    }

    /// The agents for whom somebody waits.
    pub(crate) fn agents(&self) -> impl Iterator<Item = &AgentId> {
        self.by_agent.keys()
    }

    /// Puts a turn at the end of its agent's line, unless it stands there.
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
