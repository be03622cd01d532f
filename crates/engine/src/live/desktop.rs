//! A session's desktop as clients see it.

use protocol::{AgentId, DesktopView, MonitorView};
use session::State;

use crate::turn::timeline_line;

/// The current desktop, with all open questions to the user and the agents of the session.
pub(super) fn view(state: &State) -> DesktopView {
    let desktop = &state.desktop;
    let monitors = desktop.monitors().into_iter().map(|monitor_id| MonitorView {
        agent_id: AgentId::main_of(&monitor_id),
        focused: desktop.focused(&monitor_id).map(|window| window.window_id.clone()),
        monitor_id,
    });
    DesktopView {
        session_id: state.id,
        as_of: state.head,
        monitors: monitors.collect(),
        windows: desktop.windows().cloned().collect(),
        toasts: desktop.toasts().cloned().collect(),
        notifications: desktop.notifications().cloned().collect(),
        dialogs: desktop.dialogs().cloned().collect(),
        approvals: state.approvals().cloned().collect(),
        app_requests: desktop.requests().cloned().collect(),
        agents: state.agents(),
        timeline: state.timeline().map(timeline_line).collect(),
    }
}
