//! `dwell schedules`: plan, list, change, pause, cancel, run and approve.

mod find;
mod format;
mod read;

use protocol::{
    ScheduleChange, ScheduleCreate, SchedulePage, SchedulePreview, ScheduleStep, ScheduleTimes, ScheduleView,
    ScheduledAction, SessionRef,
};
use reqwest::Method;
use serde::Serialize;
use serde_json::Value;

use self::{
    find::find,
    format::{details, next_runs, table, what},
};
use super::sessions::encode;
use crate::{
    cli::{ScheduleListArgs, ScheduleSpecArgs, SchedulesArgs, SchedulesCommand, WhenArgs},
    client::Client,
    command_error::CommandError,
    config::Config,
    output::OutputOptions,
    print_json,
};

pub(crate) async fn run(config: &Config, asked: SchedulesArgs) -> Result<(), CommandError> {
    let SchedulesArgs { command, list: ScheduleListArgs { all } } = asked;
    if all && command.as_ref().is_some_and(|command| !matches!(command, SchedulesCommand::List(_))) {
        return Err(CommandError::Usage("--all is for `dwell schedules list`".to_owned()));
    }
    let client = crate::client(config).await?;
    let command = command.unwrap_or(SchedulesCommand::List(ScheduleListArgs { all }));
    match command {
        SchedulesCommand::List(list) => print_list(&client, list.all || all).await,
        SchedulesCommand::Add { session, spec } => add(&client, session.as_deref(), spec).await,
        SchedulesCommand::Change { schedule, spec } => change(&client, &schedule, spec).await,
        SchedulesCommand::Preview { when, runs } => preview(&client, &when, runs).await,
        SchedulesCommand::Show { schedule } => {
            let view = find(&client, &schedule).await?;
            if config.output.json {
                return print_json(&view);
            }
            println!("{}", details(&view));
            Ok(())
        }
        SchedulesCommand::Approve { schedule } => approve(&client, &schedule).await,
        SchedulesCommand::Pause { schedule } => step(&client, &schedule, ScheduleStep::Pause, "paused").await,
        SchedulesCommand::Resume { schedule } => step(&client, &schedule, ScheduleStep::Resume, "resumed").await,
        SchedulesCommand::Cancel { schedule } => step(&client, &schedule, ScheduleStep::Cancel, "cancelled").await,
        SchedulesCommand::Run { schedule } => step(&client, &schedule, ScheduleStep::Run, "started").await,
        SchedulesCommand::Snooze { schedule, after } => {
            let after_ms = read::millis("--in", &after)?;
            step(&client, &schedule, ScheduleStep::Snooze { after_ms }, "snoozed as").await
        }
    }
}

async fn print_list(client: &Client, all: bool) -> Result<(), CommandError> {
    let page: SchedulePage = client.get(if all { "/schedules?ended=true" } else { "/schedules" }).await?;
    if client.output.json {
        return print_json(&page);
    }
    match page.data.as_slice() {
        [] => client.output.say("nothing is planned"),
        schedules => println!("{}", table(schedules)),
    }
    Ok(())
}

async fn add(client: &Client, session: Option<&str>, spec: ScheduleSpecArgs) -> Result<(), CommandError> {
    let session = session.map(read::session).transpose()?.unwrap_or_default();
    let Some(action) = read::action(&spec)? else {
        return Err(CommandError::Usage("say what it does: --remind, --message or --call".to_owned()));
    };
    let Some(when) = read::when(&spec.when, &zone(client, &spec.when, &session).await?)? else {
        return Err(no_time());
    };
    let create = ScheduleCreate {
        session,
        name: spec.name,
        when,
        zone: spec.when.zone,
        action,
        catch_up: spec.late.as_deref().map(read::catch_up).transpose()?,
        runs_max: spec.runs,
        limits: None,
        idempotency_key: None,
    };
    let view: ScheduleView = client.call_with(Method::POST, "/schedules", &as_json(&create)?).await?;
    report(client.output, &view, "planned")
}

async fn change(client: &Client, schedule: &str, spec: ScheduleSpecArgs) -> Result<(), CommandError> {
    let before = find(client, schedule).await?;
    let change = ScheduleChange {
        action: read::action(&spec)?,
        when: read::when(&spec.when, &before.planned_in)?,
        name: spec.name,
        zone: spec.when.zone,
        catch_up: spec.late.as_deref().map(read::catch_up).transpose()?,
        runs_max: spec.runs,
        limits: None,
    };
    if change == ScheduleChange::default() {
        return Err(CommandError::Usage("say what changes, as --at \"2026-11-19 07:00\" or --name NAME".to_owned()));
    }
    let path = format!("/schedules/{}", before.schedule_id);
    let view: ScheduleView = client.call_with(Method::PATCH, &path, &as_json(&change)?).await?;
    report(client.output, &view, "changed")
}

async fn preview(client: &Client, when: &WhenArgs, runs: Option<u32>) -> Result<(), CommandError> {
    let owner_zone = zone(client, when, &SessionRef::default()).await?;
    let asked = read::when(when, &owner_zone)?.ok_or_else(no_time)?;
    let preview = SchedulePreview { when: asked, zone: when.zone.clone(), runs };
    let times: ScheduleTimes = client.call_with(Method::POST, "/schedules/preview", &as_json(&preview)?).await?;
    if client.output.json {
        return print_json(&times);
    }
    println!("{}", next_runs(&times.runs));
    Ok(())
}

/// Approves exactly what the schedule shows: the digest makes sure that it is still that.
async fn approve(client: &Client, schedule: &str) -> Result<(), CommandError> {
    let view = find(client, schedule).await?;
    let digest = match view.spec.action {
        ScheduledAction::Call { digest, .. } => digest,
        ScheduledAction::Remind { .. } | ScheduledAction::Turn { .. } => String::new(),
    };
    step(client, &view.schedule_id.to_string(), ScheduleStep::Approve { digest }, "approved").await
}

async fn step(client: &Client, schedule: &str, step: ScheduleStep, done: &str) -> Result<(), CommandError> {
    let id = find(client, schedule).await?.schedule_id;
    let view: ScheduleView = client.call_with(Method::POST, &format!("/schedules/{id}/do"), &as_json(&step)?).await?;
    report(client.output, &view, done)
}

fn report(output: OutputOptions, view: &ScheduleView, done: &str) -> Result<(), CommandError> {
    let mut words = format!("{done} {}  {}", view.schedule_id, what(&view.spec.action));
    if view.status == protocol::ScheduleStatus::Waiting {
        words.push_str(&format!("\nit waits for approval: `dwell schedules approve {}`", view.schedule_id));
    }
    if !view.upcoming.is_empty() {
        words = format!("{words}\n{}", next_runs(&view.upcoming));
    }
    output.done(view, &words)
}

/// The zone of the session. Only a recurrence rule that begins now needs it.
async fn zone(client: &Client, when: &WhenArgs, session: &SessionRef) -> Result<String, CommandError> {
    if when.rrule.is_none() || when.start.is_some() || when.zone.is_some() {
        return Ok(String::new());
    }
    let SessionRef { session_id, conversation_id } = session;
    let query = match (session_id, conversation_id) {
        (Some(id), _) => format!("?session_id={id}"),
        (None, Some(name)) => format!("?conversation_id={}", encode(name.as_str())),
        (None, None) => String::new(),
    };
    match client.get::<SchedulePage>(&format!("/schedules{query}")).await {
        Ok(page) => Ok(page.zone),
        // A session that is made with its first schedule has the server's zone.
        Err(CommandError::Failed(_)) if conversation_id.is_some() => {
            Ok(client.get::<SchedulePage>("/schedules").await?.zone)
        }
        Err(error) => Err(error),
    }
}

fn no_time() -> CommandError {
    CommandError::Usage("say when it runs: --in, --at, --cron or --rrule".to_owned())
}

fn as_json<T: Serialize>(value: &T) -> Result<Value, CommandError> {
    serde_json::to_value(value).map_err(|error| CommandError::Failed(error.into()))
}
