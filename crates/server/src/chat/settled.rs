//! What a turn came to for a client that knows models: more words, calls that it is to run, or a failure.

use engine::{Error, Hub};
use protocol::{OwnerId, StopReason, TurnView};

use super::{calls::Call, conversation::Begun, fault::Fault};
use crate::outcome::{By, Outcome, outcome};

/// What a turn came to.
#[derive(Debug)]
pub(super) enum Settled {
    /// It is answered, or waits for somebody, which is said: all words, given those that were told.
    Words {
        /// All words.
        whole: String,
        /// Those that were not told yet.
        more: String,
        /// Why there are no more.
        stop: StopReason,
    },
    /// The client is to run these calls.
    Calls(Vec<Call>),
    /// It is not answered: why.
    Failed(Fault),
}

/// Reads off a turn what it came to, given the words of it that this request was told.
pub(super) async fn settled(
    hub: &Hub,
    owner: &OwnerId,
    begun: &Begun,
    turn: &TurnView,
    said: &str,
) -> Result<Settled, Error> {
    if !turn.calls_waiting.is_empty() {
        return Ok(Settled::Calls(Call::all_of(turn)));
    }
    let stop = turn.response.as_ref().map(|response| response.stop_reason).unwrap_or_default();
    Ok(match outcome(hub, owner, turn, By::Command).await? {
        // What was said before the client's calls was told to an earlier request.
        Outcome::Answered(_) if begun.is_continued() => {
            Settled::Words { whole: said.to_owned(), more: String::new(), stop }
        }
        Outcome::Answered(text) => {
            let more = if said.is_empty() { text.clone() } else { String::new() };
            Settled::Words { whole: text, more, stop }
        }
        Outcome::Waits(words) | Outcome::Asks(_, words) => {
            let more = if said.is_empty() { words.clone() } else { format!("\n\n{words}") };
            Settled::Words { whole: words, more, stop: StopReason::Complete }
        }
        Outcome::Failed(why) => Settled::Failed(Fault::of_turn(turn, why)),
    })
}

/// Words of a turn as one request is told them: a new message does not begin with the break before a later round.
pub(super) fn words_of(begun: &Begun, said: &str, words: String) -> String {
    if begun.is_continued() && said.is_empty() { words.trim_start_matches('\n').to_owned() } else { words }
}
