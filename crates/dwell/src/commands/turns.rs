//! `dwell turns`: show, cancel, resume, retry.

use protocol::{CancelOutcome, CancelResult, Passage, PassagePage, TurnAccepted, TurnId, TurnView};
use reqwest::Method;
use serde_json::json;

use crate::{
    cli::{CallOutcomeArg, TurnsCommand},
    command_error::CommandError,
    config::Config,
    print_json,
};

pub(crate) async fn run(config: &Config, command: TurnsCommand) -> Result<(), CommandError> {
    let client = crate::client(config)?;
    match command {
        TurnsCommand::Show { id } => {
            let turn: TurnView = client.get(&format!("/turns/{}", read_id(&id)?)).await?;
            print_json(&turn)
        }
        TurnsCommand::Passages { id, json } => {
            let page: PassagePage = client.get(&format!("/turns/{}/passages", read_id(&id)?)).await?;
            if json {
                return print_json(&page);
            }
            for Passage { mark, title, source, text, .. } in page.data {
                println!("[{mark}] {title} ({source})\n{text}\n");
            }
            Ok(())
        }
        TurnsCommand::Cancel { id } => {
            let id = read_id(&id)?;
            let cancelled: CancelResult = client.call(Method::POST, &format!("/turns/{id}/cancel")).await?;
            match cancelled.status {
                CancelOutcome::Cancelled => println!("cancelled {id}"),
                CancelOutcome::AlreadyFinal => println!("{id} had already ended"),
                CancelOutcome::NotFound => return Err(CommandError::Failed(anyhow::anyhow!("there is no turn {id}"))),
            }
            Ok(())
        }
        TurnsCommand::Resume { id, outcome, call } => {
            let id = read_id(&id)?;
            let outcome = outcome.map(|outcome| match outcome {
                CallOutcomeArg::Happened => "happened",
                CallOutcomeArg::DidNotHappen => "did_not_happen",
            });
            let said = json!({ "outcome": outcome, "call_id": call });
            let accepted: TurnAccepted = client.call_with(Method::POST, &format!("/turns/{id}/resume"), &said).await?;
            println!("resumed {}", accepted.turn_id);
            Ok(())
        }
        TurnsCommand::Retry { id } => {
            let path = format!("/turns/{}/retry", read_id(&id)?);
            let accepted: TurnAccepted = client.call(Method::POST, &path).await?;
            println!("retried as {}", accepted.turn_id);
            Ok(())
        }
    }
}

fn read_id(text: &str) -> Result<TurnId, CommandError> {
    text.parse().map_err(|error| CommandError::Usage(format!("{error}; `dwell sessions show --json` shows the ids")))
}
