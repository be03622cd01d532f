//! Recognising a turn by the calls that it has handed to its client, for clients whose wire has no names for calls.

use protocol::{OwnerId, SessionId, Settings, Step, TurnView};

use super::{Exchange, Past, READ_MAX, SESSIONS_MAX, SessionList, SessionStatus, SessionView, same, told_before, walk};
use crate::{Error, Hub};

/// Calls as a client tells them again.
#[derive(Debug, Clone, Copy)]
pub struct Handed<'a> {
    /// What was said and answered before the turn.
    pub earlier: &'a [Exchange],
    /// What the turn was asked.
    pub said: &'a str,
    /// The tools that were called, in order.
    pub tools: &'a [String],
}

impl Hub {
    /// The turn that has handed out these calls, and the calls' ids in order: in a session, or among those begun by one of
    /// the doors.
    pub async fn recognise_calls(
        &self,
        owner: &OwnerId,
        session: Option<SessionId>,
        doors: &[&str],
        handed: Handed<'_>,
    ) -> Result<Option<(TurnView, Vec<String>)>, Error> {
        // What is in the journal has no secrets in it, so neither may what is compared with it.
        let said = self.redact(handed.said.to_owned());
        let handed = Handed { said: &said, ..handed };
        let sessions: Vec<SessionView> = match session {
            Some(id) => vec![self.session(owner, &id.into()).await?],
            None => {
                let list = SessionList { limit: Some(SESSIONS_MAX), ..SessionList::default() };
                let all = self.sessions(owner, &list).await?.data;
                all.into_iter().filter(|view| is_of_door(view, doors)).take(READ_MAX).collect()
            }
        };
        let mut otherwise = None;
        for view in sessions {
            let Some(turns) = self.all_turns(owner, view.session_id).await? else { continue };
            let Some((at, call_ids)) = find(&turns, handed) else { continue };
            let past: Vec<Past> = told_before(&view).into_iter().chain(turns[..at].iter().map(Past::of)).collect();
            let Some(turn) = turns.into_iter().nth(at) else { continue };
            // The beginning may have been left out; then the newest of those that fit has to do.
            if walk(&past, handed.earlier).is_some() {
                return Ok(Some((turn, call_ids)));
            }
            otherwise.get_or_insert((turn, call_ids));
        }
        Ok(otherwise)
    }
}

fn is_of_door(view: &SessionView, doors: &[&str]) -> bool {
    let door = view.settings.preferences.get(Settings::DOOR).and_then(|door| door.as_str());
    view.status == SessionStatus::Active && door.is_some_and(|door| doors.contains(&door))
}

/// The newest turn that was asked this and has handed out these calls.
fn find(turns: &[TurnView], handed: Handed<'_>) -> Option<(usize, Vec<String>)> {
    let fits = |(at, turn): (usize, &TurnView)| {
        let ids = same(&turn.request.message, handed.said).then(|| calls(turn, handed.tools)).flatten()?;
        Some((at, ids))
    };
    turns.iter().enumerate().rev().find_map(fits)
}

/// The ids of the newest calls of these tools in a row.
fn calls(turn: &TurnView, tools: &[String]) -> Option<Vec<String>> {
    let handed: Vec<_> = turn
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::ToolCall(call) if call.client_until.is_some() => Some(call),
            _ => None,
        })
        .collect();
    let is_same = |window: &&[&protocol::ToolCall]| window.iter().map(|call| &call.tool).eq(tools);
    let found = (!tools.is_empty()).then(|| handed.windows(tools.len()).rev().find(is_same)).flatten()?;
    Some(found.iter().map(|call| call.call_id.clone()).collect())
}
