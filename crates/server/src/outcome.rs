//! The outcome of a turn as plain text, for clients that show or speak nothing else.

use engine::{Error, Hub};
use protocol::{ApprovalId, ApprovalRequest, OwnerId, SessionId, TurnStatus, TurnView};

use crate::question::question;

/// The outcome of a turn.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TurnOutcome {
    /// It is answered.
    Answered(String),
    /// It waits for something, which the text names.
    Waits(String),
    /// It waits for approval, which can be given here; the text is the question.
    Asks(ApprovalId, String),
    /// It failed, for this reason.
    Failed(String),
}

/// The outcome of a turn. `by` says how an approval can be given here.
pub(crate) async fn outcome(
    hub: &Hub,
    owner: &OwnerId,
    turn: &TurnView,
    by: ApprovalChannel,
) -> Result<TurnOutcome, Error> {
    Ok(match turn.status {
        TurnStatus::Completed => TurnOutcome::Answered(answer(turn)),
        TurnStatus::Waiting => waits(hub, owner, turn, by).await?,
        TurnStatus::Cancelled => TurnOutcome::Failed("That was cancelled.".to_owned()),
        TurnStatus::Expired => TurnOutcome::Failed(match turn.reason.as_deref() {
            None | Some("time_budget") => "That took too long and was stopped.".to_owned(),
            Some(why) => sentence(why),
        }),
        TurnStatus::Interrupted => {
            TurnOutcome::Failed("The server stopped in the middle of it; please ask again.".to_owned())
        }
        TurnStatus::Failed => {
            let why = turn.error.as_ref().map(|error| error.message.clone());
            TurnOutcome::Failed(sentence(&why.unwrap_or_else(|| "something went wrong".to_owned())))
        }
        TurnStatus::Paused => TurnOutcome::Waits("That is paused. It goes on when it is resumed.".to_owned()),
        // The caller has waited for the end.
        TurnStatus::Pending | TurnStatus::Running | TurnStatus::Streaming => TurnOutcome::Waits(STILL.to_owned()),
    })
}

/// The answer for a turn that takes longer than the client waits.
pub(crate) const STILL: &str = "I am still working on it. Ask me again in a moment.";

/// How an approval can be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApprovalChannel {
    /// By saying yes or no here, or in another client.
    Word,
    /// Only in another client, which the text says.
    Elsewhere,
    /// Only in another client; the text contains the command.
    Command,
}

fn answer(turn: &TurnView) -> String {
    turn.response.as_ref().map_or_else(|| turn.text.clone(), |response| response.message.clone())
}

async fn waits(hub: &Hub, owner: &OwnerId, turn: &TurnView, by: ApprovalChannel) -> Result<TurnOutcome, Error> {
    if let Some(asked) = &turn.question {
        return Ok(TurnOutcome::Waits(format!("{} Answer it in Dwell: `dwell turns`.", sentence(&asked.text))));
    }
    if let Some(call) = turn.client_calls().next() {
        return Ok(TurnOutcome::Waits(format!("It waits for the client to run `{}`.", call.tool)));
    }
    // Another turn of the session may have a question of its own.
    let open = open_approvals(hub, owner, turn.session_id).await?;
    if let Some(open) = open.iter().find(|open| open.turn_id == turn.turn_id) {
        return Ok(question(open, by));
    }
    let desktop = hub.desktop(owner, &turn.session_id.into()).await?;
    let asked = desktop.dialogs.iter().find(|dialog| dialog.turn_id == turn.turn_id);
    let asked = asked.map(|dialog| if dialog.text.is_empty() { &dialog.title } else { &dialog.text });
    Ok(TurnOutcome::Waits(match asked {
        Some(asked) => format!("{} Answer it on Dwell's desktop.", sentence(asked)),
        None => STILL.to_owned(),
    }))
}

/// The calls of a session that wait for approval, the oldest first.
pub(crate) async fn open_approvals(
    hub: &Hub,
    owner: &OwnerId,
    session_id: SessionId,
) -> Result<Vec<ApprovalRequest>, Error> {
    let open = hub.approvals(owner, Some(&session_id.into())).await?;
    Ok(open.data.into_iter().map(|open| open.request).collect())
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
