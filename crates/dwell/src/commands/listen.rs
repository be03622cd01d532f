//! Printing a turn as it happens, until it ends. Ctrl-C cancels it.

use std::io::{IsTerminal, Write};

use protocol::{StatusChanged, Transition};

use crate::{
    client::{Conversation, Happening},
    failure::Failure,
};

/// Prints the turn that the conversation watches; gives how it ended.
pub(super) async fn listen(conversation: &mut Conversation, is_quiet: bool) -> Result<StatusChanged, Failure> {
    loop {
        let happening = tokio::select! {
            happening = conversation.next() => happening?,
            pressed = tokio::signal::ctrl_c() => {
                pressed.map_err(anyhow::Error::from)?;
                conversation.cancel().await?;
                continue;
            }
        };
        match happening {
            Happening::Text(text) if !is_quiet => {
                print!("{text}");
                // A closed pipe ends the printing with the next line; there is nobody to tell.
                let _ = std::io::stdout().flush();
            }
            Happening::Text(_) => {}
            Happening::Queued(position) => note(&format!("waiting, number {position} in line")),
            Happening::Step(step) => {
                let detail = step.detail.get("message").and_then(|message| message.as_str());
                note(detail.unwrap_or("working"));
            }
            Happening::Resumed => {
                if !is_quiet {
                    println!();
                }
                note("the server was restarted; the answer starts over");
            }
            Happening::Reconnected => note("reconnected"),
            Happening::Ended(change) if change.status == Transition::Interrupted => {
                // Usually it goes on by itself; where it does not, somebody has to decide.
                if conversation.stays_interrupted().await? {
                    return Ok(*change);
                }
            }
            Happening::Ended(change) => {
                if !is_quiet {
                    println!();
                }
                return Ok(*change);
            }
        }
    }
}

/// A remark beside the answer, for people only.
pub(super) fn note(text: &str) {
    if std::io::stderr().is_terminal() {
        eprintln!("\x1b[2m[{text}]\x1b[0m");
    } else {
        eprintln!("[{text}]");
    }
}
