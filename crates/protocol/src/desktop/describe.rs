//! Short descriptions of actions and interactions on a desktop, for prompts.

use super::{Action, Interaction};

/// Maximum length of a quoted title or text.
const QUOTED_CHARS_MAX: usize = 40;
/// Maximum number of actions that are described individually.
const TOLD_MAX: usize = 12;

/// Describes actions in one line. Equal consecutive actions are described once.
pub fn describe_actions(actions: &[Action]) -> String {
    let mut told: Vec<String> = actions.iter().map(sentence).collect();
    told.dedup();
    let more = told.len().saturating_sub(TOLD_MAX);
    told.truncate(TOLD_MAX);
    if more > 0 {
        told.push(format!("And {more} more."));
    }
    told.join(" ")
}

fn sentence(action: &Action) -> String {
    match action {
        Action::Create { window_id, title, content, .. } => {
            format!("Opened {} ({}) as {window_id}.", quoted(title), content.kind())
        }
        Action::Close { window_id } => format!("Closed {}.", quoted(window_id.as_str())),
        Action::Focus { window_id } => format!("Focused {}.", quoted(window_id.as_str())),
        Action::Move { window_id, .. } => format!("Moved {}.", quoted(window_id.as_str())),
        Action::Resize { window_id, .. } => format!("Resized {}.", quoted(window_id.as_str())),
        Action::Minimize { window_id } => format!("Minimised {}.", quoted(window_id.as_str())),
        Action::Maximize { window_id } => format!("Maximised {}.", quoted(window_id.as_str())),
        Action::Restore { window_id } => format!("Restored {}.", quoted(window_id.as_str())),
        Action::Title { window_id, title, .. } => {
            format!("Renamed {} to {}.", quoted(window_id.as_str()), quoted(title))
        }
        Action::Content { window_id, content, .. } => {
            format!("Changed {} ({}).", quoted(window_id.as_str()), content.kind())
        }
        Action::Lock { window_id, .. } => format!("Locked {}.", quoted(window_id.as_str())),
        Action::Unlock { window_id } => format!("Unlocked {}.", quoted(window_id.as_str())),
        Action::Toast(toast) => format!("Said {}.", quoted(&toast.text)),
        Action::Notification(notification) => format!("Announced {}.", quoted(&notification.title)),
        Action::Dialog(dialog) | Action::Prompt(dialog) => format!("Asked {}.", quoted(&dialog.title)),
        Action::AddMonitor { monitor_id } => format!("Added monitor {}.", quoted(monitor_id.as_str())),
        Action::RemoveMonitor { monitor_id } => format!("Removed monitor {}.", quoted(monitor_id.as_str())),
    }
}

/// A text on one line in quotation marks, without such marks in it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", beginning(text, QUOTED_CHARS_MAX).replace('"', "'"))
}

/// Describes an interaction of the user in one line.
pub fn describe_interaction(interaction: &Interaction) -> String {
    match interaction {
        Interaction::Close { window_id } => format!("close:{window_id}"),
        Interaction::Focus { window_id } => format!("focus:{window_id}"),
        Interaction::Move { window_id, x, y } => format!("move:{window_id} to {x},{y}"),
        Interaction::Resize { window_id, width, height } => format!("resize:{window_id} to {width}x{height}"),
        Interaction::Minimize { window_id } => format!("minimize:{window_id}"),
        Interaction::Maximize { window_id } => format!("maximize:{window_id}"),
        Interaction::Restore { window_id } => format!("restore:{window_id}"),
        Interaction::Lock { window_id } => format!("lock:{window_id}"),
        Interaction::Unlock { window_id } => format!("unlock:{window_id}"),
        Interaction::Draw { window_id, text } => format!("draw:{window_id} {text}"),
        Interaction::App { window_id, text, did, .. } if text.is_empty() => {
            format!("app:{window_id} {}", did.as_ref().map_or("", |did| &did.name))
        }
        Interaction::App { window_id, text, .. } => format!("app:{window_id} {text}"),
    }
}

/// The beginning of a text on one line. An ellipsis marks a cut.
pub fn beginning(text: &str, chars_max: usize) -> String {
    let words = text.split(|char: char| char.is_whitespace() || char.is_control()).filter(|word| !word.is_empty());
    let line = words.collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(chars_max) {
        None => line,
        Some(_) => line.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect(),
    }
}
