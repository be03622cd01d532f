//! Text between the model and the journal: told at once, numbered in groups.

use std::time::Duration;

use protocol::{LiveText, Text, Timestamp, TurnId};
use session::State;
use tokio::time::Instant;

/// Text waits at most this long for its number.
const WAIT_MAX: Duration = Duration::from_millis(100);
/// And at most this much of it waits.
const BYTES_MAX: usize = 2 * 1024;

/// Text of the running turn that is out but not yet numbered.
#[derive(Default)]
pub(super) struct Pending {
    turn_id: Option<TurnId>,
    text: String,
    /// Bytes at the end of the text that nobody has been told yet.
    untold: usize,
    due: Option<Instant>,
}

impl Pending {
    /// Adds what the model said.
    pub(super) fn push(&mut self, turn_id: TurnId, delta: &str) {
        if delta.is_empty() {
            return;
        }
        self.turn_id = Some(turn_id);
        self.text.push_str(delta);
        self.untold += delta.len();
        self.due.get_or_insert_with(|| Instant::now() + WAIT_MAX);
    }

    /// When it has to be numbered at the latest.
    pub(super) const fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Whether there is so much of it that it should be numbered now.
    pub(super) const fn is_full(&self) -> bool {
        self.text.len() >= BYTES_MAX
    }

    /// Takes it out to be numbered.
    pub(super) fn take(&mut self) -> Option<(TurnId, String)> {
        let Self { turn_id, text, .. } = std::mem::take(self);
        turn_id.map(|turn_id| (turn_id, text))
    }

    /// What nobody has been told yet; from now on it is told.
    pub(super) fn tell(&mut self, state: &State, now: Timestamp) -> Option<LiveText> {
        let from = self.text.len() - self.untold;
        self.untold = 0;
        self.live(state, from, now)
    }

    /// All of it, for somebody who has just joined.
    pub(super) fn all(&self, state: &State, now: Timestamp) -> Option<LiveText> {
        self.live(state, 0, now)
    }

    fn live(&self, state: &State, from: usize, at: Timestamp) -> Option<LiveText> {
        let turn = state.open_turn(self.turn_id?)?;
        if from == self.text.len() {
            return None;
        }
        let (before, delta) = self.text.split_at(from);
        let offset = turn.text_chars + before.chars().count() as u64;
        Some(LiveText {
            session_id: state.id,
            turn_id: turn.id,
            agent_id: turn.agent_id.clone(),
            at,
            data: Text { offset, delta: delta.to_owned() },
        })
    }
}
