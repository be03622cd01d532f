//! The outcome of a turn for a client of a model API: text, calls to run, or a failure.

use engine::{Error, Hub};
use protocol::{OwnerId, StopReason, TurnView};

use super::{calls::OutgoingCall, conversation::StreamedTurn, error::ChatError};
use crate::outcome::{ApprovalChannel, TurnOutcome, outcome};

/// The outcome of a turn.
#[derive(Debug)]
pub(super) enum ChatOutcome {
    /// It is answered, or it waits for a decision, which the text says.
    Words {
        /// The whole text.
        whole: String,
        /// The part that was not sent yet.
        more: String,
        /// Why the text ended.
        stop: StopReason,
    },
    /// The client has to run these calls.
    Calls(Vec<OutgoingCall>),
    /// It failed, for this reason.
    Failed(ChatError),
}

/// The outcome of a turn, given the text that this request was already sent.
pub(super) async fn chat_outcome(
    hub: &Hub,
    owner: &OwnerId,
    streamed: &StreamedTurn,
    turn: &TurnView,
    said: &str,
) -> Result<ChatOutcome, Error> {
    if turn.client_calls().next().is_some() {
        return Ok(ChatOutcome::Calls(OutgoingCall::all_of(turn)));
    }
    let stop = turn.response.as_ref().map(|response| response.stop_reason).unwrap_or_default();
    Ok(match outcome(hub, owner, turn, ApprovalChannel::Command).await? {
        // An earlier request got the text before the client's calls.
        TurnOutcome::Answered(_) if streamed.is_continued() => {
            ChatOutcome::Words { whole: said.to_owned(), more: String::new(), stop }
        }
        TurnOutcome::Answered(text) => {
            let more = if said.is_empty() { text.clone() } else { String::new() };
            ChatOutcome::Words { whole: text, more, stop }
        }
        TurnOutcome::Waits(words) | TurnOutcome::Asks(_, words) => {
            let more = if said.is_empty() { words.clone() } else { format!("\n\n{words}") };
            ChatOutcome::Words { whole: words, more, stop: StopReason::Complete }
        }
        TurnOutcome::Failed(why) => ChatOutcome::Failed(ChatError::of_turn(turn, why)),
    })
}

/// Text of a turn for one request: a new message does not begin with the line break before a later
/// round.
pub(super) fn words_of(streamed: &StreamedTurn, said: &str, words: String) -> String {
    if streamed.is_continued() && said.is_empty() { words.trim_start_matches('\n').to_owned() } else { words }
}
