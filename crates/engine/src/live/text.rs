//! Words between the model and the journal: told at once, numbered in groups.

use std::{collections::BTreeMap, ops::Range, sync::Arc, time::Duration};

use protocol::{Live, LiveText, Text, Timestamp, TurnId};
use session::{Report, State};
use tokio::time::Instant;

/// Words wait at most this long for their number.
const WAIT_MAX: Duration = Duration::from_millis(100);
/// A turn's first words wait less: when they came is measured by when they were numbered.
const FIRST_WAIT_MAX: Duration = Duration::from_millis(5);
/// And at most this much of them waits, for each turn.
const BYTES_MAX: usize = 2 * 1024;

/// What words are part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Channel {
    /// The answer.
    Text,
    /// The model's reasoning.
    Thinking,
}

/// Words of turns at work that are out but not yet numbered.
#[derive(Default)]
pub(super) struct Pending {
    turns: BTreeMap<TurnId, Words>,
}

struct Words {
    channel: Channel,
    text: String,
    /// Bytes at the end of the text that nobody has been told yet.
    untold: usize,
    due: Instant,
}

impl Pending {
    /// Adds what the model said. What waits on the other channel comes first, and must have been taken before.
    pub(super) fn push(&mut self, turn_id: TurnId, channel: Channel, delta: &str, is_first: bool) {
        if delta.is_empty() {
            return;
        }
        let wait = if is_first { FIRST_WAIT_MAX } else { WAIT_MAX };
        let words = self.turns.entry(turn_id).or_insert_with(|| Words {
            channel,
            text: String::new(),
            untold: 0,
            due: Instant::now() + wait,
        });
        words.text.push_str(delta);
        words.untold += delta.len();
    }

    /// Whether words of this turn wait on the other channel.
    pub(super) fn has_other(&self, turn_id: TurnId, channel: Channel) -> bool {
        self.turns.get(&turn_id).is_some_and(|words| words.channel != channel)
    }

    /// When the next have to be numbered at the latest.
    pub(super) fn due(&self) -> Option<Instant> {
        self.turns.values().map(|words| words.due).min()
    }

    /// Whether there are so many of this turn that they should be numbered now.
    pub(super) fn is_full(&self, turn_id: TurnId) -> bool {
        self.turns.get(&turn_id).is_some_and(|words| words.text.len() >= BYTES_MAX)
    }

    /// Takes the words of one turn out to be numbered.
    pub(super) fn take(&mut self, turn_id: TurnId) -> Option<Report> {
        self.turns.remove(&turn_id).map(|words| match words.channel {
            Channel::Text => Report::Text(words.text),
            Channel::Thinking => Report::Thinking(words.text),
        })
    }

    /// The turns whose words wait.
    pub(super) fn turns(&self) -> Vec<TurnId> {
        self.turns.keys().copied().collect()
    }

    /// What followers have not been told yet, except of turns whose words are held; from now on it is told.
    pub(super) fn tell(&mut self, state: &State, now: Timestamp, is_held: impl Fn(TurnId) -> bool) -> Vec<Live> {
        let is_due = |(turn_id, words): &(&TurnId, &mut Words)| words.untold > 0 && !is_held(**turn_id);
        let told = self.turns.iter_mut().filter(is_due).filter_map(|(turn_id, words)| {
            let from = words.text.len() - words.untold;
            words.untold = 0;
            words.live(state, *turn_id, from..words.text.len(), now)
        });
        told.collect()
    }

    /// What others have been told, for a follower who has just joined.
    pub(super) fn told(&self, state: &State, now: Timestamp) -> Vec<Live> {
        let told = self.turns.iter().map(|(turn_id, words)| (turn_id, words, words.text.len() - words.untold));
        told.filter(|(_, _, to)| *to > 0)
            .filter_map(|(turn_id, words, to)| words.live(state, *turn_id, 0..to, now))
            .collect()
    }
}

impl Words {
    fn live(&self, state: &State, turn_id: TurnId, range: Range<usize>, at: Timestamp) -> Option<Live> {
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
            data: Text { offset: numbered + before.chars().count() as u64, delta: delta.to_owned() },
        });
        Some(match self.channel {
            Channel::Text => Live::Text(live),
            Channel::Thinking => Live::Thinking(live),
        })
    }
}
