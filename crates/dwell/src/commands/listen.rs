//! Printing a turn as it happens, until it ends. Ctrl-C cancels it.

use std::io::{IsTerminal, Write};

use protocol::{StatusChanged, Transition};

use crate::{
    client::{Conversation, Happening},
    failure::Failure,
};

/// Prints the turn that the conversation watches; gives how it ended.
pub(super) async fn listen(conversation: &mut Conversation, is_quiet: bool) -> Result<StatusChanged, Failure> {
    let mut page = Page { is_quiet, is_mid_line: false };
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
            Happening::Text(text) => page.print(&text),
            Happening::Queued(position) => page.note(&format!("waiting, number {position} in line")),
            Happening::Step(step) => {
                let detail = step.detail.get("message").and_then(|message| message.as_str());
                page.note(detail.unwrap_or("working"));
            }
            Happening::Resumed => page.note("the server was restarted; the answer starts over"),
            Happening::Reconnected => page.note("reconnected"),
            Happening::Ended(change) if change.status == Transition::Interrupted => {
                // Usually it goes on by itself; where it does not, somebody has to decide.
                if conversation.stays_interrupted().await? {
                    page.end_line();
                    return Ok(*change);
                }
            }
            Happening::Ended(change) => {
                page.end_line();
                return Ok(*change);
            }
        }
    }
}

/// What was printed so far of an answer.
struct Page {
    is_quiet: bool,
    is_mid_line: bool,
}

impl Page {
    fn print(&mut self, text: &str) {
        if !self.is_quiet {
            print!("{text}");
            self.is_mid_line = !text.ends_with('\n');
            // A closed pipe ends the printing with the next line; there is nobody to tell.
            let _ = std::io::stdout().flush();
        }
    }

    /// Remarks begin on a line of their own.
    fn note(&mut self, text: &str) {
        self.end_line();
        note(text);
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.is_mid_line) {
            println!();
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
