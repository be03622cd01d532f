//! `interact`: what the user does on the desktop is applied there and added to the main agent's
//! timeline.

use std::collections::BTreeMap;

use protocol::{
    Action, Actions, AppRequest, Body, Bounds, Interaction, Interactions, LockHolder, MonitorId, RenderFailure, Window,
    WindowId,
};

use super::{agent, check_active, desktop};
use crate::{
    decision::{CommandDecision, CommandOutcome},
    desktop::{check_request, check_token},
    limits::{DESKTOP_HEIGHT, DESKTOP_WIDTH, INTERACTIONS_MAX, REMARK_CHARS_MAX, WINDOW_HEIGHT_MIN, WINDOW_WIDTH_MIN},
    refusal::Refusal,
    state::State,
};

pub(super) fn decide(state: &State, interactions: Vec<Interaction>) -> Result<CommandDecision, Refusal> {
    check_active(state)?;
    if interactions.len() > INTERACTIONS_MAX {
        return Err(Refusal::TooManyInteractions { interactions: interactions.len() });
    }
    let mut batch = InteractionBatch::default();
    let first = interactions.first().map(|interaction| interaction.window_id().clone());
    for interaction in interactions {
        batch.take(state, interaction)?;
    }
    let InteractionBatch { parts, stale, .. } = batch;
    // A page may not know yet that a window is closed, so unknown windows are skipped. If none of
    // them is known, the request is wrong.
    if let Some(unknown) = first.filter(|_| parts.is_empty() && !stale) {
        return Err(state.desktop.no_window(&unknown, None).into());
    }
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    let all: Vec<Action> = parts.iter().flat_map(|part| part.actions.iter().cloned()).collect();
    for MonitorInteractions { monitor_id, interactions, actions } in parts {
        let told = Interactions { monitor_id: monitor_id.clone(), interactions };
        decision.session_event(Body::Interacted(told));
        if !actions.is_empty() {
            decision.session_event(Body::Actions(Actions { monitor_id, actions, key: None, replay_of: None }));
        }
    }
    let closed = desktop::closed_by(state, &all);
    if !closed.is_empty() {
        agent::close_windows(state, &mut decision, &closed, true);
    }
    for turn_id in desktop::asked_in_vain(state, &all) {
        desktop::nudge(state, &mut decision, turn_id);
    }
    Ok(decision)
}

pub(super) fn render_failed(state: &State, window_id: WindowId, error: String) -> Result<CommandDecision, Refusal> {
    check_active(state)?;
    let window = state.desktop.window(&window_id).ok_or_else(|| state.desktop.no_window(&window_id, None))?;
    let monitor_id = window.monitor_id.clone();
    let error = error.chars().take(REMARK_CHARS_MAX).collect();
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    decision.session_event(Body::RenderFailed(RenderFailure { window_id, monitor_id, error }));
    Ok(decision)
}

/// Consecutive interactions on one monitor.
struct MonitorInteractions {
    monitor_id: MonitorId,
    interactions: Vec<Interaction>,
    actions: Vec<Action>,
}

/// The interactions that still apply.
#[derive(Default)]
struct InteractionBatch {
    parts: Vec<MonitorInteractions>,
    closed: Vec<WindowId>,
    /// Positions of the windows after the interactions so far.
    bounds: BTreeMap<WindowId, Bounds>,
    /// Whether an interaction was about an app that its window no longer shows.
    stale: bool,
}

impl InteractionBatch {
    fn take(&mut self, state: &State, interaction: Interaction) -> Result<(), Refusal> {
        if let Interaction::Draw { text, .. } | Interaction::App { text, .. } = &interaction
            && text.chars().count() > REMARK_CHARS_MAX
        {
            return Err(Refusal::InteractionTooLong);
        }
        let id = interaction.window_id();
        let Some(window) = state.desktop.window(id).filter(|_| !self.closed.contains(id)) else { return Ok(()) };
        let interaction = match interaction {
            Interaction::App { .. } if window.app.is_none() => {
                self.stale = true;
                return Ok(());
            }
            Interaction::App { window_id, token, text, did } => {
                check_token(window, token.as_deref().unwrap_or_default())?;
                if let Some(command) = &did {
                    check_request(window, &AppRequest::Command(command.clone()))?;
                }
                Interaction::App { window_id, token: None, text, did }
            }
            other => other,
        };
        let action = self.action(window, &interaction);
        let interaction = as_done(interaction, action.as_ref());
        match self.parts.last_mut() {
            Some(part) if part.monitor_id == window.monitor_id => {
                part.interactions.push(interaction);
                part.actions.extend(action);
            }
            _ => self.parts.push(MonitorInteractions {
                monitor_id: window.monitor_id.clone(),
                interactions: vec![interaction],
                actions: action.into_iter().collect(),
            }),
        }
        Ok(())
    }

    /// The action of the interaction, if it has one. A page may be larger than the desktop:
    /// positions are clamped to its edges.
    fn action(&mut self, window: &Window, interaction: &Interaction) -> Option<Action> {
        let bounds = self.bounds.entry(window.window_id.clone()).or_insert(window.bounds);
        Some(match interaction.clone() {
            Interaction::Close { window_id } => {
                self.closed.push(window_id.clone());
                Action::Close { window_id }
            }
            Interaction::Focus { window_id } => Action::Focus { window_id },
            Interaction::Move { window_id, x, y } => {
                bounds.x = held(x, DESKTOP_WIDTH.saturating_sub(bounds.width));
                bounds.y = held(y, DESKTOP_HEIGHT.saturating_sub(bounds.height));
                Action::Move { window_id, x: bounds.x, y: bounds.y }
            }
            Interaction::Resize { window_id, width, height } => {
                bounds.width = width.min(DESKTOP_WIDTH.saturating_sub(bounds.x)).max(WINDOW_WIDTH_MIN);
                bounds.height = height.min(DESKTOP_HEIGHT.saturating_sub(bounds.y)).max(WINDOW_HEIGHT_MIN);
                Action::Resize { window_id, width: bounds.width, height: bounds.height }
            }
            Interaction::Minimize { window_id } => Action::Minimize { window_id },
            Interaction::Maximize { window_id } => Action::Maximize { window_id },
            Interaction::Restore { window_id } => Action::Restore { window_id },
            Interaction::Lock { window_id } => Action::Lock { window_id, holder: LockHolder::User },
            Interaction::Unlock { window_id } => Action::Unlock { window_id },
            Interaction::Draw { .. } | Interaction::App { .. } => return None,
        })
    }
}

/// Clamps a position to the edges.
fn held(place: i64, max: u32) -> u32 {
    u32::try_from(place.clamp(0, max.into())).unwrap_or(max)
}

/// The interaction with the position the window really has after the move, not the one the page
/// asked for.
fn as_done(interaction: Interaction, action: Option<&Action>) -> Interaction {
    match (interaction, action) {
        (Interaction::Move { window_id, .. }, Some(&Action::Move { x, y, .. })) => {
            Interaction::Move { window_id, x: x.into(), y: y.into() }
        }
        (Interaction::Resize { window_id, .. }, Some(&Action::Resize { width, height, .. })) => {
            Interaction::Resize { window_id, width, height }
        }
        (other, _) => other,
    }
}
