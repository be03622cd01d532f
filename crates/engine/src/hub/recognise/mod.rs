//! Matches a conversation by its content, for clients that know no sessions and send the whole
//! history each time.
//!
//! The history is compared with the journal; nothing else is stored for it. The search covers the
//! owner's newest sessions that such a client has started.

use protocol::{
    CallStatus, IngestMessage, Order, OwnerId, SessionId, SessionList, SessionRef, SessionStatus, SessionView,
    Settings, Step, TurnId, TurnStatus, TurnView,
};

use super::Hub;
use crate::Error;

mod client_calls;

pub use client_calls::ClientCalls;

/// Sessions that are considered, and how many of them are read.
const SESSIONS_MAX: u32 = 200;
const READ_MAX: usize = 16;
/// Maximum number of turns of a session; a longer one is not matched.
const TURNS_MAX: usize = 1_000;
/// Clients that omit the beginning of a long conversation still send this much of it.
const TAIL_MIN: usize = 8;

/// A message and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exchange {
    /// The user's message.
    pub said: String,
    /// The assistant's answer.
    pub answered: String,
}

impl Exchange {
    /// Pairs of messages and answers: consecutive messages of the same side are joined.
    pub fn pairs(messages: &[IngestMessage]) -> Vec<Self> {
        let mut pairs: Vec<Self> = Vec::new();
        let mut was_users = false;
        for message in messages {
            let is_users = message.role == "user";
            // An answer that only calls tools has no text, but still counts as an answer.
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

/// The result of matching a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationMatch {
    /// The history is exactly this session.
    Whole(SessionId),
    /// The history is this session up to a turn; after it they differ.
    UpTo(SessionId, TurnId),
    /// The history is this session, and the next message is a turn there that is still running.
    Open(SessionId, TurnId),
}

impl Hub {
    /// The session with this history, among those started over one of the given transports; `next`
    /// is the new message.
    pub async fn match_conversation(
        &self,
        owner: &OwnerId,
        transports: &[&str],
        earlier: &[Exchange],
        next: &str,
    ) -> Result<Option<ConversationMatch>, Error> {
        if earlier.is_empty() {
            return Ok(None);
        }
        // The journal contains redacted text, so the history is redacted before the comparison.
        let redacted = |one: &Exchange| Exchange {
            said: self.redact(one.said.clone()),
            answered: self.redact(one.answered.clone()),
        };
        let earlier: Vec<Exchange> = earlier.iter().map(redacted).collect();
        let next = self.redact(next.to_owned());
        let list = SessionList { limit: Some(SESSIONS_MAX), ..SessionList::default() };
        let sessions = self.sessions(owner, &list).await?.data;
        for view in sessions.iter().filter(|view| may_be(view, transports, &earlier)).take(READ_MAX) {
            let Some(turns) = self.all_turns(owner, view.session_id).await? else { continue };
            let past: Vec<PastTurn> = told_before(view).into_iter().chain(turns.iter().map(PastTurn::of)).collect();
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

/// A check that does not need to read the session.
fn may_be(view: &SessionView, transports: &[&str], earlier: &[Exchange]) -> bool {
    let preferences = &view.settings.preferences;
    let is_of_door =
        preferences.get(Settings::DOOR).and_then(|door| door.as_str()).is_some_and(|it| transports.contains(&it));
    // A title is the beginning of the first message, unless the conversation was imported.
    let title = view.title.as_deref().filter(|_| !preferences.contains_key(Settings::EARLIER));
    let may_begin = title.is_none_or(|title| earlier[0].said.trim().starts_with(title.trim()));
    view.status == SessionStatus::Active && is_of_door && (may_begin || earlier.len() >= TAIL_MIN)
}

/// The history that the client sent with the first message.
fn told_before(view: &SessionView) -> Vec<PastTurn> {
    let told = view.settings.preferences.get(Settings::EARLIER).cloned();
    let told: Vec<IngestMessage> = told.and_then(|told| serde_json::from_value(told).ok()).unwrap_or_default();
    let past = |Exchange { said, answered }| PastTurn {
        said,
        answers: vec![answered],
        status: TurnStatus::Completed,
        questions: 0,
        turn_id: None,
    };
    Exchange::pairs(&told).into_iter().map(past).collect()
}

/// A turn of a session.
#[derive(Debug, Clone)]
struct PastTurn {
    said: String,
    /// The texts that may have been sent as the answer.
    answers: Vec<String>,
    status: TurnStatus,
    /// How many questions the turn asked in between: their answers are no turns of their own.
    questions: usize,
    /// `None` for messages from before the session.
    turn_id: Option<TurnId>,
}

impl PastTurn {
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

    /// Unsuccessful turns may be missing in a client's history.
    const fn is_passed_over(&self) -> bool {
        matches!(self.status, TurnStatus::Failed | TurnStatus::Cancelled | TurnStatus::Expired)
    }

    fn was_answered(&self, answer: &str) -> bool {
        // An unsuccessful turn may have produced some text before.
        let is_over = self.status == TurnStatus::Completed || self.is_passed_over();
        is_over && self.answers.iter().any(|known| same(known, answer))
    }
}

/// Compares a session with a history.
fn compare(session_id: SessionId, past: &[PastTurn], earlier: &[Exchange], next: &str) -> Option<ConversationMatch> {
    if let Some(matched) = walk(past, earlier) {
        return match past[matched..].iter().find(|past| !past.is_passed_over()) {
            None => Some(ConversationMatch::Whole(session_id)),
            Some(PastTurn { status, said, turn_id: Some(turn_id), .. }) if !status.is_final() && same(said, next) => {
                Some(ConversationMatch::Open(session_id, *turn_id))
            }
            Some(_) => past[..matched].last()?.turn_id.map(|turn_id| ConversationMatch::UpTo(session_id, turn_id)),
        };
    }
    let is_end = |past: &[PastTurn], told: &[Exchange]| {
        walk(past, told).is_some_and(|matched| past[matched..].iter().all(PastTurn::is_passed_over))
    };
    // Either side may lack the beginning, but then the history must reach the end.
    let is_tail = earlier.len() >= TAIL_MIN && (1..past.len()).rev().any(|start| is_end(&past[start..], earlier));
    let left_out = earlier.len().saturating_sub(past.len());
    let is_cut = past.len() >= TAIL_MIN && left_out > 0 && is_end(past, &earlier[left_out..]);
    (is_tail || is_cut).then_some(ConversationMatch::Whole(session_id))
}

/// The number of turns that match the whole history, if they do.
fn walk(past: &[PastTurn], earlier: &[Exchange]) -> Option<usize> {
    let (mut told, mut matched) = (0, 0);
    for past in past {
        if told == earlier.len() {
            return Some(matched);
        }
        let is_said = same(&past.said, &earlier[told].said);
        if is_said && past.status == TurnStatus::Waiting && told + 1 == earlier.len() {
            // A transport's own text about waiting is not part of the turn.
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

/// Clients trim text, and several rounds may be sent as several messages.
fn same(one: &str, two: &str) -> bool {
    one.split_whitespace().eq(two.split_whitespace())
}

#[cfg(test)]
mod tests;
