//! The last turns, kept at hand for the next turn's context.

use std::collections::VecDeque;

use protocol::{Timestamp, TurnId};
use serde::{Deserialize, Serialize};

use crate::{
    limits::{RECENT_BYTES_MAX, RECENT_THREADS_MAX, RECENT_TURNS_MAX},
    open_turn::OpenTurn,
    thread::Thread,
};

/// A turn that has ended, as later turns are told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecentTurn {
    /// Which.
    pub turn_id: TurnId,
    /// The turn that one tried again.
    pub retry_of: Option<TurnId>,
    /// When it was accepted.
    pub at: Timestamp,
    /// What was asked.
    pub message: String,
    /// What was called on the way; only the newest turns keep it.
    pub thread: Thread,
    /// What was answered after that; empty if nothing was.
    pub answer: String,
    /// Whether it has read text that is anybody's, so that its answer may carry such text. It stays so when the thread
    /// is no longer kept.
    pub is_tainted: bool,
}

/// The last turns, oldest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Recent {
    turns: VecDeque<RecentTurn>,
}

impl Recent {
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &RecentTurn> {
        self.turns.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.turns.clear();
    }

    /// Forgets the earlier attempts at what is asked again, so that they do not stand in the context beside it.
    pub(crate) fn forget_attempts(&mut self, earlier: TurnId) {
        self.turns.retain(|turn| turn.turn_id != earlier && turn.retry_of != Some(earlier));
    }

    pub(crate) fn add(&mut self, turn: OpenTurn) {
        let is_tainted = turn.thread.is_tainted();
        // The answer may have been put together without the text that was streamed, or differ from it in its end.
        let answer = match &turn.response {
            Some(response) if turn.thread.is_empty() => response.message.clone(),
            Some(response) => {
                let settled: String = turn.text.chars().take(settled(&turn)).collect();
                response.message.strip_prefix(&settled).unwrap_or(&response.message).to_owned()
            }
            None => turn.unsettled_text(),
        };
        self.turns.push_back(RecentTurn {
            turn_id: turn.id,
            retry_of: turn.retry_of,
            at: turn.accepted_at,
            message: turn.request.message,
            thread: turn.thread,
            answer: answer.trim_start_matches('\n').to_owned(),
            is_tainted,
        });
        if let Some(older) = self.turns.len().checked_sub(RECENT_THREADS_MAX + 1) {
            self.turns[older].thread = Thread::default();
        }
        while self.turns.len() > RECENT_TURNS_MAX || (self.turns.len() > 1 && self.bytes() > RECENT_BYTES_MAX) {
            self.turns.pop_front();
        }
    }

    fn bytes(&self) -> usize {
        self.turns.iter().map(|turn| turn.message.len() + turn.answer.len()).sum()
    }
}

fn settled(turn: &OpenTurn) -> usize {
    usize::try_from(turn.settled_chars).unwrap_or(usize::MAX)
}
