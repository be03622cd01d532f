//! `dwell chat`: a conversation in the terminal.

use protocol::{ChatSend, SessionView, TurnId};
use rustyline::{DefaultEditor, error::ReadlineError};

use super::{
    ask::outcome,
    listen::{listen, note},
};
use crate::{client::Conversation, config::Config, failure::Failure};

const HELP: &str = "\
/new     begin a new conversation
/retry   ask the last question again
/help    this
/quit    leave (so does Ctrl-D); Ctrl-C cancels an answer";

pub(crate) async fn run(config: &Config, session: String, new: bool) -> Result<(), Failure> {
    let name = (!new).then_some(session);
    let mut conversation = Conversation::open(crate::client(config)?, name.as_deref(), false).await?;
    greet(&conversation.session);
    if let Some(open) = conversation.session.open_turns.first().copied() {
        note("an answer is on its way");
        conversation.watch(open);
        report(listen(&mut conversation, false).await)?;
    }
    let mut prompt = Prompt::new()?;
    let mut last_turn: Option<TurnId> = None;
    loop {
        let (returned, line) = tokio::select! {
            read = prompt.read() => read?,
            never = conversation.attend() => match never {},
        };
        prompt = returned;
        let Some(line) = line else { return Ok(()) };
        let accepted = match line.trim() {
            "" => continue,
            "/quit" | "/exit" => return Ok(()),
            "/help" => {
                println!("{HELP}");
                continue;
            }
            "/new" => {
                conversation = Conversation::open(crate::client(config)?, None, false).await?;
                greet(&conversation.session);
                continue;
            }
            "/retry" => match last_turn {
                Some(turn_id) => conversation.retry(turn_id).await,
                None => {
                    note("nothing was asked yet");
                    continue;
                }
            },
            message => conversation.send(ChatSend::text(message)).await,
        };
        match accepted {
            Ok(accepted) => last_turn = Some(accepted.turn_id),
            Err(failure) => {
                report(Err(failure))?;
                continue;
            }
        }
        report(listen(&mut conversation, false).await)?;
    }
}

fn greet(session: &SessionView) {
    let name = session.key.as_ref().map_or_else(|| session.session_id.to_string(), ToString::to_string);
    match session.stats.turns {
        0 => note(&format!("conversation {name}, new; /help for help")),
        turns => note(&format!("conversation {name}, {turns} turns so far; /help for help")),
    }
}

/// A turn that fails does not end the conversation; a server that is gone does.
fn report(ended: Result<protocol::StatusChanged, Failure>) -> Result<(), Failure> {
    match ended.and_then(|ended| outcome(&ended)) {
        Err(failure @ (Failure::Unreachable(_) | Failure::Refused(_))) => Err(failure),
        Err(failure) => {
            note(&failure.to_string());
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// The line editor, which blocks and so works beside the runtime.
struct Prompt(DefaultEditor);

impl Prompt {
    fn new() -> Result<Self, Failure> {
        Ok(Self(DefaultEditor::new().map_err(anyhow::Error::from)?))
    }

    /// The next line; none at the end of the input.
    async fn read(mut self) -> Result<(Self, Option<String>), Failure> {
        let reading = tokio::task::spawn_blocking(move || {
            let line = self.0.readline("> ");
            if let Ok(line) = &line {
                // Without its line the history is merely shorter.
                let _ = self.0.add_history_entry(line);
            }
            (self, line)
        });
        let (prompt, line) = reading.await.map_err(anyhow::Error::from)?;
        match line {
            Ok(line) => Ok((prompt, Some(line))),
            // Ctrl-C with nothing to cancel empties the line, as shells do.
            Err(ReadlineError::Interrupted) => Ok((prompt, Some(String::new()))),
            Err(ReadlineError::Eof) => Ok((prompt, None)),
            Err(error) => Err(Failure::Failed(error.into())),
        }
    }
}
