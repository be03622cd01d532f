//! Matches a turn by its client calls, for clients whose protocol has no call ids.

use protocol::{OwnerId, SessionId, Settings, Step, TurnView};

use super::{
    Exchange, PastTurn, READ_MAX, SESSIONS_MAX, SessionList, SessionStatus, SessionView, same, told_before, walk,
};
use crate::{Error, Hub};

/// Calls as a client repeats them.
#[derive(Debug, Clone, Copy)]
pub struct ClientCalls<'a> {
    /// The history before the turn.
    pub earlier: &'a [Exchange],
    /// The message of the turn.
    pub said: &'a str,
    /// The called tools, in order.
    pub tools: &'a [String],
}

impl Hub {
    /// The turn that has sent these calls to its client, and the ids of the calls in order: in a
    /// session, or among those started over one of the given transports.
    pub async fn recognise_calls(
        &self,
        owner: &OwnerId,
        session: Option<SessionId>,
        transports: &[&str],
        client_calls: ClientCalls<'_>,
    ) -> Result<Option<(TurnView, Vec<String>)>, Error> {
        // The journal contains redacted text, so the message is redacted before the comparison.
        let said = self.redact(client_calls.said.to_owned());
        let client_calls = ClientCalls { said: &said, ..client_calls };
        let sessions: Vec<SessionView> = match session {
            Some(id) => vec![self.session(owner, &id.into()).await?],
            None => {
                let list = SessionList { limit: Some(SESSIONS_MAX), ..SessionList::default() };
                let all = self.sessions(owner, &list).await?.data;
                all.into_iter().filter(|view| is_from_transport(view, transports)).take(READ_MAX).collect()
            }
        };
        let mut otherwise = None;
        for view in sessions {
            let Some(turns) = self.all_turns(owner, view.session_id).await? else { continue };
            let Some((at, call_ids)) = find(&turns, client_calls) else { continue };
            let past: Vec<PastTurn> =
                told_before(&view).into_iter().chain(turns[..at].iter().map(PastTurn::of)).collect();
            let Some(turn) = turns.into_iter().nth(at) else { continue };
            // The beginning may be missing; then the newest match is used.
            if walk(&past, client_calls.earlier).is_some() {
                return Ok(Some((turn, call_ids)));
            }
            otherwise.get_or_insert((turn, call_ids));
        }
        Ok(otherwise)
    }
}

fn is_from_transport(view: &SessionView, transports: &[&str]) -> bool {
    let door = view.settings.preferences.get(Settings::DOOR).and_then(|door| door.as_str());
    view.status == SessionStatus::Active && door.is_some_and(|door| transports.contains(&door))
}

/// The newest turn with this message and these client calls.
fn find(turns: &[TurnView], client_calls: ClientCalls<'_>) -> Option<(usize, Vec<String>)> {
    let fits = |(at, turn): (usize, &TurnView)| {
        let ids = same(&turn.request.message, client_calls.said).then(|| calls(turn, client_calls.tools)).flatten()?;
        Some((at, ids))
    };
    turns.iter().enumerate().rev().find_map(fits)
}

/// The ids of the newest consecutive calls of these tools.
fn calls(turn: &TurnView, tools: &[String]) -> Option<Vec<String>> {
    let client_calls: Vec<_> = turn
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::ToolCall(call) if call.client_until.is_some() && !call.served => Some(call),
            _ => None,
        })
        .collect();
    let is_same = |window: &&[&protocol::ToolCall]| window.iter().map(|call| &call.tool).eq(tools);
    let found = (!tools.is_empty()).then(|| client_calls.windows(tools.len()).rev().find(is_same)).flatten()?;
    Some(found.iter().map(|call| call.call_id.clone()).collect())
}
