//! Text between the model and the journal: published at once, numbered in groups.

use std::{collections::BTreeMap, ops::Range, sync::Arc, time::Duration};

use protocol::{LiveText, LiveUpdate, TextDelta, Timestamp, TurnId};
use session::{State, TurnReport};
use tokio::time::Instant;

/// The longest time that text waits for its number.
const WAIT_MAX: Duration = Duration::from_millis(100);
/// A turn's first text waits less: its time is measured by when it was numbered.
const FIRST_WAIT_MAX: Duration = Duration::from_millis(5);
/// The most text of a turn that waits.
const BYTES_MAX: usize = 2 * 1024;

/// The kind of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Channel {
    /// The answer.
    Text,
    /// The model's reasoning.
    Thinking,
}

/// Text of running turns that was published but has no number yet.
#[derive(Default)]
pub(super) struct PendingText {
    turns: BTreeMap<TurnId, PendingTurnText>,
}

struct PendingTurnText {
    channel: Channel,
    text: String,
    /// Bytes at the end of the text that were not published yet.
    untold: usize,
    due: Instant,
}

impl PendingText {
    /// Adds text of the model. Text on the other channel comes first, and must have been taken
    /// before.
    pub(super) fn push(&mut self, turn_id: TurnId, channel: Channel, delta: &str, is_first: bool) {
        if delta.is_empty() {
            return;
        }
        let wait = if is_first { FIRST_WAIT_MAX } else { WAIT_MAX };
        let words = self.turns.entry(turn_id).or_insert_with(|| PendingTurnText {
            channel,
            text: String::new(),
            untold: 0,
            due: Instant::now() + wait,
        });
        words.text.push_str(delta);
        words.untold += delta.len();
    }

    /// Whether text of this turn waits on the other channel.
    pub(super) fn has_other(&self, turn_id: TurnId, channel: Channel) -> bool {
        self.turns.get(&turn_id).is_some_and(|words| words.channel != channel)
    }

    /// When the next text has to be numbered at the latest.
    pub(super) fn due(&self) -> Option<Instant> {
        self.turns.values().map(|words| words.due).min()
    }

    /// Whether there is so much text of this turn that it should be numbered now.
    pub(super) fn is_full(&self, turn_id: TurnId) -> bool {
        self.turns.get(&turn_id).is_some_and(|words| words.text.len() >= BYTES_MAX)
    }

    /// Takes the text of one turn, to be numbered, and whether all of it was published.
    pub(super) fn take(&mut self, turn_id: TurnId) -> Option<(TurnReport, bool)> {
        let words = self.turns.remove(&turn_id)?;
        let report = match words.channel {
            Channel::Text => TurnReport::Text(words.text),
            Channel::Thinking => TurnReport::Thinking(words.text),
        };
        Some((report, words.untold == 0))
    }

    /// The turns with pending text.
    pub(super) fn turns(&self) -> Vec<TurnId> {
        self.turns.keys().copied().collect()
    }

    /// The text that was not published yet, except for turns whose text is held; it counts as
    /// published from now on.
    pub(super) fn tell(&mut self, state: &State, now: Timestamp, is_held: impl Fn(TurnId) -> bool) -> Vec<LiveUpdate> {
        let is_due = |(turn_id, words): &(&TurnId, &mut PendingTurnText)| words.untold > 0 && !is_held(**turn_id);
        let told = self.turns.iter_mut().filter(is_due).filter_map(|(turn_id, words)| {
            let from = words.text.len() - words.untold;
            words.untold = 0;
            words.live(state, *turn_id, from..words.text.len(), now)
        });
        told.collect()
    }

    /// The text that was published but not numbered, for a subscriber that has just joined.
    pub(super) fn told(&self, state: &State, now: Timestamp) -> Vec<LiveUpdate> {
        let told = self.turns.iter().map(|(turn_id, words)| (turn_id, words, words.text.len() - words.untold));
        told.filter(|(_, _, to)| *to > 0)
            .filter_map(|(turn_id, words, to)| words.live(state, *turn_id, 0..to, now))
            .collect()
    }
}

impl PendingTurnText {
    fn live(&self, state: &State, turn_id: TurnId, range: Range<usize>, at: Timestamp) -> Option<LiveUpdate> {
        let turn = state.open_turn(turn_id)?;
        let (before, delta) = (&self.text[..range.start], &self.text[range]);
        let numbered = match self.channel {
            Channel::Text => turn.text_chars,
            Channel::Thinking => turn.thinking_chars,
        };
        let live = Arc::new(LiveText {
            session_id: state.id,
            turn_id,
            agent_id: turn.agent_id.clone(),
            at,
            data: TextDelta { offset: numbered + before.chars().count() as u64, delta: delta.to_owned() },
        });
        Some(match self.channel {
            Channel::Text => LiveUpdate::Text(live),
            Channel::Thinking => LiveUpdate::Thinking(live),
        })
    }
}
