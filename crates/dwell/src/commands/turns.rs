//! `dwell turns`: show, cancel, resume, retry.

use protocol::{Accepted, CancelOutcome, Cancelled, Passage, PassagePage, TurnId, TurnView};
use reqwest::Method;
use serde_json::json;

use crate::{
    cli::{Happened, Turns},
    config::Config,
    failure::Failure,
    print_json,
};

pub(crate) async fn run(config: &Config, command: Turns) -> Result<(), Failure> {
    let client = crate::client(config)?;
    match command {
        Turns::Show { id } => {
            let turn: TurnView = client.get(&format!("/turns/{}", read_id(&id)?)).await?;
            print_json(&turn)
        }
        Turns::Passages { id, json } => {
            let page: PassagePage = client.get(&format!("/turns/{}/passages", read_id(&id)?)).await?;
            if json {
                return print_json(&page);
            }
            for Passage { mark, title, source, text, .. } in page.data {
                println!("[{mark}] {title} ({source})\n{text}\n");
            }
            Ok(())
        }
        Turns::Cancel { id } => {
            let id = read_id(&id)?;
            let cancelled: Cancelled = client.call(Method::POST, &format!("/turns/{id}/cancel")).await?;
            match cancelled.status {
                CancelOutcome::Cancelled => println!("cancelled {id}"),
                CancelOutcome::AlreadyFinal => println!("{id} had ended before"),
                CancelOutcome::NotFound => return Err(Failure::Failed(anyhow::anyhow!("there is no turn {id}"))),
            }
            Ok(())
        }
        Turns::Resume { id, outcome, call } => {
            let id = read_id(&id)?;
            let outcome = outcome.map(|outcome| match outcome {
                Happened::Happened => "happened",
                Happened::DidNotHappen => "did_not_happen",
            });
            let said = json!({ "outcome": outcome, "call_id": call });
            let accepted: Accepted = client.call_with(Method::POST, &format!("/turns/{id}/resume"), &said).await?;
            println!("{} goes on", accepted.turn_id);
            Ok(())
        }
        Turns::Retry { id } => {
            let path = format!("/turns/{}/retry", read_id(&id)?);
            let accepted: Accepted = client.call(Method::POST, &path).await?;
            println!("asked again as {}", accepted.turn_id);
            Ok(())
        }
    }
}

fn read_id(text: &str) -> Result<TurnId, Failure> {
    text.parse().map_err(|error| Failure::Usage(format!("{error}; `dwell sessions show --json` shows the ids")))
}
