//! One file per command: what it checks, which events it writes, which effects follow.

mod agent;
mod alert;

mod start;

mod app;
mod approve;
mod cancel;
mod client;
mod desktop;
mod dialog;
mod end;
mod expire;
mod idle;
mod interact;
mod monitor;
mod pause;
mod progress;
mod recover;
mod remember;
mod reset;
mod resume;
mod retry;
mod schedule;
mod send;
mod settle;
mod toast;
mod update;
mod window;

use protocol::{Budgets, SessionStatus, Settings, Timestamp};
pub use remember::MemoryUpdate;
pub use start::start;

use crate::{
    command::Command,
    decision::CommandDecision,
    limits::{CONTEXT_TOKENS_MIN, TIME_BUDGET_MS_MAX, TITLE_CHARS_MAX},
    refusal::Refusal,
    state::State,
};

/// Decides a command at this moment. Pure: the same state, command and time give the same decision.
pub fn decide(state: &State, command: Command, now: Timestamp) -> Result<CommandDecision, Refusal> {
    match command {
        Command::Send { turn_id, send } => send::decide(state, turn_id, &send, now),
        Command::Retry { turn_id, of, request, idempotency_key } => {
            retry::decide(state, turn_id, of, request, idempotency_key, now)
        }
        Command::Resume { turn_id, outcome, call_id } => resume::decide(state, turn_id, outcome, call_id.as_deref()),
        Command::Pause(turn_id) => pause::decide(state, turn_id),
        Command::Cancel { turn_id, reason } => Ok(cancel::decide(state, turn_id, reason.as_deref())),
        Command::Interrupt { agent_id } => Ok(cancel::interrupt(state, agent_id.as_ref())),
        Command::Answer(answer) => approve::answer(state, &answer, now),
        Command::AnswerCalls { turn_id, results, offer } => client::answer(state, turn_id, results, offer, now),
        Command::Expire => Ok(expire::decide(state, now)),
        Command::SendToWindow { turn_id, window_id, input, served, idempotency_key } => {
            window::decide(state, turn_id, &window_id, window::WindowTurn { input, served, idempotency_key }, now)
        }
        Command::Interact(interactions) => interact::decide(state, interactions),
        Command::AnswerDialog { dialog_id, answer } => dialog::answer(state, dialog_id, answer, now),
        Command::ActOnToast { toast_id, action } => toast::decide(state, toast_id, action),
        Command::RenderFailed { window_id, error } => interact::render_failed(state, window_id, error),
        Command::RegisterApp { window_id, token, manifest } => app::register(state, &window_id, &token, manifest),
        Command::AnswerFromApp { window_id, token, request_id, outcome } => {
            app::answer(state, &window_id, &token, request_id, outcome, now)
        }
        Command::AddMonitor(monitor_id) => monitor::add(state, monitor_id),
        Command::RemoveMonitor(monitor_id) => monitor::remove(state, &monitor_id),
        Command::Report { turn_id, report } => progress::decide(state, turn_id, report, now),
        Command::Recover => Ok(recover::decide(state)),
        Command::Remember(news) => Ok(remember::decide(state, news)),
        // Accepted in an ended session too: the client has read it either way.
        Command::ClientRead(read) => Ok(remember::client_read(read)),
        Command::Update(change) => update::decide(state, change),
        Command::Reset { reason, version } => reset::decide(state, reason, version),
        Command::End { reason, version } => end::decide(state, reason, version),
        Command::Schedule(command) => schedule::decide(state, command, now),
        Command::WakeSchedules => Ok(schedule::wake(state, now)),
        Command::Alert(event) => alert::decide(state, event),
        Command::ExpireIdle { before } => Ok(idle::decide(state, before)),
    }
}

fn check_active(state: &State) -> Result<(), Refusal> {
    match state.status {
        SessionStatus::Active => Ok(()),
        SessionStatus::Ended => Err(Refusal::Ended),
        SessionStatus::Expired => Err(Refusal::Expired),
    }
}

fn check_budgets(budgets: &Budgets) -> Result<(), Refusal> {
    if budgets.max_duration_ms == 0 || budgets.max_duration_ms > TIME_BUDGET_MS_MAX {
        return Err(Refusal::BadTimeBudget);
    }
    if budgets.max_steps == 0 {
        return Err(Refusal::NoSteps);
    }
    let background = &budgets.background;
    if background.max_duration_ms.is_some_and(|most| most == 0 || most > TIME_BUDGET_MS_MAX) {
        return Err(Refusal::BadTimeBudget);
    }
    if background.max_steps == Some(0) {
        return Err(Refusal::NoSteps);
    }
    let costs = [budgets.max_cost, background.max_cost];
    if costs.into_iter().flatten().any(|dollars| !dollars.is_finite() || dollars <= 0.0) {
        return Err(Refusal::BadCostBudget);
    }
    if budgets.context_tokens.is_some_and(|limit| limit < CONTEXT_TOKENS_MIN) {
        return Err(Refusal::ContextTooSmall);
    }
    Ok(())
}

fn check_models(settings: &Settings) -> Result<(), Refusal> {
    let bad = |problem: String| Refusal::BadModelSettings { problem };
    settings.model_settings.check().map_err(bad)?;
    for (agent, own) in &settings.agent_settings {
        own.check().map_err(|problem| bad(format!("agent `{agent}`: {problem}")))?;
    }
    for (model, own) in &settings.model_overrides {
        own.check().map_err(|problem| bad(format!("model `{model}`: {problem}")))?;
    }
    Ok(())
}

/// The title is the one preference that is shown in lists.
fn check_title(settings: &Settings) -> Result<(), Refusal> {
    let title = settings.preferences.get(Settings::TITLE).and_then(|title| title.as_str()).unwrap_or_default();
    let chars = title.trim().chars().count();
    if chars > TITLE_CHARS_MAX { Err(Refusal::TitleTooLong { chars }) } else { Ok(()) }
}

fn check_version(state: &State, seen: Option<u64>) -> Result<(), Refusal> {
    match seen {
        Some(expected) if expected != state.version => {
            Err(Refusal::VersionConflict { expected, actual: state.version })
        }
        _ => Ok(()),
    }
}
