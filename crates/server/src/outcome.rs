//! How a turn stands, in words for those who hear nothing but words.

use engine::{Error, Hub};
use protocol::{ApprovalId, ApprovalRequest, OwnerId, SessionId, TurnStatus, TurnView};

use crate::question::question;

/// What a turn came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is answered.
    Answered(String),
    /// It waits for somebody: what for.
    Waits(String),
    /// It waits for a yes or a no that can be said here: to which question.
    Asks(ApprovalId, String),
    /// It is not answered: why.
    Failed(String),
}

/// Reads off a turn what it came to. `by` says how an approval can be given here.
pub(crate) async fn outcome(hub: &Hub, owner: &OwnerId, turn: &TurnView, by: By) -> Result<Outcome, Error> {
    Ok(match turn.status {
        TurnStatus::Completed => Outcome::Answered(answer(turn)),
        TurnStatus::Waiting => waits(hub, owner, turn, by).await?,
        TurnStatus::Cancelled => Outcome::Failed("That was cancelled.".to_owned()),
        TurnStatus::Expired => Outcome::Failed(match turn.reason.as_deref() {
            None | Some("time_budget") => "That took longer than it may, so it was ended.".to_owned(),
            Some(why) => sentence(why),
        }),
        TurnStatus::Interrupted => Outcome::Failed("The server stopped in the middle of it; ask again.".to_owned()),
        TurnStatus::Failed => {
            let why = turn.error.as_ref().map(|error| error.message.clone());
            Outcome::Failed(sentence(&why.unwrap_or_else(|| "something went wrong".to_owned())))
        }
        // Whoever asks has waited for the end.
        TurnStatus::Pending | TurnStatus::Running | TurnStatus::Streaming => Outcome::Waits(STILL.to_owned()),
    })
}

/// What is said of a turn that takes longer than somebody wants to wait.
pub(crate) const STILL: &str = "I am still working on it. Ask me again in a moment what came of it.";

/// How an approval can be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// By saying yes or no, or elsewhere.
    Word,
    /// Elsewhere only, which is said.
    Elsewhere,
    /// Elsewhere only, by a command that is there to be read.
    Command,
}

fn answer(turn: &TurnView) -> String {
    turn.response.as_ref().map_or_else(|| turn.text.clone(), |response| response.message.clone())
}

async fn waits(hub: &Hub, owner: &OwnerId, turn: &TurnView, by: By) -> Result<Outcome, Error> {
    if let Some(asked) = &turn.question {
        return Ok(Outcome::Waits(format!("{} Answer it in Dwell: `dwell turns`.", sentence(&asked.text))));
    }
    if let Some(call) = turn.calls_waiting.first() {
        return Ok(Outcome::Waits(format!("It waits for the program that asked to run `{}`.", call.tool)));
    }
    if let Some(open) = open_approval(hub, owner, turn.session_id).await? {
        return Ok(question(&open, by));
    }
    let desktop = hub.desktop(owner, &turn.session_id.into()).await?;
    let asked = desktop.dialogs.iter().find(|dialog| dialog.turn_id == turn.turn_id);
    let asked = asked.map(|dialog| if dialog.text.is_empty() { &dialog.title } else { &dialog.text });
    Ok(Outcome::Waits(match asked {
        Some(asked) => format!("{} Answer it on Dwell's desktop.", sentence(asked)),
        None => STILL.to_owned(),
    }))
}

/// The oldest call of a session that waits for a yes or a no.
pub(crate) async fn open_approval(
    hub: &Hub,
    owner: &OwnerId,
    session_id: SessionId,
) -> Result<Option<ApprovalRequest>, Error> {
    let open = hub.approvals(owner, Some(&session_id.into())).await?;
    Ok(open.data.into_iter().next().map(|open| open.request))
}

/// A remark as a sentence.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let mut sentence: String = chars.next().map(char::to_uppercase).into_iter().flatten().chain(chars).collect();
    if !sentence.ends_with(['.', '!', '?', '…']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_becomes_a_sentence() {
        for (remark, expected) in [("no key", "No key."), ("Done!", "Done!"), ("  über  ", "Über."), ("", ".")] {
            assert_eq!(sentence(remark), expected);
        }
    }
}
