//! The tape: the recent turns of the session by source. Each agent gets its own part of it as
//! context.

use std::collections::BTreeMap;

use protocol::{AgentId, AgentKind, MonitorId, Window, WindowId};
use serde::{Deserialize, Serialize};

use crate::{
    desktop::Desktop,
    ending::TurnEnding,
    limits::INTRODUCTION_TURNS,
    open_turn::OpenTurn,
    recent::{RecentTurn, RecentTurns},
    thread::Thread,
};

/// The recent turns by source, and the introduction of each window's agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Tape {
    mains: BTreeMap<MonitorId, RecentTurns>,
    windows: BTreeMap<WindowId, RecentTurns>,
    /// The agents of windows, with the main agent's last turns at the time they were assigned.
    agents: BTreeMap<AgentId, Vec<RecentTurn>>,
}

impl Tape {
    /// The earlier turns in an agent's context, oldest first. An ephemeral agent gets none: it
    /// exists for a single task. One in the background takes part in the conversation.
    pub(crate) fn told_to(&self, agent_id: &AgentId, window: Option<&WindowId>, desktop: &Desktop) -> Vec<RecentTurn> {
        match (agent_id.kind(), window) {
            (Some(AgentKind::Main | AgentKind::Background), _) => self.main(&agent_id.monitor()).cloned().collect(),
            (Some(AgentKind::Window | AgentKind::Parallel), Some(window)) => self.told_in(window, desktop),
            _ => Vec::new(),
        }
    }

    /// The last turns of a monitor's main agent, oldest first.
    pub(crate) fn main<'a>(
        &'a self,
        monitor_id: &MonitorId,
    ) -> impl DoubleEndedIterator<Item = &'a RecentTurn> + use<'a> {
        self.mains.get(monitor_id).into_iter().flat_map(RecentTurns::iter)
    }

    /// All turns that are in the context of some agent.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &RecentTurn> {
        let own = self.mains.values().chain(self.windows.values()).flat_map(RecentTurns::iter);
        own.chain(self.agents.values().flatten())
    }

    fn told_in(&self, window: &WindowId, desktop: &Desktop) -> Vec<RecentTurn> {
        let Some(window) = desktop.window(window) else { return Vec::new() };
        let mut own: Vec<RecentTurn> = desktop
            .group(&window.group)
            .filter_map(|window| self.windows.get(&window.window_id))
            .flat_map(RecentTurns::iter)
            .cloned()
            .collect();
        // Ids increase in the order in which turns are accepted.
        own.sort_by_key(|turn| turn.turn_id);
        let before = self.agents.get(&AgentId::window(&window.group, &window.monitor_id));
        before.into_iter().flatten().cloned().chain(own).collect()
    }

    /// Adds an ended turn. The main agent learns about ephemeral agents from the timeline.
    pub(crate) fn add(&mut self, turn: OpenTurn, ending: TurnEnding) {
        let recent = match (&turn.request.window, turn.agent_id.kind()) {
            (Some(window), _) => self.windows.entry(window.window_id.clone()).or_default(),
            (None, Some(AgentKind::Main | AgentKind::Background)) => {
                self.mains.entry(turn.agent_id.monitor()).or_default()
            }
            (None, _) => return,
        };
        recent.add(turn, ending);
    }

    /// Drops the earlier attempts of a retried turn.
    pub(crate) fn forget_attempts(&mut self, earlier: protocol::TurnId) {
        for recent in self.mains.values_mut().chain(self.windows.values_mut()) {
            recent.forget_attempts(earlier);
        }
    }

    /// Assigns an agent to windows. Its introduction is the main agent's recent turns.
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

    /// Releases all agents of windows.
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

    /// Drops the turns of closed windows.
    pub(crate) fn forget_windows(&mut self, closed: &[Window]) {
        for window in closed {
            self.windows.remove(&window.window_id);
        }
    }

    pub(crate) fn forget_monitor(&mut self, monitor_id: &MonitorId) {
        self.mains.remove(monitor_id);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.mains.values().chain(self.windows.values()).all(RecentTurns::is_empty)
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}
