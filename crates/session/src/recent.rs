//! The last turns, kept in memory for the next turn's context.

use std::{borrow::Cow, collections::VecDeque};

use protocol::{FORGOTTEN, Image, Origin, Tag, Tags, Timestamp, TurnId};
use serde::{Deserialize, Serialize};

use crate::{
    ending::TurnEnding,
    limits::{RECENT_BYTES_MAX, RECENT_THREADS_LEFT, RECENT_THREADS_MAX, RECENT_TURNS_LEFT, RECENT_TURNS_MAX},
    open_turn::OpenTurn,
    thread::Thread,
};

/// An ended turn as later prompts contain it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecentTurn {
    /// The turn.
    pub turn_id: TurnId,
    /// The turn that it retried.
    pub retry_of: Option<TurnId>,
    /// When it was accepted.
    pub at: Timestamp,
    /// The message.
    pub message: String,
    /// The images of the message; their bytes are in the journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<PictureInfo>,
    /// The tags of the turn.
    pub tags: Tags,
    /// The calls of the turn; only the newest turns keep them.
    pub thread: Thread,
    /// The answer after the calls; empty if there was none.
    pub answer: String,
    /// Whether the turn has read untrusted text, so that its answer may contain such text. This
    /// stays true after the thread was dropped.
    pub is_tainted: bool,
    /// The origin of the message.
    pub origin: Origin,
    /// How the turn ended.
    #[serde(default)]
    pub ending: TurnEnding,
}

/// An image of a message, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureInfo {
    /// Its media type, as in `image/png`.
    pub media_type: String,
    /// Its size in bytes.
    pub bytes: u64,
}

impl PictureInfo {
    fn of(image: &Image) -> Self {
        match image {
            Image::Inline { media_type, data } => {
                // Four characters of base64 encode three bytes.
                Self { media_type: media_type.clone(), bytes: data.len() as u64 / 4 * 3 }
            }
            Image::Url { .. } => Self { media_type: "image".to_owned(), bytes: 0 },
        }
    }
}

impl RecentTurn {
    /// The turn as it is when it ends.
    pub(crate) fn of(mut turn: OpenTurn, ending: TurnEnding) -> Self {
        // Earlier turns taint by themselves for as long as they are in the context, so only the
        // turn's own reading counts.
        let origin = turn.request.origin;
        let is_tainted = turn.thread.is_tainted() || turn.was_tainted_once || !origin.is_trusted();
        // The final answer may differ from the streamed text.
        let answer = match &turn.response {
            Some(response) if turn.thread.is_empty() => response.message.clone(),
            Some(response) => {
                let settled: String = turn.text.chars().take(settled(&turn)).collect();
                response.message.strip_prefix(&settled).unwrap_or(&response.message).to_owned()
            }
            // A turn whose text was redacted has no answer either.
            None if turn.request.message == FORGOTTEN => String::new(),
            None => turn.unsettled_text(),
        };
        // An answer that was cut and continued is one answer.
        let cut = turn.thread.take_cut();
        let answer = if cut.is_empty() { answer.trim_start_matches('\n').to_owned() } else { cut + &answer };
        Self {
            turn_id: turn.id,
            retry_of: turn.retry_of,
            at: turn.accepted_at,
            message: turn.request.message,
            pictures: turn.request.images.iter().map(PictureInfo::of).collect(),
            tags: turn.request.tags,
            thread: turn.thread,
            answer,
            is_tainted,
            origin,
            ending,
        }
    }

    /// The answer as later prompts contain it: a missing or incomplete answer says so.
    pub fn told_answer(&self) -> Cow<'_, str> {
        self.ending.mark(&self.answer)
    }

    /// Whether it is left out of later prompts.
    pub fn is_left_out(&self) -> bool {
        let is_deleted = self.message == FORGOTTEN && (self.answer.is_empty() || self.answer == FORGOTTEN);
        is_deleted || self.ending.is_left_out()
    }

    /// Whether it is kept longest.
    pub fn is_important(&self) -> bool {
        self.tags.iter().any(Tag::is_important)
    }

    /// Turns with a smaller rank are dropped first.
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
pub(crate) struct RecentTurns {
    turns: VecDeque<RecentTurn>,
}

impl RecentTurns {
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &RecentTurn> {
        self.turns.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Drops the earlier attempts of a retried turn, so that they are not in the context beside it.
    pub(crate) fn forget_attempts(&mut self, earlier: TurnId) {
        self.turns.retain(|turn| turn.turn_id != earlier && turn.retry_of != Some(earlier));
    }

    pub(crate) fn add(&mut self, turn: OpenTurn, ending: TurnEnding) {
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

    /// Drops the calls of older turns, several at once.
    fn drop_threads(&mut self) {
        if self.turns.iter().filter(|turn| !turn.thread.is_empty()).count() <= RECENT_THREADS_MAX {
            return;
        }
        let older = self.turns.len().saturating_sub(RECENT_THREADS_LEFT);
        for turn in self.turns.iter_mut().take(older) {
            turn.thread = Thread::default();
        }
    }

    /// Drops a turn: ephemeral ones first, important ones last, the oldest of the same rank, never
    /// the newest turn.
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
