//! The last turns, kept at hand for the next turn's context.

use std::{borrow::Cow, collections::VecDeque};

use protocol::{FORGOTTEN, Image, Origin, Tag, Tags, Timestamp, TurnId};
use serde::{Deserialize, Serialize};

use crate::{
    ending::Ending,
    limits::{RECENT_BYTES_MAX, RECENT_THREADS_LEFT, RECENT_THREADS_MAX, RECENT_TURNS_LEFT, RECENT_TURNS_MAX},
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
    /// The pictures that came with it; their bytes are in the journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Picture>,
    /// The tags of all of it.
    pub tags: Tags,
    /// What was called on the way; only the newest turns keep it.
    pub thread: Thread,
    /// What was answered after that; empty if nothing was.
    pub answer: String,
    /// Whether it has read text that is anybody's, so that its answer may carry such text. It stays so when the thread
    /// is no longer kept.
    pub is_tainted: bool,
    /// Whose words it was asked in.
    pub origin: Origin,
    /// How it came to its end.
    #[serde(default)]
    pub ending: Ending,
}

/// A picture that came with a message, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Its kind, as in `image/png`.
    pub media_type: String,
    /// How many bytes it has.
    pub bytes: u64,
}

impl Picture {
    fn of(image: &Image) -> Self {
        match image {
            Image::Inline { media_type, data } => {
                // Four letters of base64 stand for three bytes.
                Self { media_type: media_type.clone(), bytes: data.len() as u64 / 4 * 3 }
            }
            Image::Url { .. } => Self { media_type: "image".to_owned(), bytes: 0 },
        }
    }
}

impl RecentTurn {
    /// A turn as it stands when it ends.
    pub(crate) fn of(mut turn: OpenTurn, ending: Ending) -> Self {
        // What stands in the conversation before it taints by itself, for as long as it stands there.
        let origin = turn.request.origin;
        let is_tainted = turn.thread.is_tainted() || turn.was_tainted_once || !origin.is_trusted();
        // The answer may have been put together without the text that was streamed, or differ from it in its end.
        let answer = match &turn.response {
            Some(response) if turn.thread.is_empty() => response.message.clone(),
            Some(response) => {
                let settled: String = turn.text.chars().take(settled(&turn)).collect();
                response.message.strip_prefix(&settled).unwrap_or(&response.message).to_owned()
            }
            // What has no words any more has no answer either.
            None if turn.request.message == FORGOTTEN => String::new(),
            None => turn.unsettled_text(),
        };
        // An answer that was cut once and went on is one answer.
        let cut = turn.thread.take_cut();
        let answer = if cut.is_empty() { answer.trim_start_matches('\n').to_owned() } else { cut + &answer };
        Self {
            turn_id: turn.id,
            retry_of: turn.retry_of,
            at: turn.accepted_at,
            message: turn.request.message,
            pictures: turn.request.images.iter().map(Picture::of).collect(),
            tags: turn.request.tags,
            thread: turn.thread,
            answer,
            is_tainted,
            origin,
            ending,
        }
    }

    /// The answer as later turns are told it: one that is missing or not whole says so.
    pub fn told_answer(&self) -> Cow<'_, str> {
        self.ending.mark(&self.answer)
    }

    /// Whether later turns are told nothing of it.
    pub fn is_left_out(&self) -> bool {
        let is_deleted = self.message == FORGOTTEN && (self.answer.is_empty() || self.answer == FORGOTTEN);
        is_deleted || self.ending.is_left_out()
    }

    /// Whether it stays at hand longest.
    pub fn is_important(&self) -> bool {
        self.tags.iter().any(Tag::is_important)
    }

    /// What goes first has the smaller one.
    fn rank(&self) -> u8 {
        match (self.is_important(), self.tags.iter().any(Tag::is_ephemeral)) {
            (false, true) => 0,
            (false, false) => 1,
            (true, _) => 2,
        }
    }
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

    /// Forgets the earlier attempts at what is asked again, so that they do not stand in the context beside it.
    pub(crate) fn forget_attempts(&mut self, earlier: TurnId) {
        self.turns.retain(|turn| turn.turn_id != earlier && turn.retry_of != Some(earlier));
    }

    pub(crate) fn add(&mut self, turn: OpenTurn, ending: Ending) {
        self.turns.push_back(RecentTurn::of(turn, ending));
        self.drop_threads();
        if self.turns.len() > RECENT_TURNS_MAX {
            while self.turns.len() > RECENT_TURNS_LEFT {
                self.evict();
            }
        }
        while self.turns.len() > 1 && self.bytes() > RECENT_BYTES_MAX {
            self.evict();
        }
    }

    /// Lets go of the calls of older turns, several at once.
    fn drop_threads(&mut self) {
        if self.turns.iter().filter(|turn| !turn.thread.is_empty()).count() <= RECENT_THREADS_MAX {
            return;
        }
        let older = self.turns.len().saturating_sub(RECENT_THREADS_LEFT);
        for turn in self.turns.iter_mut().take(older) {
            turn.thread = Thread::default();
        }
    }

    /// Lets go of a turn: what is ephemeral first, what is important last, the oldest of its kind, never the newest turn.
    fn evict(&mut self) {
        let older = self.turns.iter().enumerate().take(self.turns.len().saturating_sub(1));
        let first = older.min_by_key(|(age, turn)| (turn.rank(), *age)).map(|(age, _)| age);
        if let Some(first) = first {
            self.turns.remove(first);
        }
    }

    fn bytes(&self) -> usize {
        self.turns.iter().map(|turn| turn.message.len() + turn.answer.len()).sum()
    }
}

fn settled(turn: &OpenTurn) -> usize {
    usize::try_from(turn.settled_chars).unwrap_or(usize::MAX)
}
