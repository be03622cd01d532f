//! `dwell chat`: a conversation in the terminal.

use protocol::{Alert, ChatSend, SessionView, TurnId};
use rustyline::{DefaultEditor, ExternalPrinter, error::ReadlineError};

use super::{
    alerts::alert_line,
    ask::outcome,
    print_turn::{note, print_turn},
};
use crate::{client::ClientConversation, command_error::CommandError, config::Config};

const HELP: &str = "\
/new     start a new conversation
/retry   repeat the last message
/help    show this help
/quit    quit (or Ctrl-D); Ctrl-C cancels an answer";

pub(crate) async fn run(config: &Config, session: String, new: bool) -> Result<(), CommandError> {
    let name = (!new).then_some(session);
    let mut conversation = open(config, name.as_deref()).await?;
    if let Some(open) = conversation.session.open_turns.first().copied() {
        note("an answer is in progress");
        conversation.watch(open);
        report(print_turn(&mut conversation, false).await)?;
    }
    let mut prompt = LineEditor::new()?;
    let mut last_turn: Option<TurnId> = None;
    loop {
        let mut printer = prompt.printer();
        let mut reading = std::pin::pin!(prompt.read());
        let (returned, line) = loop {
            tokio::select! {
                read = &mut reading => break read?,
                alert = conversation.attend() => show(&alert, &mut printer),
            }
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
                conversation = open(config, None).await?;
                continue;
            }
            "/retry" => match last_turn {
                Some(turn_id) => conversation.retry(turn_id).await,
                None => {
                    note("there is nothing to retry yet");
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
        report(print_turn(&mut conversation, false).await)?;
    }
}

/// Opens a conversation that also shows alerts.
async fn open(config: &Config, name: Option<&str>) -> Result<ClientConversation, CommandError> {
    let mut conversation = ClientConversation::open(crate::client(config).await?, name, false).await?;
    conversation.follow_alerts().await?;
    greet(&conversation.session);
    Ok(conversation)
}

/// Shows an alert above the line that is being typed.
fn show(alert: &Alert, printer: &mut Option<Box<dyn ExternalPrinter + Send>>) {
    let line = alert_line(alert);
    let printed = printer.as_mut().map(|printer| printer.print(format!("[{line}]\n")));
    // Without a line editor, or if it cannot print, it goes where remarks go.
    if !matches!(printed, Some(Ok(()))) {
        note(&line);
    }
}

fn greet(session: &SessionView) {
    let name = session.key.as_ref().map_or_else(|| session.session_id.to_string(), ToString::to_string);
    match session.stats.turns {
        0 => note(&format!("conversation {name}, new; /help for help")),
        turns => note(&format!("conversation {name}, {turns} turns so far; /help for help")),
    }
}

/// A failed turn does not end the conversation; an unreachable server does.
fn report(ended: Result<protocol::StatusChanged, CommandError>) -> Result<(), CommandError> {
    match ended.and_then(|ended| outcome(&ended)) {
        Err(failure @ (CommandError::Unreachable(_) | CommandError::Refused(_))) => Err(failure),
        Err(failure) => {
            note(&failure.to_string());
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// The line editor. It blocks, so it runs outside of the async runtime.
struct LineEditor(DefaultEditor);

impl LineEditor {
    fn new() -> Result<Self, CommandError> {
        Ok(Self(DefaultEditor::new().map_err(anyhow::Error::from)?))
    }

    /// Prints above the line that is being typed. There is none if the input is not a terminal.
    fn printer(&mut self) -> Option<Box<dyn ExternalPrinter + Send>> {
        self.0.create_external_printer().ok().map(|printer| Box::new(printer) as Box<dyn ExternalPrinter + Send>)
    }

    /// The next line; `None` at the end of the input.
    async fn read(mut self) -> Result<(Self, Option<String>), CommandError> {
        let reading = tokio::task::spawn_blocking(move || {
            let line = self.0.readline("> ");
            if let Ok(line) = &line {
                // A failure only makes the history shorter.
                let _ = self.0.add_history_entry(line);
            }
            (self, line)
        });
        let (prompt, line) = reading.await.map_err(anyhow::Error::from)?;
        match line {
            Ok(line) => Ok((prompt, Some(line))),
            // Without an answer to cancel, Ctrl-C clears the line, as in shells.
            Err(ReadlineError::Interrupted) => Ok((prompt, Some(String::new()))),
            Err(ReadlineError::Eof) => Ok((prompt, None)),
            Err(error) => Err(CommandError::Failed(error.into())),
        }
    }
}
