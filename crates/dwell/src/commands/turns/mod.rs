//! `dwell turns`: list, show, pause, resume, cancel, retry.

mod list;

use protocol::{
    BackgroundPage, BackgroundView, CancelOutcome, CancelResult, Passage, PassagePage, PauseResult, TurnAccepted,
    TurnId, TurnStatus, TurnView,
};
use reqwest::Method;
use serde_json::json;

use super::{local_time::local_time, sessions::one_line};
use crate::{
    cli::{CallOutcomeArg, TurnsCommand},
    command_error::CommandError,
    config::Config,
    print_json,
};

pub(crate) async fn run(config: &Config, command: TurnsCommand) -> Result<(), CommandError> {
    let client = crate::client(config).await?;
    let output = config.output;
    match command {
        TurnsCommand::List { session, status, limit } => {
            let status = status.into_iter().map(Into::into).collect();
            list::list(&client, &list::TurnFilter { session, status, limit: limit as usize }).await
        }
        TurnsCommand::Show { id } => {
            let turn: TurnView = client.get(&format!("/turns/{}", read_id(&id)?)).await?;
            print_json(&turn)
        }
        TurnsCommand::Passages { id } => {
            let page: PassagePage = client.get(&format!("/turns/{}/passages", read_id(&id)?)).await?;
            if config.output.json {
                return print_json(&page);
            }
            for Passage { mark, title, source, text, .. } in page.data {
                println!("[{mark}] {title} ({source})\n{text}\n");
            }
            Ok(())
        }
        TurnsCommand::Background { ended } => {
            let page: BackgroundPage = client.get(&format!("/background?ended={ended}")).await?;
            if config.output.json {
                return print_json(&page);
            }
            if page.data.is_empty() {
                config.output.say("no turns in the background");
            }
            for turn in &page.data {
                println!("{}", background_line(turn));
            }
            Ok(())
        }
        TurnsCommand::Pause { id } => {
            let paused: PauseResult = client.call(Method::POST, &format!("/turns/{}/pause", read_id(&id)?)).await?;
            let words = match paused.status {
                TurnStatus::Paused => format!("paused {}", paused.turn_id),
                _ => format!("{} pauses as soon as its running calls have ended", paused.turn_id),
            };
            output.done(&paused, &words)
        }
        TurnsCommand::Cancel { id } => {
            let id = read_id(&id)?;
            let cancelled: CancelResult = client.call(Method::POST, &format!("/turns/{id}/cancel")).await?;
            let words = match cancelled.status {
                CancelOutcome::Cancelled => format!("cancelled {id}"),
                CancelOutcome::AlreadyFinal => format!("{id} had already ended"),
                CancelOutcome::NotFound => return Err(CommandError::Failed(anyhow::anyhow!("there is no turn {id}"))),
            };
            output.done(&cancelled, &words)
        }
        TurnsCommand::Resume { id, outcome, call } => {
            let id = read_id(&id)?;
            let outcome = outcome.map(|outcome| match outcome {
                CallOutcomeArg::Happened => "happened",
                CallOutcomeArg::DidNotHappen => "did_not_happen",
            });
            let said = json!({ "outcome": outcome, "call_id": call });
            let accepted: TurnAccepted = client.call_with(Method::POST, &format!("/turns/{id}/resume"), &said).await?;
            output.done(&accepted, &format!("resumed {}", accepted.turn_id))
        }
        TurnsCommand::Retry { id } => {
            let path = format!("/turns/{}/retry", read_id(&id)?);
            let accepted: TurnAccepted = client.call(Method::POST, &path).await?;
            output.done(&accepted, &format!("retried as {}", accepted.turn_id))
        }
    }
}

/// A turn in the background in one line.
fn background_line(turn: &BackgroundView) -> String {
    let status = serde_json::to_value(turn.status).ok().and_then(|status| status.as_str().map(str::to_owned));
    let status = status.unwrap_or_default();
    let work = format!("{} rounds, {} calls", turn.rounds, turn.tool_calls);
    let (message, text) = (one_line(&turn.message), one_line(&turn.text));
    let text = if text.is_empty() { String::new() } else { format!(": {text}") };
    format!("{}  {}  {status:11}  {work}  {message}{text}", turn.turn_id, local_time(turn.created_at))
}

fn read_id(text: &str) -> Result<TurnId, CommandError> {
    text.parse().map_err(|error| CommandError::Usage(format!("{error}; `dwell sessions show --json` shows the ids")))
}
