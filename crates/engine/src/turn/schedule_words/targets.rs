//! Which schedules a sentence means.

use protocol::{ScheduleList, ScheduleView, ScheduledAction};
use schedule::{ScheduleKind, ScheduleTarget};

use super::super::state::TurnState;

/// The schedules that are meant, or what is said instead.
pub(super) enum TargetMatch {
    /// These.
    These(Vec<ScheduleView>),
    /// This is said; whether it is a question.
    Words(String, bool),
}

/// The owner's open schedules of a kind, the next run first.
pub(super) async fn all(state: &TurnState, kind: Option<ScheduleKind>) -> Option<Vec<ScheduleView>> {
    list(state, false).await.map(|mut found| {
        found.retain(|view| kind.is_none_or(|kind| is_kind(view, kind)));
        found
    })
}

/// The open schedules that a target names.
pub(super) async fn meant(state: &TurnState, which: &ScheduleTarget) -> Option<Vec<ScheduleView>> {
    let mut found = all(state, which.kind).await?;
    found.retain(|view| is_about(view, which));
    Some(found)
}

/// The reminder or timer that has run last, among those that a target names.
pub(super) async fn last_run(state: &TurnState, which: &ScheduleTarget) -> Option<Option<ScheduleView>> {
    let mut found = list(state, true).await?;
    found.retain(|view| {
        let reminds = matches!(view.spec.action, ScheduledAction::Remind { .. });
        reminds && view.last_run.is_some() && which.kind.is_none_or(|kind| is_kind(view, kind)) && is_about(view, which)
    });
    Some(found.into_iter().max_by_key(|view| view.last_run.as_ref().map(|run| run.planned_at)))
}

async fn list(state: &TurnState, ended: bool) -> Option<Vec<ScheduleView>> {
    let hub = state.services.hub()?;
    let list = ScheduleList { ended, ..ScheduleList::default() };
    hub.schedules(&state.input.owner, &list).await.ok().map(|page| page.data)
}

fn is_kind(view: &ScheduleView, kind: ScheduleKind) -> bool {
    match (&view.spec.action, kind) {
        (ScheduledAction::Remind { timer, .. }, ScheduleKind::Timer) => *timer,
        (ScheduledAction::Remind { timer, .. }, ScheduleKind::Reminder) => !timer,
        (ScheduledAction::Turn { .. } | ScheduledAction::Call { .. }, ScheduleKind::Order) => true,
        _ => false,
    }
}

/// Whether its name or text has all the words that are asked for.
fn is_about(view: &ScheduleView, which: &ScheduleTarget) -> bool {
    let Some(about) = &which.about else { return true };
    let text = match &view.spec.action {
        ScheduledAction::Remind { text, .. } => text.as_str(),
        ScheduledAction::Turn { message } => message.as_str(),
        ScheduledAction::Call { .. } => "",
    };
    let text = format!("{} {text}", view.spec.name.as_deref().unwrap_or_default()).to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    about.to_lowercase().split_whitespace().all(|asked| words.contains(&asked))
}
