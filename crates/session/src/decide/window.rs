//! `send to window`: a message or an act becomes a turn of the window's agent.

use protocol::{
    AgentId, AgentKind, Component, MessageAccepted, OnBusy, Request, ServedTool, Timestamp, TurnId, Window,
    WindowContent, WindowId, WindowPress, WindowRequest,
};

use super::{agent, check_active, send};
use crate::{
    command::WindowInput,
    decision::{CommandDecision, CommandOutcome},
    limits::{FORM_BYTES_MAX, PARALLEL_MAX},
    refusal::Refusal,
    state::State,
};

/// What a window's agent is asked to do.
pub(super) struct WindowTurn {
    pub(super) input: WindowInput,
    /// The tools of the owner's tool workers.
    pub(super) served: Vec<ServedTool>,
    pub(super) idempotency_key: Option<String>,
}

pub(super) fn decide(
    state: &State,
    turn_id: TurnId,
    window_id: &WindowId,
    asked: WindowTurn,
    now: Timestamp,
) -> Result<CommandDecision, Refusal> {
    let WindowTurn { input, served, idempotency_key } = asked;
    let window = state.desktop.window(window_id);
    let (message, act) = match input {
        WindowInput::Message(message) => (message, None),
        WindowInput::Act(act) => (in_words(window_id, &act)?, Some(act)),
    };
    send::check_message(&message)?;
    let monitor_id = window.map(|window| window.monitor_id.clone()).unwrap_or_default();
    let request = Request {
        monitor_id,
        window: Some(WindowRequest { window_id: window_id.clone(), act }),
        served,
        ..Request::text(message)
    };
    let agent_id = AgentId::main();
    let mut accepted = MessageAccepted { turn_id, agent_id, request, idempotency_key, retry_of: None, answers: None };
    if let Some(outcome) = send::repeat(state, &accepted, now)? {
        return Ok(CommandDecision::nothing(outcome));
    }
    check_active(state)?;
    let window = window.ok_or_else(|| state.desktop.no_window(window_id, None))?;
    let act = accepted.request.window.as_ref().and_then(|window| window.act.as_ref());
    if let Some(act) = act
        && is_parallel(window, act)?
    {
        if agent::count(state, AgentKind::Parallel) >= PARALLEL_MAX {
            return Err(Refusal::TooManyActs { action: act.action.clone() });
        }
        accepted.agent_id = AgentId::parallel(&window.group, turn_id, &window.monitor_id);
        return Ok(send::begin(CommandDecision::nothing(CommandOutcome::Done), state, accepted));
    }
    accepted.agent_id = AgentId::window(&window.group, &window.monitor_id);
    send::accept(state, accepted, OnBusy::Queue)
}

/// The agent of an open window.
pub(super) fn agent_of(state: &State, window_id: &WindowId) -> Result<AgentId, Refusal> {
    let window = state.desktop.window(window_id).ok_or_else(|| state.desktop.no_window(window_id, None))?;
    Ok(AgentId::window(&window.group, &window.monitor_id))
}

/// Whether the act runs without waiting for the window's agent. If the window declares its acts,
/// any other act is refused.
fn is_parallel(window: &Window, act: &WindowPress) -> Result<bool, Refusal> {
    let WindowContent::Components(layout) = &window.content else { return Ok(act.parallel) };
    match find_button(&layout.components, &act.action) {
        Some(parallel) => Ok(parallel || act.parallel),
        None => Err(Refusal::NoSuchAction { window_id: window.window_id.clone(), action: act.action.clone() }),
    }
}

fn find_button(components: &[Component], wanted: &str) -> Option<bool> {
    components.iter().find_map(|component| match component {
        Component::Button { action, parallel, .. } if action == wanted => Some(*parallel),
        Component::Form { components, .. } => find_button(components, wanted),
        Component::Columns { columns } => columns.iter().find_map(|column| find_button(column, wanted)),
        _ => None,
    })
}

/// The act as the agent reads it.
fn in_words(window_id: &WindowId, act: &WindowPress) -> Result<String, Refusal> {
    if act.action.trim().is_empty() {
        return Err(Refusal::NoSuchAction { window_id: window_id.clone(), action: String::new() });
    }
    let bytes = act.form_data.iter().map(|(name, value)| name.len() + value.len()).sum();
    if bytes > FORM_BYTES_MAX {
        return Err(Refusal::MessageTooLarge { bytes });
    }
    let mut words = format!("The user pressed \"{}\" in the window {window_id}.", act.action);
    for (name, value) in &act.form_data {
        words.push_str(&format!("\n- {name}: {value}"));
    }
    Ok(words)
}
