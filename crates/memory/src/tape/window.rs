//! The window: the messages of a tape that fit a budget of tokens.

use std::collections::{BTreeMap, BTreeSet};

use protocol::Tag;

use super::{Filter, Kind, Message, Warning, message::Hold};

/// Above this, a window is nearly full.
const NEARLY_FULL_PERCENT: u64 = 95;
/// Above this, what never or hardly ever leaves crowds out the rest.
const HELD_PERCENT_MAX: u64 = 50;

/// The messages of a tape that fit a budget of tokens, oldest first.
///
/// When the budget is exceeded, exchanges leave until three quarters of the room they can have are taken, so that the
/// beginning of what is told stays the same for several turns and a provider's cache of it stays good. A question leaves with
/// its answer. What is important leaves only as far as it must, and the last exchange leaves after it. Adding costs as much
/// as what leaves, however long the tape: no message is looked at twice before it leaves.
#[derive(Debug, Clone)]
pub struct Window<T> {
    tokens_max: u64,
    /// Tokens that are taken by something outside.
    reserved: u64,
    tokens: u64,
    /// Tokens of what never leaves.
    kept_tokens: u64,
    /// The number of the next message.
    next: u64,
    messages: BTreeMap<u64, Message<T>>,
    /// The first and the last number of each exchange, by the first; a message alone is one too.
    exchanges: BTreeMap<u64, u64>,
    /// The numbers of exchanges that may leave, by how they do.
    ephemeral: BTreeSet<u64>,
    plain: BTreeSet<u64>,
    important: BTreeSet<u64>,
    /// The numbers of the current turn.
    current: Vec<u64>,
    evicted: Evicted,
    /// How often a message was put somewhere or taken away, for the test that this does not grow with the tape.
    #[cfg(test)]
    pub(super) moves: u64,
}

/// What has left a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Evicted {
    /// How many messages.
    pub messages: u64,
    /// Their tokens.
    pub tokens: u64,
    /// How many of them were important.
    pub important: u64,
}

/// How a window stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Stats {
    /// Messages in it.
    pub messages: u64,
    /// Their tokens.
    pub tokens: u64,
    /// The budget.
    pub tokens_max: u64,
    /// How much of the budget is taken, in percent.
    pub utilisation: f64,
    /// How many messages have each tag.
    pub tags: BTreeMap<Tag, u64>,
    /// What has left it.
    pub evicted: Evicted,
}

impl<T> Window<T> {
    /// An empty window for so many tokens.
    pub const fn new(tokens_max: u64) -> Self {
        Self::with_reserve(tokens_max, 0)
    }

    /// An empty window for so many tokens, some of which are taken by something outside.
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
            evicted: Evicted { messages: 0, tokens: 0, important: 0 },
            #[cfg(test)]
            moves: 0,
        }
    }

    /// Adds the newest message. What falls out leaves at once.
    pub fn add(&mut self, message: Message<T>) {
        self.add_exchange(vec![message]);
    }

    /// Adds the newest messages, which leave together: as firmly as the firmest of them stays. What falls out leaves at once.
    pub fn add_exchange(&mut self, messages: Vec<Message<T>>) {
        let Some(hold) = messages.iter().map(Message::hold).max() else { return };
        let tokens = messages.iter().fold(0_u64, |sum, message| sum.saturating_add(message.tokens));
        // What could not stay even alone does not drive the others out.
        if hold != Hold::Kept && self.kept_tokens.saturating_add(tokens) > self.room() {
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

    /// The current turn is over: its messages may leave like others from now on.
    pub fn end_turn(&mut self) {
        for number in std::mem::take(&mut self.current) {
            let Some(last) = self.exchanges.get(&number) else { continue };
            let mut tokens = 0_u64;
            let mut hold = Hold::Ephemeral;
            for (_, message) in self.messages.range_mut(number..=*last) {
                message.is_current = false;
                tokens = tokens.saturating_add(message.tokens);
                hold = hold.max(message.hold());
            }
            if hold != Hold::Kept {
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
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Message<T>> {
        self.messages.values()
    }

    /// The messages that a filter takes, oldest first.
    pub fn told<'a>(&'a self, filter: &'a Filter) -> impl DoubleEndedIterator<Item = &'a Message<T>> {
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

    /// What has left it.
    pub const fn evicted(&self) -> Evicted {
        self.evicted
    }

    /// How it stands.
    pub fn stats(&self) -> Stats {
        let mut tags: BTreeMap<Tag, u64> = BTreeMap::new();
        for tag in self.messages().flat_map(|message| &message.tags) {
            *tags.entry(tag.clone()).or_default() += 1;
        }
        Stats {
            messages: self.messages.len() as u64,
            tokens: self.tokens,
            tokens_max: self.tokens_max,
            utilisation: self.tokens as f64 * 100.0 / self.tokens_max.max(1) as f64,
            tags,
            evicted: self.evicted,
        }
    }

    /// What somebody should know about it.
    pub fn health(&self) -> Vec<Warning> {
        let tokens_max = self.tokens_max;
        let sum = |is_meant: fn(&Message<T>) -> bool| -> u64 {
            self.messages().filter(|message| is_meant(message)).map(|message| message.tokens).sum()
        };
        let mut warnings = Vec::new();
        let current = sum(|message| message.is_current);
        if current > tokens_max {
            warnings.push(Warning::CurrentDoesNotFit { tokens: current, tokens_max });
        } else if self.kept_tokens > tokens_max {
            warnings.push(Warning::DoesNotFit { tokens: self.kept_tokens, tokens_max });
        } else if self.percent(self.tokens) > NEARLY_FULL_PERCENT {
            warnings.push(Warning::NearlyFull { percent: self.percent(self.tokens) });
        }
        let held = self.percent(sum(|message| message.kind == Kind::Pin || message.is_important()));
        if held > HELD_PERCENT_MAX {
            warnings.push(Warning::HeldFillsHalf { percent: held });
        }
        if self.evicted.important > 0 {
            warnings.push(Warning::LostImportant { messages: self.evicted.important });
        }
        warnings
    }

    fn percent(&self, tokens: u64) -> u64 {
        let percent = u128::from(tokens) * 100 / u128::from(self.tokens_max.max(1));
        u64::try_from(percent).unwrap_or(u64::MAX)
    }

    /// Puts a message where it belongs by how firmly it stays.
    fn hold(&mut self, number: u64, hold: Hold, tokens: u64) {
        #[cfg(test)]
        {
            self.moves += 1;
        }
        match hold {
            Hold::Kept => self.kept_tokens = self.kept_tokens.saturating_add(tokens),
            Hold::Ephemeral => drop(self.ephemeral.insert(number)),
            Hold::Plain => drop(self.plain.insert(number)),
            Hold::Important => drop(self.important.insert(number)),
        }
    }

    /// What there is room for here.
    const fn room(&self) -> u64 {
        self.tokens_max.saturating_sub(self.reserved)
    }

    /// Lets exchanges leave if there are too many tokens.
    fn fit(&mut self) {
        let room = self.room();
        if self.tokens <= room {
            return;
        }
        // What never leaves takes its room whatever else goes: the mark is about the rest.
        let enough = self.kept_tokens.saturating_add(room.saturating_sub(self.kept_tokens) / 4 * 3);
        // What was said last is what the next words are about.
        let last = self.last_that_may_leave();
        // Where not even that fits, all others go, also those that would free nothing.
        let is_for_kept_alone = self.kept_tokens > room;
        while self.tokens > enough || is_for_kept_alone {
            let mut next = self.ephemeral.iter().chain(&self.plain).copied().filter(|number| Some(*number) != last);
            let Some(number) = next.next() else { break };
            self.evict(number);
        }
        while self.tokens > room {
            let Some(number) = self.important.first().copied().filter(|number| Some(*number) != last).or(last) else {
                break;
            };
            self.evict(number);
            if Some(number) == last {
                break;
            }
        }
    }

    /// The newest exchange that is not kept anyway.
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

    fn note_evicted(&mut self, message: &Message<T>) {
        self.evicted.messages += 1;
        self.evicted.tokens = self.evicted.tokens.saturating_add(message.tokens);
        self.evicted.important += u64::from(message.is_important());
    }
}
