//! `act on toast`: it goes away; one that tells of a replay may say that it was wrong.

use protocol::{Body, DIDNT_WORK, ToastActed, ToastId};

use super::check_active;
use crate::{
    decision::{Decision, Outcome},
    desktop::Misfit,
    refusal::Refusal,
    state::State,
};

/// What waves a toast or a notification away.
const DISMISS: &str = "dismiss";

pub(super) fn decide(state: &State, toast_id: ToastId, action: String) -> Result<Decision, Refusal> {
    check_active(state)?;
    let toast = state.desktop.toast(toast_id);
    if toast.is_none() && !state.desktop.has_notification(toast_id) {
        return Err(Misfit::NoToast { toast_id }.into());
    }
    let button = toast.and_then(|toast| toast.button.as_ref()).map(|button| button.action.clone());
    if action != DISMISS && button.as_ref() != Some(&action) {
        return Err(Refusal::NoSuchButton { button });
    }
    let replay_of = toast.filter(|_| action == DIDNT_WORK).and_then(|toast| toast.replay_of);
    let mut decision = Decision::nothing(Outcome::Done);
    decision.session_event(Body::ToastActed(ToastActed { toast_id, action, replay_of }));
    Ok(decision)
}
