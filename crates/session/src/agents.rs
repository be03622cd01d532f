//! Bookkeeping when agents start and end a turn: what the main agent learns about the other agents,
//! and what remains of the agents of windows.

use protocol::{
    Action, AgentId, AgentKind, AgentView, Body, Event, Interaction, MonitorId, Origin, Transition, Window,
    WindowAgent, WindowAgentStatus, WindowId, beginning, describe_actions,
};

use crate::{
    limits::TIMELINE_CHARS_MAX,
    open_turn::OpenTurn,
    replay_cache::{self, CachedTurn, ReplayRequest, RequestPlace},
    state::State,
    timeline::{TimelineEntry, TimelineEvent},
};

impl State {
    /// Updates the timeline when a turn ends: settles the entries the turn was given, and adds the
    /// entry that the main agent should know.
    pub(crate) fn settle_timeline(&mut self, turn: &OpenTurn, end: Transition, event: &Event) {
        if turn.agent_id.is_main() {
            // A clarifying question and a replay from the cache add nothing to the timeline.
            let is_by_rote = turn.doings.is_replay && turn.thread.rounds() == 0;
            if end == Transition::Completed && turn.was_told && !is_by_rote {
                self.timeline.is_told(turn.id);
            } else {
                self.timeline.give_back(turn.id);
            }
        } else if turn.agent_id.kind() != Some(AgentKind::Background) {
            // A turn in the background becomes part of the conversation itself.
            let answer = turn.response.as_ref().map_or(&turn.text, |response| &response.message);
            let happened = TimelineEvent::Agent {
                agent_id: turn.agent_id.clone(),
                task: beginning(&turn.request.message, TIMELINE_CHARS_MAX),
                did: describe_actions(&turn.doings.actions),
                answer: beginning(answer, TIMELINE_CHARS_MAX),
                end,
            };
            self.happened(event.seq, turn.agent_id.monitor(), happened, turn.origin());
        }
        if end == Transition::Completed {
            self.remember_actions(turn, event);
        }
    }

    /// Adds an entry to the timeline of a monitor.
    pub(crate) fn happened(&mut self, seq: u64, monitor_id: MonitorId, happened: TimelineEvent, origin: Origin) {
        self.timeline.push(TimelineEntry { seq, monitor_id, happened, origin, given_to: None });
    }

    /// Stores what a turn did in the replay cache. A turn that was itself a replay adds nothing.
    fn remember_actions(&mut self, turn: &OpenTurn, event: &Event) {
        if turn.doings.actions.is_empty() || turn.doings.is_replay || turn.doings.is_cut {
            return;
        }
        let asked = Self::replay_request(turn);
        // A window of the same name may be another one.
        if matches!(&asked.place, RequestPlace::Window(window_id) if self.desktop.window(window_id).is_none()) {
            return;
        }
        let answer = turn.response.as_ref().map(|response| response.message.clone()).unwrap_or_default();
        let actions = turn.doings.actions.clone();
        let is_whole = turn.response.as_ref().is_some_and(|response| response.stop_reason.is_complete());
        let is_safe = replay_cache::is_safe(&actions) && turn.has_only_acted() && is_whole;
        self.reload.add(CachedTurn { turn_id: turn.id, at: event.at, asked, actions, answer, is_safe });
    }

    /// Adds a desktop event to the timeline of the main agent, and drops what the event made
    /// obsolete.
    pub(crate) fn note_desktop(&mut self, event: &Event) {
        match &event.body {
            Body::Interacted(done) => {
                for interaction in &done.interactions {
                    // What an app reports is the app's own text, with the app's origin.
                    let origin = match interaction {
                        Interaction::App { window_id, .. } => {
                            self.desktop.window(window_id).map(|window| window.origin)
                        }
                        _ => Some(Origin::Trusted),
                    };
                    let happened = TimelineEvent::User(interaction.clone());
                    self.happened(event.seq, done.monitor_id.clone(), happened, origin.unwrap_or_default());
                }
            }
            Body::ToastActed(acted) => {
                if let Some(turn_id) = acted.replay_of {
                    self.reload.fail(turn_id);
                }
            }
            Body::RenderFailed(failed) => {
                self.reload.fail_opening(&failed.window_id);
                // The error may quote the content that could not be shown.
                let origin = self.desktop.window(&failed.window_id).map(|window| window.origin).unwrap_or_default();
                let happened =
                    TimelineEvent::RenderFailed { window_id: failed.window_id.clone(), error: failed.error.clone() };
                self.happened(event.seq, failed.monitor_id.clone(), happened, origin);
            }
            Body::SessionRestored(restored) if !restored.summary.is_empty() => {
                let happened = TimelineEvent::Restored(restored.summary.clone());
                self.happened(event.seq, MonitorId::primary(), happened, restored.origin);
            }
            Body::Actions(done) => {
                for action in &done.actions {
                    if let Action::RemoveMonitor { monitor_id } = action {
                        self.tape.forget_monitor(monitor_id);
                        self.timeline.forget_monitor(monitor_id);
                    }
                }
            }
            _ => {}
        }
    }

    /// The request of a turn, in the form that is compared with earlier requests.
    pub fn replay_request(turn: &OpenTurn) -> ReplayRequest {
        let place = match &turn.request.window {
            Some(window) => RequestPlace::Window(window.window_id.clone()),
            None => RequestPlace::Main(turn.agent_id.monitor()),
        };
        ReplayRequest {
            place,
            message: turn.request.message.clone(),
            act: turn.request.window.as_ref().and_then(|window| window.act.clone()),
            windows: turn.windows_digest.clone(),
            known: turn.known_digest.clone(),
        }
    }

    /// Windows were closed: turns that ran in them leave the conversation history.
    pub(crate) fn forget_windows(&mut self, closed: &[Window]) {
        self.tape.forget_windows(closed);
        let ids: Vec<WindowId> = closed.iter().map(|window| window.window_id.clone()).collect();
        self.reload.forget_windows(&ids);
    }

    pub(crate) fn change_window_agent(&mut self, change: &WindowAgent) {
        // An agent of one action is no agent of the window.
        if change.agent_id.kind() != Some(AgentKind::Window) {
            return;
        }
        match change.status {
            WindowAgentStatus::Assigned => self.tape.assign(&change.agent_id),
            WindowAgentStatus::Active => {}
            WindowAgentStatus::Released => self.tape.release(&change.agent_id),
        }
    }

    /// The agents of this session: the main agents, the agents of windows, and those that run a
    /// single turn.
    pub fn agents(&self) -> Vec<AgentView> {
        let mains = self.desktop.monitors().into_iter().map(|monitor_id| AgentId::main_of(&monitor_id));
        let mut ids: Vec<AgentId> = mains.collect();
        ids.extend(self.tape.agents().cloned());
        let others: Vec<AgentId> = self.running.keys().filter(|id| !ids.contains(id)).cloned().collect();
        ids.extend(others);
        ids.into_iter().map(|agent_id| self.agent_view(agent_id)).collect()
    }

    fn agent_view(&self, agent_id: AgentId) -> AgentView {
        let in_group = |group: WindowId| -> Vec<WindowId> {
            self.desktop.group(&group).map(|window| window.window_id.clone()).collect()
        };
        let windows = agent_id.group().map(in_group).unwrap_or_default();
        AgentView {
            kind: agent_id.kind().unwrap_or(AgentKind::Ephemeral),
            monitor_id: agent_id.monitor(),
            windows,
            turn_id: self.running.get(&agent_id).copied(),
            queue: self.lines.of(&agent_id).collect(),
            agent_id,
        }
    }
}
