//! Schedules in words.

use jiff::{SignedDuration, fmt::friendly::SpanPrinter};
use protocol::{CatchUp, RunOutcome, RunView, ScheduleStatus, ScheduleView, ScheduledAction, Timestamp, Trigger, When};

use super::super::{local_time::local_time, sessions::one_line};

/// Characters of a cell of the table.
const CELL_CHARS_MAX: usize = 48;

/// One line for each schedule, under a line of titles.
pub(super) fn table(schedules: &[ScheduleView]) -> String {
    let titles = ["schedule", "what", "when", "next run", "status", "runs", "missed"];
    let mut rows = vec![titles.map(str::to_owned)];
    rows.extend(schedules.iter().map(|view| row(schedules, view)));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 7] = std::array::from_fn(width);
    let lines = rows.iter().map(|row| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn row(all: &[ScheduleView], view: &ScheduleView) -> [String; 7] {
    [
        handle(all, view),
        cut(&what(&view.spec.action)),
        cut(&when(&view.spec.when)),
        view.next_at.map_or_else(|| "-".to_owned(), local_time),
        status(view.status).to_owned(),
        view.runs.to_string(),
        view.missed.to_string(),
    ]
}

/// The name, if it finds only this one; otherwise the id.
fn handle(all: &[ScheduleView], view: &ScheduleView) -> String {
    let name = view.spec.name.as_ref();
    let is_only = all.iter().filter(|other| other.spec.name.as_ref() == name).count() == 1;
    match name {
        Some(name) if is_only => one_line(name),
        _ => view.schedule_id.to_string(),
    }
}

/// Everything about a schedule, a line each.
pub(super) fn details(view: &ScheduleView) -> String {
    let mut lines = vec![
        ("schedule", view.schedule_id.to_string()),
        ("name", view.spec.name.clone().unwrap_or_else(|| "-".to_owned())),
        ("what", what(&view.spec.action)),
        ("when", when(&view.spec.when)),
        ("zone", view.planned_in.clone()),
        ("late runs", late(view.spec.catch_up)),
        ("status", status(view.status).to_owned()),
        ("session", view.session_id.to_string()),
        ("made", local_time(view.created_at)),
    ];
    let runs = match view.spec.runs_max {
        Some(max) => format!("{} of {max}, {} missed", view.runs, view.missed),
        None => format!("{}, {} missed", view.runs, view.missed),
    };
    lines.push(("runs", runs));
    if let Some(run) = &view.last_run {
        lines.push(("last run", last_run(run)));
    }
    let mut text: Vec<String> = lines.into_iter().map(|(title, value)| format!("{title:10} {value}")).collect();
    text.push(next_runs(&view.upcoming));
    text.join("\n")
}

/// The next runs, a line each.
pub(super) fn next_runs(runs: &[Timestamp]) -> String {
    if runs.is_empty() {
        return "no further run".to_owned();
    }
    let lines = runs.iter().map(|at| format!("  {}", local_time(*at)));
    format!("next runs\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// What it does.
pub(super) fn what(action: &ScheduledAction) -> String {
    match action {
        ScheduledAction::Remind { text, timer: true } => one_line(&format!("timer {text}")),
        ScheduledAction::Remind { text, .. } => one_line(&format!("remind: {text}")),
        ScheduledAction::Turn { message } => one_line(&format!("message: {message}")),
        ScheduledAction::Call { tool, arguments, .. } => format!("call: {tool} {arguments}"),
    }
}

fn when(when: &When) -> String {
    match when {
        When::At { at } => format!("once at {}", local_time(*at)),
        When::After { after_ms } => format!("once after {}", length(*after_ms)),
        When::Local { at } => format!("once at {} there", at.civil().strftime("%Y-%m-%d %H:%M:%S")),
        When::Cron { expression } => format!("cron {expression}"),
        When::Rrule { rule, .. } => rule.clone(),
        When::Event { trigger: Trigger::Home { entity_id, to: Some(to), .. } } => format!("when {entity_id} is {to}"),
        When::Event { trigger: Trigger::Home { entity_id, .. } } => format!("when {entity_id} changes"),
        When::Event { trigger: Trigger::Hook } => "when a webhook arrives".to_owned(),
        When::Event { trigger: Trigger::HomeEvent { event_type, data } } if data.is_empty() => {
            format!("when the home reports {event_type}")
        }
        When::Event { trigger: Trigger::HomeEvent { event_type, data } } => {
            let data = serde_json::Value::Object(data.clone());
            one_line(&format!("when the home reports {event_type} with {data}"))
        }
        When::Event { trigger: Trigger::TurnEnded { any_session: true, .. } } => {
            "when a turn of any session ends".to_owned()
        }
        When::Event { trigger: Trigger::TurnEnded { session_id: Some(id), .. } } => {
            format!("when a turn of {id} ends")
        }
        When::Event { trigger: Trigger::TurnEnded { .. } } => "when a turn ends".to_owned(),
    }
}

fn late(policy: CatchUp) -> String {
    match policy {
        CatchUp::RunLate { window_ms } => format!("run if at most {} late", length(window_ms)),
        CatchUp::Skip => "are skipped".to_owned(),
        CatchUp::Once => "are one run together".to_owned(),
    }
}

fn length(millis: u64) -> String {
    let length = SignedDuration::from_millis(i64::try_from(millis).unwrap_or(i64::MAX));
    SpanPrinter::new().duration_to_string(&length)
}

pub(super) const fn status(status: ScheduleStatus) -> &'static str {
    match status {
        ScheduleStatus::Active => "active",
        ScheduleStatus::Waiting => "waits for approval",
        ScheduleStatus::Paused => "paused",
        ScheduleStatus::Cancelled => "cancelled",
        ScheduleStatus::Ended => "ended",
    }
}

fn last_run(run: &RunView) -> String {
    let outcome = match &run.outcome {
        None => "has begun".to_owned(),
        Some(RunOutcome::Started { turn_id }) => format!("turn {turn_id}"),
        Some(RunOutcome::Done) => "done".to_owned(),
        Some(RunOutcome::Failed { message }) => format!("failed: {}", one_line(message)),
    };
    format!("{}, {outcome}", local_time(run.planned_at))
}

fn cut(text: &str) -> String {
    let mut cut: String = text.chars().take(CELL_CHARS_MAX).collect();
    if cut.len() < text.len() {
        cut.pop();
        cut.push('…');
    }
    cut
}
