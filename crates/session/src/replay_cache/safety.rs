//! Which actions may be replayed without asking.

use protocol::Action;

/// Whether replaying all of these actions is harmless: they only open and change windows or show a
/// message. Actions that close, lock, ask or dismiss something, or that affect monitors or requests
/// to apps, are never replayed. Neither is an empty list: a turn without actions has nothing to
/// replay.
pub fn is_safe(actions: &[Action]) -> bool {
    !actions.is_empty() && actions.iter().all(is_harmless)
}

// No catch-all: a new action has to be classified here.
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

/// Removes the tokens that apps' messages have to carry.
pub(super) fn drop_tokens(actions: &mut [Action]) {
    for action in actions {
        if let Action::Create { token, .. } | Action::Content { token, .. } = action {
            *token = None;
        }
    }
}
