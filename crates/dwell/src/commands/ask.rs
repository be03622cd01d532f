//! `dwell ask`: one question, one answer.

use std::io::Read;

use protocol::{ChatSend, ModelSettings, StatusChanged, Transition, TurnAccepted, TurnView};
use serde_json::{Map, Value, json};

use super::print_turn::print_turn;
use crate::{client::ClientConversation, command_error::CommandError, config::Config, print_json};

/// The question, and how to ask and print it.
pub(crate) struct AskOptions {
    pub(crate) message: String,
    pub(crate) session: Option<String>,
    pub(crate) model: Option<String>,
    /// Model settings, each as `setting=value`.
    pub(crate) set: Vec<String>,
    /// Whether the turn runs in the background.
    pub(crate) background: bool,
}

pub(crate) async fn run(config: &Config, question: AskOptions) -> Result<(), CommandError> {
    let AskOptions { mut message, session, model, set, background } = question;
    let model_settings = settings(&set)?;
    if message == "-" {
        message.clear();
        std::io::stdin().read_to_string(&mut message).map_err(anyhow::Error::from)?;
    }
    let is_temporary = session.is_none() && !background;
    let mut conversation =
        ClientConversation::open(crate::client(config).await?, session.as_deref(), is_temporary).await?;
    let asked = conversation.send(ChatSend { model, model_settings, background, ..ChatSend::text(message) }).await?;
    if background {
        if config.output.json {
            return print_json(&asked);
        }
        println!("{}", begun(&asked));
        return Ok(());
    }
    let ended = print_turn(&mut conversation, config.output.json).await?;
    if config.output.json {
        let turn: TurnView = conversation.client().get(&format!("/turns/{}", asked.turn_id)).await?;
        print_json(&turn)?;
    }
    if session.is_none() && ended.status.status().is_final() {
        // The session is temporary: ending it removes it. A turn that waits for a decision must not
        // be removed with it.
        conversation.end().await?;
    }
    outcome(&ended).map_err(|failure| failure.about(asked.turn_id))
}

/// Says how to get at a turn that runs without this program.
fn begun(asked: &TurnAccepted) -> String {
    let TurnAccepted { turn_id, session_id, .. } = asked;
    format!(
        "working on it in the background: turn {turn_id} in session {session_id}\n\
         `dwell turns background` lists such turns, `dwell turns show {turn_id}` shows this one"
    )
}

/// Parses the model settings.
fn settings(set: &[String]) -> Result<ModelSettings, CommandError> {
    let mut all = Map::new();
    for text in set {
        let Some((name, value)) = text.split_once('=') else {
            return Err(CommandError::Usage(format!("`--set {text}` has no value; write `{text}=…`")));
        };
        let value = match (name, serde_json::from_str(value).unwrap_or_else(|_| json!(value))) {
            // A single stop text need not be a list.
            ("stop", Value::String(stop)) => json!([stop]),
            (_, value) => value,
        };
        all.insert(name.to_owned(), value);
    }
    let read = serde_json::from_value(Value::Object(all));
    read.map_err(|error| CommandError::Usage(format!("`--set` is wrong: {error}")))
}

/// Maps the turn's end to the command's result.
pub(super) fn outcome(ended: &StatusChanged) -> Result<(), CommandError> {
    let because = |default: &str| {
        let reason = ended.error.as_ref().map(|error| error.message.as_str()).or(ended.reason.as_deref());
        CommandError::Failed(anyhow::anyhow!(reason.unwrap_or(default).to_owned()))
    };
    match ended.status {
        Transition::Completed => Ok(()),
        Transition::Cancelled => Err(because("the turn was cancelled")),
        Transition::Waiting => {
            let asked = ended.question.as_ref().map_or("the turn needs an answer", |question| question.text.as_str());
            let how = "answer with `dwell turns resume ID --outcome happened` or `--outcome did-not-happen`";
            Err(CommandError::Failed(anyhow::anyhow!("{asked} ({how})")))
        }
        Transition::Expired => Err(CommandError::Failed(anyhow::anyhow!("the turn ran out of time"))),
        _ => Err(because("the turn failed")),
    }
}
