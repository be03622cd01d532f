//! Printing a turn as it happens, until it ends. Ctrl-C cancels it.

use std::io::{IsTerminal, Write};

use protocol::{ApprovalDecision, ApprovalRequest, CallStatus, Citation, StatusChanged, Step, Transition};

use super::alerts::alert_line;
use crate::{
    client::{ClientConversation, ConversationUpdate},
    command_error::CommandError,
    output::{Colour, is_coloured},
};

/// Characters of arguments and failures in a remark.
const REMARK_CHARS_MAX: usize = 160;

/// Prints the turn that the conversation watches, and returns how it ended.
pub(super) async fn print_turn(
    conversation: &mut ClientConversation,
    is_silent: bool,
) -> Result<StatusChanged, CommandError> {
    let has_remarks = !conversation.client().output.quiet;
    let mut page = AnswerPrinter { is_silent, has_remarks, is_mid_line: false, waiting: Vec::new() };
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
            ConversationUpdate::Text(text) => page.print(&text),
            ConversationUpdate::Queued(position) => page.note(&format!("waiting, position {position} in the queue")),
            ConversationUpdate::Step(step) => {
                if let Some(remark) = remark(&step) {
                    page.note_later(remark);
                }
            }
            ConversationUpdate::Researched(words) => page.note_later(words),
            ConversationUpdate::Answered { citations, notices } => {
                page.cite(&citations);
                for notice in notices {
                    page.note(&notice);
                }
            }
            ConversationUpdate::Asked(request) => {
                page.note(&question(&request));
                answer(conversation, &request).await?;
            }
            ConversationUpdate::Resumed => {
                page.note("the server was restarted; the answer continues after its last finished step")
            }
            ConversationUpdate::Reconnected => page.note("reconnected"),
            ConversationUpdate::Alerted(alert) => page.note(&alert_line(&alert)),
            // The user is being asked; no answer counts as a denial later.
            ConversationUpdate::Ended(change) if is_approval(&change) => {}
            ConversationUpdate::Ended(change) if change.status == Transition::Interrupted => {
                // Usually the turn resumes by itself; otherwise the user has to decide.
                if conversation.stays_interrupted().await? {
                    page.end_line();
                    return Ok(*change);
                }
            }
            ConversationUpdate::Ended(change) => {
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

/// The question in full: the user must see exactly what would run.
fn question(request: &ApprovalRequest) -> String {
    let arguments = serde_json::to_string_pretty(&request.arguments).unwrap_or_default();
    format!(
        "allow {} with {arguments}? {}. It is denied at {} unless answered; from another terminal: dwell approvals answer {} once",
        request.tool, request.reason, request.expires_at, request.approval_id
    )
}

/// Asks the user at the terminal. Without a terminal, the answer has to come from another client.
async fn answer(conversation: &ClientConversation, request: &ApprovalRequest) -> Result<(), CommandError> {
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
        "once" | "o" | "yes" | "y" => ApprovalDecision::Once,
        "always" | "a" => ApprovalDecision::Always,
        "never" => ApprovalDecision::Never,
        _ => ApprovalDecision::Deny,
    };
    let digest = Some(request.digest.clone());
    match conversation.client().answer_approval(request.approval_id, decision, digest).await {
        // The answer came too late; later events say so.
        Err(CommandError::Failed(error)) => note(&error.to_string()),
        answered => answered?,
    }
    Ok(())
}

/// Prints an answer as it arrives.
struct AnswerPrinter {
    /// Whether the answer is printed otherwise, as JSON.
    is_silent: bool,
    /// Whether remarks are printed; `--quiet` leaves the answer alone.
    has_remarks: bool,
    is_mid_line: bool,
    /// Remarks that wait for the end of a line.
    waiting: Vec<String>,
}

impl AnswerPrinter {
    /// Lists the answer's citations.
    fn cite(&mut self, citations: &[Citation]) {
        if self.is_silent || citations.is_empty() {
            return;
        }
        self.end_line();
        for citation in citations {
            println!("[{}] {} ({})", citation.mark(), citation.title, citation.source);
        }
    }

    fn print(&mut self, text: &str) {
        if !self.is_silent {
            print!("{text}");
            self.is_mid_line = !text.ends_with('\n');
            if !self.is_mid_line {
                self.say_waiting();
            }
            // If the pipe is closed, the next print ends the program.
            let _ = std::io::stdout().flush();
        }
    }

    /// A remark that can wait for the end of the line: text is streamed before steps are committed,
    /// so a remark may arrive in the middle of a line.
    fn note_later(&mut self, text: String) {
        self.waiting.push(text);
        if !self.is_mid_line {
            self.say_waiting();
        }
    }

    fn say_waiting(&mut self) {
        for text in self.waiting.drain(..).filter(|_| self.has_remarks) {
            note(&text);
        }
    }

    /// Prints a remark on a line of its own.
    fn note(&mut self, text: &str) {
        self.end_line();
        if self.has_remarks {
            note(text);
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.is_mid_line) {
            println!();
        }
        self.say_waiting();
    }
}

/// A remark on standard error, apart from the answer.
pub(super) fn note(text: &str) {
    let is_coloured = is_coloured(&std::io::stderr());
    eprintln!("{}", Colour::Dim.paint(&format!("[{text}]"), is_coloured));
}
