//! The tape: what was said in the session of late, by source. Each agent is told its own part of it.

use std::collections::BTreeMap;

use protocol::{AgentId, AgentKind, MonitorId, Window, WindowId};
use serde::{Deserialize, Serialize};

use crate::{
    desktop::Desktop,
    ending::Ending,
    limits::INTRODUCTION_TURNS,
    open_turn::OpenTurn,
    recent::{Recent, RecentTurn},
    thread::Thread,
};

/// What was said of late, by source, and what the agents of windows were told when they came.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Tape {
    mains: BTreeMap<MonitorId, Recent>,
    windows: BTreeMap<WindowId, Recent>,
    /// The agents of windows, with the last turns of the main agent from when they came.
    agents: BTreeMap<AgentId, Vec<RecentTurn>>,
}

impl Tape {
    /// What an agent is told of what was said before, oldest first. An ephemeral agent is told nothing: it comes for its
    /// one task.
    pub(crate) fn told_to(&self, agent_id: &AgentId, window: Option<&WindowId>, desktop: &Desktop) -> Vec<RecentTurn> {
        match (agent_id.kind(), window) {
            (Some(AgentKind::Main), _) => self.main(&agent_id.monitor()).cloned().collect(),
            (Some(AgentKind::Window | AgentKind::Parallel), Some(window)) => self.told_in(window, desktop),
            _ => Vec::new(),
        }
    }

    /// The last turns of a monitor's main agent, oldest first.
    pub(crate) fn main<'a>(
        &'a self,
        monitor_id: &MonitorId,
    ) -> impl DoubleEndedIterator<Item = &'a RecentTurn> + use<'a> {
        self.mains.get(monitor_id).into_iter().flat_map(Recent::iter)
    }

    /// All turns that some agent is told of.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &RecentTurn> {
        let own = self.mains.values().chain(self.windows.values()).flat_map(Recent::iter);
        own.chain(self.agents.values().flatten())
    }

    fn told_in(&self, window: &WindowId, desktop: &Desktop) -> Vec<RecentTurn> {
        let Some(window) = desktop.window(window) else { return Vec::new() };
        let mut own: Vec<RecentTurn> = desktop
            .group(&window.group)
            .filter_map(|window| self.windows.get(&window.window_id))
            .flat_map(Recent::iter)
            .cloned()
            .collect();
        // Ids are drawn in the order in which turns are accepted.
        own.sort_by_key(|turn| turn.turn_id);
        let before = self.agents.get(&AgentId::window(&window.group, &window.monitor_id));
        before.into_iter().flatten().cloned().chain(own).collect()
    }

    /// Takes in a turn that has ended. What an ephemeral agent did reaches the main one by the timeline.
    pub(crate) fn add(&mut self, turn: OpenTurn, ending: Ending) {
        let recent = match (&turn.request.window, turn.agent_id.kind()) {
            (Some(window), _) => self.windows.entry(window.window_id.clone()).or_default(),
            (None, Some(AgentKind::Main)) => self.mains.entry(turn.agent_id.monitor()).or_default(),
            (None, _) => return,
        };
        recent.add(turn, ending);
    }

    /// Forgets the earlier attempts at what is asked again.
    pub(crate) fn forget_attempts(&mut self, earlier: protocol::TurnId) {
        for recent in self.mains.values_mut().chain(self.windows.values_mut()) {
            recent.forget_attempts(earlier);
        }
    }

    /// Windows get an agent, which is told what the main agent was asked of late.
    pub(crate) fn assign(&mut self, agent_id: &AgentId) {
        let last = self.main(&agent_id.monitor()).rev().take(INTRODUCTION_TURNS);
        let mut last: Vec<RecentTurn> =
            last.map(|turn| RecentTurn { thread: Thread::default(), ..turn.clone() }).collect();
        last.reverse();
        self.agents.insert(agent_id.clone(), last);
    }

    pub(crate) fn release(&mut self, agent_id: &AgentId) {
        self.agents.remove(agent_id);
    }

    /// All agents of windows go.
    pub(crate) fn release_all(&mut self) {
        self.agents.clear();
    }

    pub(crate) fn has_agent(&self, agent_id: &AgentId) -> bool {
        self.agents.contains_key(agent_id)
    }

    /// The agents of windows.
    pub(crate) fn agents(&self) -> impl Iterator<Item = &AgentId> {
        self.agents.keys()
    }

    /// What was said in windows that are closed is no longer told.
    pub(crate) fn forget_windows(&mut self, closed: &[Window]) {
        for window in closed {
            self.windows.remove(&window.window_id);
        }
    }

    pub(crate) fn forget_monitor(&mut self, monitor_id: &MonitorId) {
        self.mains.remove(monitor_id);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.mains.values().chain(self.windows.values()).all(Recent::is_empty)
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}
