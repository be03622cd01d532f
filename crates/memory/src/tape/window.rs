//! The context window: the messages of a tape that fit a budget of tokens.

use std::collections::{BTreeMap, BTreeSet};

use protocol::Tag;

use super::{MessageKind, TagFilter, TapeMessage, WindowWarning, message::EvictionPriority};

/// Above this, a window is nearly full.
const NEARLY_FULL_PERCENT: u64 = 95;
/// Above this, kept and important messages crowd out the rest.
const HELD_PERCENT_MAX: u64 = 50;

/// The messages of a tape that fit a budget of tokens, oldest first.
///
/// When the budget is exceeded, exchanges are evicted until three quarters of the space they can
/// have are taken, so that the beginning of the prompt stays the same for several turns and the
/// provider's cache of it stays valid. A question is evicted with its answer. Important messages
/// are evicted only as far as necessary, and the last exchange after them. The cost of adding is
/// proportional to what is evicted, however long the tape: no message is visited twice before it is
/// evicted.
#[derive(Debug, Clone)]
pub struct ContextWindow<T> {
    tokens_max: u64,
    /// Tokens used by something outside the window.
    reserved: u64,
    tokens: u64,
    /// Tokens of messages that are never evicted.
    kept_tokens: u64,
    /// The number of the next message.
    next: u64,
    messages: BTreeMap<u64, TapeMessage<T>>,
    /// The first and the last number of each exchange, by the first; a message alone is one too.
    exchanges: BTreeMap<u64, u64>,
    /// The numbers of exchanges that can be evicted, by priority.
    ephemeral: BTreeSet<u64>,
    plain: BTreeSet<u64>,
    important: BTreeSet<u64>,
    /// The numbers of the current turn.
    current: Vec<u64>,
    evicted: EvictionCounts,
    /// How often a message was inserted, moved or removed, for the test that this does not grow
    /// with the tape.
    #[cfg(test)]
    pub(super) moves: u64,
}

/// What was evicted from a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EvictionCounts {
    /// How many messages.
    pub messages: u64,
    /// Their tokens.
    pub tokens: u64,
    /// How many of them were important.
    pub important: u64,
}

/// The state of a window.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowStats {
    /// Messages in it.
    pub messages: u64,
    /// Their tokens.
    pub tokens: u64,
    /// The budget.
    pub tokens_max: u64,
    /// The used share of the budget, in percent.
    pub utilisation: f64,
    /// How many messages have each tag.
    pub tags: BTreeMap<Tag, u64>,
    /// What was evicted.
    pub evicted: EvictionCounts,
}

impl<T> ContextWindow<T> {
    /// An empty window with this budget.
    pub const fn new(tokens_max: u64) -> Self {
        Self::with_reserve(tokens_max, 0)
    }

    /// An empty window with this budget, part of which is used by something outside.
    pub const fn with_reserve(tokens_max: u64, reserved: u64) -> Self {
        Self {
            tokens_max,
            reserved,
            tokens: 0,
            kept_tokens: 0,
            next: 0,
            messages: BTreeMap::new(),
            exchanges: BTreeMap::new(),
            ephemeral: BTreeSet::new(),
            plain: BTreeSet::new(),
            important: BTreeSet::new(),
            current: Vec::new(),
            evicted: EvictionCounts { messages: 0, tokens: 0, important: 0 },
            #[cfg(test)]
            moves: 0,
        }
    }

    /// Adds the newest message. Evictions happen at once.
    pub fn add(&mut self, message: TapeMessage<T>) {
        self.add_exchange(vec![message]);
    }

    /// Adds the newest messages as one exchange, with the priority of its most important message.
    /// Evictions happen at once.
    pub fn add_exchange(&mut self, messages: Vec<TapeMessage<T>>) {
        let Some(hold) = messages.iter().map(TapeMessage::hold).max() else { return };
        let tokens = messages.iter().fold(0_u64, |sum, message| sum.saturating_add(message.tokens));
        // A message that does not fit even alone does not evict the others.
        if hold != EvictionPriority::Kept && self.kept_tokens.saturating_add(tokens) > self.space() {
            messages.iter().for_each(|message| self.note_evicted(message));
            return;
        }
        let first = self.next;
        self.tokens = self.tokens.saturating_add(tokens);
        for message in messages {
            let number = self.next;
            self.next += 1;
            if message.is_current {
                self.current.push(first);
            }
            self.messages.insert(number, message);
        }
        self.current.dedup();
        self.exchanges.insert(first, self.next - 1);
        self.hold(first, hold, tokens);
        self.fit();
    }

    /// Ends the current turn: its messages can be evicted from now on.
    pub fn end_turn(&mut self) {
        for number in std::mem::take(&mut self.current) {
            let Some(last) = self.exchanges.get(&number) else { continue };
            let mut tokens = 0_u64;
            let mut hold = EvictionPriority::Ephemeral;
            for (_, message) in self.messages.range_mut(number..=*last) {
                message.is_current = false;
                tokens = tokens.saturating_add(message.tokens);
                hold = hold.max(message.hold());
            }
            if hold != EvictionPriority::Kept {
                self.kept_tokens = self.kept_tokens.saturating_sub(tokens);
                self.hold(number, hold, tokens);
            }
        }
        self.fit();
    }

    /// Forgets everything, as if nothing had ever been added.
    pub fn reset(&mut self) {
        *self = Self::with_reserve(self.tokens_max, self.reserved);
    }

    /// The messages, oldest first.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &TapeMessage<T>> {
        self.messages.values()
    }

    /// The messages that a filter selects, oldest first.
    pub fn told<'a>(&'a self, filter: &'a TagFilter) -> impl DoubleEndedIterator<Item = &'a TapeMessage<T>> {
        self.messages().filter(|message| filter.takes(message))
    }

    /// The tokens of all messages.
    pub const fn tokens(&self) -> u64 {
        self.tokens
    }

    /// The budget.
    pub const fn tokens_max(&self) -> u64 {
        self.tokens_max
    }

    /// What was evicted.
    pub const fn evicted(&self) -> EvictionCounts {
        self.evicted
    }

    /// Its current state.
    pub fn stats(&self) -> WindowStats {
        let mut tags: BTreeMap<Tag, u64> = BTreeMap::new();
        for tag in self.messages().flat_map(|message| &message.tags) {
            *tags.entry(tag.clone()).or_default() += 1;
        }
        WindowStats {
            messages: self.messages.len() as u64,
            tokens: self.tokens,
            tokens_max: self.tokens_max,
            utilisation: self.tokens as f64 * 100.0 / self.tokens_max.max(1) as f64,
            tags,
            evicted: self.evicted,
        }
    }

    /// Warnings about it.
    pub fn health(&self) -> Vec<WindowWarning> {
        let tokens_max = self.tokens_max;
        let sum = |is_meant: fn(&TapeMessage<T>) -> bool| -> u64 {
            self.messages().filter(|message| is_meant(message)).map(|message| message.tokens).sum()
        };
        let mut warnings = Vec::new();
        let current = sum(|message| message.is_current);
        if current > tokens_max {
            warnings.push(WindowWarning::CurrentDoesNotFit { tokens: current, tokens_max });
        } else if self.kept_tokens > tokens_max {
            warnings.push(WindowWarning::DoesNotFit { tokens: self.kept_tokens, tokens_max });
        } else if self.percent(self.tokens) > NEARLY_FULL_PERCENT {
            warnings.push(WindowWarning::NearlyFull { percent: self.percent(self.tokens) });
        }
        let held = self.percent(sum(|message| message.kind == MessageKind::Pin || message.is_important()));
        if held > HELD_PERCENT_MAX {
            warnings.push(WindowWarning::HeldFillsHalf { percent: held });
        }
        if self.evicted.important > 0 {
            warnings.push(WindowWarning::LostImportant { messages: self.evicted.important });
        }
        warnings
    }

    fn percent(&self, tokens: u64) -> u64 {
        let percent = u128::from(tokens) * 100 / u128::from(self.tokens_max.max(1));
        u64::try_from(percent).unwrap_or(u64::MAX)
    }

    /// Files a message under its priority.
    fn hold(&mut self, number: u64, hold: EvictionPriority, tokens: u64) {
        #[cfg(test)]
        {
            self.moves += 1;
        }
        match hold {
            EvictionPriority::Kept => self.kept_tokens = self.kept_tokens.saturating_add(tokens),
            EvictionPriority::Ephemeral => drop(self.ephemeral.insert(number)),
            EvictionPriority::Plain => drop(self.plain.insert(number)),
            EvictionPriority::Important => drop(self.important.insert(number)),
        }
    }

    /// The budget without the reserved tokens.
    const fn space(&self) -> u64 {
        self.tokens_max.saturating_sub(self.reserved)
    }

    /// Evicts exchanges if the budget is exceeded.
    fn fit(&mut self) {
        let space = self.space();
        if self.tokens <= space {
            return;
        }
        // Kept messages take their space in any case: the mark is about the rest.
        let enough = self.kept_tokens.saturating_add(space.saturating_sub(self.kept_tokens) / 4 * 3);
        // The next message is most likely about the last exchange.
        let last = self.last_that_may_leave();
        // Where the kept messages alone do not fit, all others are evicted, even if that frees
        // nothing.
        let is_for_kept_alone = self.kept_tokens > space;
        while self.tokens > enough || is_for_kept_alone {
            let mut next = self.ephemeral.iter().chain(&self.plain).copied().filter(|number| Some(*number) != last);
            let Some(number) = next.next() else { break };
            self.evict(number);
        }
        while self.tokens > space {
            let Some(number) = self.important.first().copied().filter(|number| Some(*number) != last).or(last) else {
                break;
            };
            self.evict(number);
            if Some(number) == last {
                break;
            }
        }
    }

    /// The newest exchange that can be evicted.
    fn last_that_may_leave(&self) -> Option<u64> {
        let newest = [&self.ephemeral, &self.plain, &self.important].map(|numbers| numbers.last().copied());
        newest.into_iter().flatten().max()
    }

    fn evict(&mut self, number: u64) {
        #[cfg(test)]
        {
            self.moves += 1;
        }
        for numbers in [&mut self.ephemeral, &mut self.plain, &mut self.important] {
            numbers.remove(&number);
        }
        let last = self.exchanges.remove(&number).unwrap_or(number);
        for number in number..=last {
            if let Some(message) = self.messages.remove(&number) {
                self.tokens = self.tokens.saturating_sub(message.tokens);
                self.note_evicted(&message);
            }
        }
    }

    fn note_evicted(&mut self, message: &TapeMessage<T>) {
        self.evicted.messages += 1;
        self.evicted.tokens = self.evicted.tokens.saturating_add(message.tokens);
        self.evicted.important += u64::from(message.is_important());
    }
}
