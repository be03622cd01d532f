//! `act on toast`: dismisses the toast. On the toast of a replay the user may report that the
//! replay was wrong.

use protocol::{Body, DIDNT_WORK, ToastActed, ToastId};

use super::check_active;
use crate::{
    decision::{CommandDecision, CommandOutcome},
    desktop::DesktopFault,
    refusal::Refusal,
    state::State,
};

/// The action that dismisses a toast or a notification.
const DISMISS: &str = "dismiss";

pub(super) fn decide(state: &State, toast_id: ToastId, action: String) -> Result<CommandDecision, Refusal> {
    check_active(state)?;
    let toast = state.desktop.toast(toast_id);
    if toast.is_none() && !state.desktop.has_notification(toast_id) {
        return Err(DesktopFault::NoToast { toast_id }.into());
    }
    let button = toast.and_then(|toast| toast.button.as_ref()).map(|button| button.action.clone());
    if action != DISMISS && button.as_ref() != Some(&action) {
        return Err(Refusal::NoSuchButton { button });
    }
    let replay_of = toast.filter(|_| action == DIDNT_WORK).and_then(|toast| toast.replay_of);
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    decision.session_event(Body::ToastActed(ToastActed { toast_id, action, replay_of }));
    Ok(decision)
}
