//! Printing a turn as it happens, until it ends. Ctrl-C cancels it.

use std::io::{IsTerminal, Write};

use protocol::{ApprovalRequest, CallStatus, Citation, Decision, StatusChanged, Step, Transition};

use crate::{
    client::{Conversation, Happening},
    failure::Failure,
};

/// Characters of arguments and failures in a remark.
const REMARK_CHARS_MAX: usize = 160;

/// Prints the turn that the conversation watches; gives how it ended.
pub(super) async fn listen(conversation: &mut Conversation, is_quiet: bool) -> Result<StatusChanged, Failure> {
    let mut page = Page { is_quiet, is_mid_line: false, waiting: Vec::new() };
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
                if let Some(remark) = remark(&step) {
                    page.note_later(remark);
                }
            }
            Happening::Researched(words) => page.note_later(words),
            Happening::Answered { citations, notices } => {
                page.cite(&citations);
                for notice in notices {
                    page.note(&notice);
                }
            }
            Happening::Asked(request) => {
                page.note(&question(&request));
                answer(conversation, &request).await?;
            }
            Happening::Resumed => page.note("the server was restarted; the answer goes on from its last finished step"),
            Happening::Reconnected => page.note("reconnected"),
            // Somebody is asked; silence becomes an answer too.
            Happening::Ended(change) if is_approval(&change) => {}
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

fn is_approval(change: &StatusChanged) -> bool {
    change.status == Transition::Waiting && change.question.is_none()
}

/// A step in a few words; most need none.
fn remark(step: &Step) -> Option<String> {
    match step {
        Step::ToolCall(call) => Some(format!("{} {}", call.tool, short(&call.arguments.to_string()))),
        Step::ToolResult(result) if result.status != CallStatus::Ok => {
            Some(format!("{}: {}", result.tool, short(&result.content)))
        }
        Step::Error(error) => Some(error.message.clone()),
        _ => None,
    }
}

fn short(text: &str) -> String {
    let mut short: String = text.chars().take(REMARK_CHARS_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// The question in full: whoever answers must see what exactly would run.
fn question(request: &ApprovalRequest) -> String {
    let arguments = serde_json::to_string_pretty(&request.arguments).unwrap_or_default();
    format!(
        "may {} run with {arguments}? {}. No answer is a no at {}; from elsewhere: dwell approvals answer {} once",
        request.tool, request.reason, request.expires_at, request.approval_id
    )
}

/// Asks whoever sits at the terminal; elsewhere the answer comes by another door, or not at all.
async fn answer(conversation: &Conversation, request: &ApprovalRequest) -> Result<(), Failure> {
    if !std::io::stdin().is_terminal() {
        return Ok(());
    }
    eprint!("once, always, deny or never? ");
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|_| line)
    });
    let line = line.await.map_err(anyhow::Error::from)?.map_err(anyhow::Error::from)?;
    let decision = match line.trim().to_lowercase().as_str() {
        "once" | "o" | "yes" | "y" => Decision::Once,
        "always" | "a" => Decision::Always,
        "never" => Decision::Never,
        _ => Decision::Deny,
    };
    let digest = Some(request.digest.clone());
    match conversation.client().answer_approval(request.approval_id, decision, digest).await {
        // It was too late; what follows says so.
        Err(Failure::Failed(error)) => note(&error.to_string()),
        answered => answered?,
    }
    Ok(())
}

/// What was printed so far of an answer.
struct Page {
    is_quiet: bool,
    is_mid_line: bool,
    /// Remarks that wait for the end of a line.
    waiting: Vec<String>,
}

impl Page {
    /// Lists what the answer rests on.
    fn cite(&mut self, citations: &[Citation]) {
        if self.is_quiet || citations.is_empty() {
            return;
        }
        self.end_line();
        for citation in citations {
            println!("[{}] {} ({})", citation.mark(), citation.title, citation.source);
        }
    }

    fn print(&mut self, text: &str) {
        if !self.is_quiet {
            print!("{text}");
            self.is_mid_line = !text.ends_with('\n');
            if !self.is_mid_line {
                self.say_waiting();
            }
            // A closed pipe ends the printing with the next line; there is nobody to tell.
            let _ = std::io::stdout().flush();
        }
    }

    /// A remark that can wait: words are told before what happened is on the disk, so it may come in the middle of them.
    fn note_later(&mut self, text: String) {
        self.waiting.push(text);
        if !self.is_mid_line {
            self.say_waiting();
        }
    }

    fn say_waiting(&mut self) {
        for text in self.waiting.drain(..) {
            note(&text);
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
        self.say_waiting();
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
