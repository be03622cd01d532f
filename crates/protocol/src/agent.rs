//! Agents of a session: one main agent per monitor, agents for a single turn beside it or in the
//! background, and one agent per window or group of windows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Action, AgentId, Body, Event, IdError, LiveUpdate, TurnId, ids::text};

/// Maximum length of a monitor's name.
const MONITOR_CHARS_MAX: usize = 32;
/// Maximum length of a window's name.
const WINDOW_CHARS_MAX: usize = 48;

/// Checks a name that becomes part of agent names and URLs: lowercase letters, digits, `-` and `_`.
fn check_slug(text: &str, what: &'static str, max: usize) -> Result<(), IdError> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let begins = text.bytes().next().is_some_and(is_plain);
    let goes_on = text.bytes().all(|byte| is_plain(byte) || matches!(byte, b'_' | b'-'));
    if begins && goes_on && text.len() <= max { Ok(()) } else { Err(IdError::BadSlug { what, max }) }
}

text! {
    /// Name of a monitor: a desktop within a session that has its own main agent. 1 to 32 lowercase
    /// letters, digits, `-` and `_`; the first is a letter or a digit.
    MonitorId,
    schemars(extend("pattern" = "^[a-z0-9][a-z0-9_-]{0,31}$")),
    |text: &str| check_slug(text, "monitor", MONITOR_CHARS_MAX)
}
text! {
    /// Name of a window on a desktop. 1 to 48 lowercase letters, digits, `-` and `_`; the first is
    /// a letter or a digit.
    WindowId,
    schemars(extend("pattern" = "^[a-z0-9][a-z0-9_-]{0,47}$")),
    |text: &str| check_slug(text, "window", WINDOW_CHARS_MAX)
}

impl MonitorId {
    /// The monitor that every session has.
    pub fn primary() -> Self {
        Self("main".to_owned())
    }

    /// Whether this is the monitor that every session has.
    pub fn is_primary(&self) -> bool {
        self.0 == "main"
    }
}

impl Default for MonitorId {
    fn default() -> Self {
        Self::primary()
    }
}

/// Kind of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentKind {
    /// The agent that holds a monitor's conversation.
    Main,
    /// An agent that exists for one turn, beside the main agent.
    Ephemeral,
    /// An agent that exists for one turn in the background.
    Background,
    /// The agent of a window or of a group of windows.
    Window,
    /// An agent that exists for one action in a window, beside the window's agent.
    Parallel,
}

impl AgentId {
    /// The main agent of the primary monitor.
    pub fn main() -> Self {
        Self::main_of(&MonitorId::primary())
    }

    /// The main agent of a monitor.
    pub fn main_of(monitor_id: &MonitorId) -> Self {
        Self::on("main".to_owned(), monitor_id)
    }

    /// An agent that exists for one turn, beside the main agent.
    pub fn ephemeral(turn_id: TurnId, monitor_id: &MonitorId) -> Self {
        Self::on(format!("ephemeral-{turn_id}"), monitor_id)
    }

    /// An agent that exists for one turn in the background.
    pub fn background(turn_id: TurnId, monitor_id: &MonitorId) -> Self {
        Self::on(format!("background-{turn_id}"), monitor_id)
    }

    /// The agent of a group of windows.
    pub fn window(group: &WindowId, monitor_id: &MonitorId) -> Self {
        Self::on(format!("window-{group}"), monitor_id)
    }

    /// An agent that exists for one action in a window, beside the window's agent.
    pub fn parallel(group: &WindowId, turn_id: TurnId, monitor_id: &MonitorId) -> Self {
        Self::on(format!("window-{group}/{turn_id}"), monitor_id)
    }

    /// Appends the monitor to the name, except for the primary monitor.
    fn on(name: String, monitor_id: &MonitorId) -> Self {
        let name = if monitor_id.is_primary() { name } else { format!("{name}@{monitor_id}") };
        // The limits of the parts keep the name within the limit of an agent's name.
        Self::try_from(name).unwrap_or_else(|_| unreachable!("the parts of an agent's name have their limits"))
    }

    /// The kind of agent, from its name. `None` for a name that has no agent's form.
    pub fn kind(&self) -> Option<AgentKind> {
        let name = self.name();
        match name {
            "main" => Some(AgentKind::Main),
            _ if name.starts_with("ephemeral-") => Some(AgentKind::Ephemeral),
            _ if name.starts_with("background-") => Some(AgentKind::Background),
            _ if name.starts_with("window-") && name.contains('/') => Some(AgentKind::Parallel),
            _ if name.starts_with("window-") => Some(AgentKind::Window),
            _ => None,
        }
    }

    /// Whether it holds a monitor's conversation.
    pub fn is_main(&self) -> bool {
        self.kind() == Some(AgentKind::Main)
    }

    /// The monitor it works on.
    pub fn monitor(&self) -> MonitorId {
        self.as_str().split_once('@').and_then(|(_, monitor)| monitor.parse().ok()).unwrap_or_default()
    }

    /// The group of windows that this agent works for. `None` if it is not a window's agent.
    pub fn group(&self) -> Option<WindowId> {
        let rest = self.name().strip_prefix("window-")?;
        rest.split_once('/').map_or(rest, |(group, _)| group).parse().ok()
    }

    fn name(&self) -> &str {
        self.as_str().split_once('@').map_or(self.as_str(), |(name, _)| name)
    }
}

impl Event {
    /// The monitor on which the event happened. `None` if it concerns all monitors.
    pub fn monitor(&self) -> Option<MonitorId> {
        if let Some(agent_id) = &self.agent_id {
            return Some(agent_id.monitor());
        }
        match &self.body {
            Body::Actions(done) => {
                let is_of_all =
                    |action: &Action| matches!(action, Action::AddMonitor { .. } | Action::RemoveMonitor { .. });
                (!done.actions.iter().any(is_of_all)).then(|| done.monitor_id.clone())
            }
            Body::Interacted(done) => Some(done.monitor_id.clone()),
            Body::RenderFailed(failed) => Some(failed.monitor_id.clone()),
            Body::WindowAgent(change) => Some(change.agent_id.monitor()),
            _ => None,
        }
    }
}

impl LiveUpdate {
    /// The monitor on which the update happens.
    pub fn monitor(&self) -> MonitorId {
        match self {
            Self::Text(live) | Self::Thinking(live) => live.agent_id.monitor(),
            Self::Progress(live) => live.agent_id.monitor(),
        }
    }
}
