//! Recognising a conversation by what was said in it, for clients that know no sessions and tell the whole of it each time.
//!
//! The journal is what is compared with; nothing is kept for it. Among the owner's newest sessions that such a client has
//! begun, one is looked for in which the same was said and answered.

use protocol::{
    CallStatus, Order, OwnerId, Said, SessionId, SessionList, SessionRef, SessionStatus, SessionView, Settings, Step,
    TurnId, TurnStatus, TurnView,
};

use super::Hub;
use crate::Error;

mod handed;

pub use handed::Handed;

/// Sessions that are looked at, and how many of them are read.
const SESSIONS_MAX: u32 = 200;
const READ_MAX: usize = 16;
/// Turns of a session that are read at most; one that is longer is not recognised.
const TURNS_MAX: usize = 1_000;
/// Clients that leave out the beginning of a long conversation still tell this much of it.
const TAIL_MIN: usize = 8;

/// Something that was said, and what was answered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exchange {
    /// By the user.
    pub said: String,
    /// By the assistant.
    pub answered: String,
}

impl Exchange {
    /// What was said and answered, in pairs: messages of the same side in a row are one.
    pub fn pairs(messages: &[Said]) -> Vec<Self> {
        let mut pairs: Vec<Self> = Vec::new();
        let mut was_users = false;
        for message in messages {
            let is_users = message.role == "user";
            // An answer that only calls tools has no words, and is one all the same.
            if pairs.is_empty() || (is_users && !was_users) {
                pairs.push(Self::default());
            }
            was_users = is_users;
            if let Some(last) = pairs.last_mut() {
                let side = if is_users { &mut last.said } else { &mut last.answered };
                side.push_str(if side.is_empty() || message.content.is_empty() { "" } else { "\n\n" });
                side.push_str(&message.content);
            }
        }
        pairs
    }
}

/// A conversation that was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recognised {
    /// It is this session as it stands.
    Whole(SessionId),
    /// It is this session up to a turn after which it went on otherwise.
    UpTo(SessionId, TurnId),
    /// It is this session, and what is said next was said there and is being answered.
    Open(SessionId, TurnId),
}

impl Hub {
    /// The conversation in which this was said, among those begun by one of the doors, and in which `next` is said now.
    pub async fn recognise(
        &self,
        owner: &OwnerId,
        doors: &[&str],
        earlier: &[Exchange],
        next: &str,
    ) -> Result<Option<Recognised>, Error> {
        if earlier.is_empty() {
            return Ok(None);
        }
        // What is in the journal has no secrets in it, so neither may what is compared with it.
        let redacted = |one: &Exchange| Exchange {
            said: self.redact(one.said.clone()),
            answered: self.redact(one.answered.clone()),
        };
        let earlier: Vec<Exchange> = earlier.iter().map(redacted).collect();
        let next = self.redact(next.to_owned());
        let list = SessionList { limit: Some(SESSIONS_MAX), ..SessionList::default() };
        let sessions = self.sessions(owner, &list).await?.data;
        for view in sessions.iter().filter(|view| may_be(view, doors, &earlier)).take(READ_MAX) {
            let Some(turns) = self.all_turns(owner, view.session_id).await? else { continue };
            let past: Vec<Past> = told_before(view).into_iter().chain(turns.iter().map(Past::of)).collect();
            if let Some(found) = compare(view.session_id, &past, &earlier, &next) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    async fn all_turns(&self, owner: &OwnerId, session_id: SessionId) -> Result<Option<Vec<TurnView>>, Error> {
        let (mut turns, mut cursor) = (Vec::new(), None);
        let session = SessionRef::from(session_id);
        loop {
            let page = self.turns(owner, &session, Order::Oldest, cursor.as_deref(), Some(usize::MAX)).await?;
            turns.extend(page.data);
            cursor = page.next_cursor;
            if cursor.is_none() || turns.len() > TURNS_MAX {
                return Ok((turns.len() <= TURNS_MAX).then_some(turns));
            }
        }
    }
}

/// What can be seen without reading a session.
fn may_be(view: &SessionView, doors: &[&str], earlier: &[Exchange]) -> bool {
    let preferences = &view.settings.preferences;
    let is_of_door =
        preferences.get(Settings::DOOR).and_then(|door| door.as_str()).is_some_and(|it| doors.contains(&it));
    // A title is the beginning of the first message, unless the conversation began elsewhere.
    let title = view.title.as_deref().filter(|_| !preferences.contains_key(Settings::EARLIER));
    let may_begin = title.is_none_or(|title| earlier[0].said.trim().starts_with(title.trim()));
    view.status == SessionStatus::Active && is_of_door && (may_begin || earlier.len() >= TAIL_MIN)
}

/// What the client told of the conversation when it came here.
fn told_before(view: &SessionView) -> Vec<Past> {
    let told = view.settings.preferences.get(Settings::EARLIER).cloned();
    let told: Vec<Said> = told.and_then(|told| serde_json::from_value(told).ok()).unwrap_or_default();
    let past = |Exchange { said, answered }| Past {
        said,
        answers: vec![answered],
        status: TurnStatus::Completed,
        questions: 0,
        turn_id: None,
    };
    Exchange::pairs(&told).into_iter().map(past).collect()
}

/// Something that was said in a session.
#[derive(Debug, Clone)]
struct Past {
    said: String,
    /// What may have been told as the answer.
    answers: Vec<String>,
    status: TurnStatus,
    /// How often somebody may have been asked in the middle of it: what was said then is no turn of its own.
    questions: usize,
    /// None is what was said before it came here.
    turn_id: Option<TurnId>,
}

impl Past {
    fn of(turn: &TurnView) -> Self {
        let is_question = |step: &&Step| match step {
            Step::ToolCall(call) => call.approval_id.is_some(),
            Step::ToolResult(result) => result.status == CallStatus::Denied,
            _ => false,
        };
        let whole = turn.response.as_ref().map(|response| response.message.clone());
        Self {
            said: turn.request.message.clone(),
            answers: whole.into_iter().chain([turn.text.clone()]).collect(),
            status: turn.status,
            questions: turn.steps.iter().filter(is_question).count(),
            turn_id: Some(turn.turn_id),
        }
    }

    /// What came to nothing may be missing from what a client tells.
    const fn is_passed_over(&self) -> bool {
        matches!(self.status, TurnStatus::Failed | TurnStatus::Cancelled | TurnStatus::Expired)
    }

    fn was_answered(&self, answer: &str) -> bool {
        // Also what came to nothing may have said something before it did.
        let is_over = self.status == TurnStatus::Completed || self.is_passed_over();
        is_over && self.answers.iter().any(|known| same(known, answer))
    }
}

/// Whether a session's past is what was told.
fn compare(session_id: SessionId, past: &[Past], earlier: &[Exchange], next: &str) -> Option<Recognised> {
    if let Some(matched) = walk(past, earlier) {
        return match past[matched..].iter().find(|past| !past.is_passed_over()) {
            None => Some(Recognised::Whole(session_id)),
            Some(Past { status, said, turn_id: Some(turn_id), .. }) if !status.is_final() && same(said, next) => {
                Some(Recognised::Open(session_id, *turn_id))
            }
            Some(_) => past[..matched].last()?.turn_id.map(|turn_id| Recognised::UpTo(session_id, turn_id)),
        };
    }
    let is_end = |past: &[Past], told: &[Exchange]| {
        walk(past, told).is_some_and(|matched| past[matched..].iter().all(Past::is_passed_over))
    };
    // The beginning may have been left out on either side, but then what is told reaches the end.
    let is_tail = earlier.len() >= TAIL_MIN && (1..past.len()).rev().any(|start| is_end(&past[start..], earlier));
    let left_out = earlier.len().saturating_sub(past.len());
    let is_cut = past.len() >= TAIL_MIN && left_out > 0 && is_end(past, &earlier[left_out..]);
    (is_tail || is_cut).then_some(Recognised::Whole(session_id))
}

/// How much of the past stands for all that was told, if it does.
fn walk(past: &[Past], earlier: &[Exchange]) -> Option<usize> {
    let (mut told, mut matched) = (0, 0);
    for past in past {
        if told == earlier.len() {
            return Some(matched);
        }
        let is_said = same(&past.said, &earlier[told].said);
        if is_said && past.status == TurnStatus::Waiting && told + 1 == earlier.len() {
            // What a door says of the waiting is no part of the turn.
            return Some(matched + 1);
        }
        let mut answers = earlier[told..].iter().take(past.questions + 1);
        match answers.position(|one| past.was_answered(&one.answered)).filter(|_| is_said) {
            Some(more) => told += more + 1,
            None if past.is_passed_over() => {}
            None => return None,
        }
        matched += 1;
    }
    (told == earlier.len()).then_some(matched)
}

/// Clients trim, and what was said in several rounds comes in several messages.
fn same(one: &str, two: &str) -> bool {
    one.split_whitespace().eq(two.split_whitespace())
}

#[cfg(test)]
mod tests;
