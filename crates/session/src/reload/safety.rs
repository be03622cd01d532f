//! What may be done again without asking anybody.

use protocol::Action;

/// Whether doing all of this again harms nothing: windows open and change, something is said. What closes, locks, asks,
/// dismisses, or touches monitors and what apps were asked is never done by rote, and neither is nothing at all: a turn
/// that has only spoken has nothing to repeat.
pub fn is_safe(actions: &[Action]) -> bool {
    !actions.is_empty() && actions.iter().all(is_harmless)
}

// No catch-all: whoever adds an action has to say what it is.
const fn is_harmless(action: &Action) -> bool {
    match action {
        Action::Create { .. }
        | Action::Focus { .. }
        | Action::Move { .. }
        | Action::Resize { .. }
        | Action::Minimize { .. }
        | Action::Maximize { .. }
        | Action::Restore { .. }
        | Action::Title { .. }
        | Action::Content { .. }
        | Action::Toast(_)
        | Action::Notification(_) => true,
        Action::Close { .. }
        | Action::Lock { .. }
        | Action::Unlock { .. }
        | Action::Dialog(_)
        | Action::Prompt(_)
        | Action::AddMonitor { .. }
        | Action::RemoveMonitor { .. } => false,
    }
}

/// Takes out what apps' messages have to carry.
pub(super) fn drop_tokens(actions: &mut [Action]) {
    for action in actions {
        if let Action::Create { token, .. } | Action::Content { token, .. } = action {
            *token = None;
        }
    }
}
