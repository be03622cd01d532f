//! `dwell alerts`: list, follow, mark as seen.

use protocol::{Alert, AlertId, AlertKind, AlertPage, AlertView};
use reqwest::Method;

use super::{local_time::local_time, sessions::one_line};
use crate::{
    cli::{AlertsArgs, AlertsCommand},
    client::{AlertFollower, Client},
    command_error::CommandError,
    config::Config,
    print_json,
};

pub(crate) async fn run(config: &Config, asked: AlertsArgs) -> Result<(), CommandError> {
    let AlertsArgs { command, follow, limit } = asked;
    if command.is_some() && (follow || limit.is_some()) {
        return Err(CommandError::Usage("--follow and --limit are for lists: use `dwell alerts --follow`".to_owned()));
    }
    let client = crate::client(config).await?;
    match command {
        Some(AlertsCommand::Seen { id }) => seen(&client, &id).await,
        None if follow => print_raised(client).await,
        None => list(&client, limit).await,
    }
}

async fn list(client: &Client, limit: Option<u32>) -> Result<(), CommandError> {
    let query = limit.map(|limit| format!("?limit={limit}")).unwrap_or_default();
    let page: AlertPage = client.get(&format!("/alerts{query}")).await?;
    if client.output.json {
        return print_json(&page);
    }
    if page.data.is_empty() {
        client.output.say("no alerts yet");
    }
    for AlertView { alert, seen, .. } in &page.data {
        let mark = if *seen { "seen" } else { "new" };
        println!("{}  {}  {mark:4}  {}", alert.alert_id, local_time(alert.at), alert_line(alert));
    }
    Ok(())
}

async fn seen(client: &Client, id: &str) -> Result<(), CommandError> {
    let id: AlertId =
        id.parse().map_err(|error| CommandError::Usage(format!("{error}; `dwell alerts` shows the ids")))?;
    let view: AlertView = client.call(Method::POST, &format!("/alerts/{id}/seen")).await?;
    client.output.done(&view, &format!("seen {id}"))
}

/// Prints alerts until Ctrl-C.
async fn print_raised(client: Client) -> Result<(), CommandError> {
    let is_json = client.output.json;
    let mut follower = AlertFollower::open(client).await?;
    loop {
        let alert = tokio::select! {
            alert = follower.next() => alert?,
            pressed = tokio::signal::ctrl_c() => return Ok(pressed.map_err(anyhow::Error::from)?),
        };
        if is_json {
            println!("{}", serde_json::to_string(&alert).map_err(anyhow::Error::from)?);
        } else {
            println!("{}  {}", local_time(alert.at), alert_line(&alert));
        }
    }
}

/// An alert in one line.
pub(super) fn alert_line(alert: &Alert) -> String {
    let kind = match alert.kind {
        AlertKind::Reminder => "reminder",
        AlertKind::Timer => "timer",
        AlertKind::Answer => "answer",
        AlertKind::TurnFailed => "background failed",
        AlertKind::TurnWaiting => "turn waits",
        AlertKind::TurnEnded => "turn ended",
        AlertKind::ApprovalWaiting => "approval",
        AlertKind::ScheduleWaiting => "schedule waits",
        AlertKind::ScheduleFired => "schedule ran",
        AlertKind::ScheduleFailed => "schedule failed",
    };
    let title = one_line(&alert.title);
    match one_line(&alert.text) {
        text if text.is_empty() || text == title => format!("{kind}: {title}"),
        text => format!("{kind}: {title}: {text}"),
    }
}
