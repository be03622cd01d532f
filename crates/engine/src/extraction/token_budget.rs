//! The budget of owners for the memory model: tokens within the last hour.

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use memory::long_term::SpentTokens;
use protocol::{OwnerId, Timestamp};

/// How long tokens count.
const WINDOW: Duration = Duration::from_secs(60 * 60);

/// The tokens that owners have spent within the last hour. What was spent before the server started
/// is read from the store once per owner.
pub(super) struct TokenBudgets {
    /// Tokens per owner and hour; `None` means unlimited.
    tokens_max: Option<u64>,
    spent: HashMap<OwnerId, VecDeque<SpentTokens>>,
}

impl TokenBudgets {
    pub(super) fn new(tokens_max: Option<u64>) -> Self {
        Self { tokens_max, spent: HashMap::new() }
    }

    /// Whether tokens are counted.
    pub(super) const fn is_limited(&self) -> bool {
        self.tokens_max.is_some()
    }

    /// Whether an owner's spending before the start of the server is still to be read.
    pub(super) fn is_unread(&self, owner: &OwnerId) -> bool {
        self.is_limited() && !self.spent.contains_key(owner)
    }

    /// Takes over what an owner has spent before the start.
    pub(super) fn load(&mut self, owner: &OwnerId, spent: Vec<SpentTokens>) {
        self.spent.entry(owner.clone()).or_insert_with(|| spent.into());
    }

    /// How long an owner has to wait until this many tokens fit; none if they do. More than the
    /// whole budget fits once nothing else counts any more, since it would wait for ever otherwise.
    pub(super) fn wait(&mut self, owner: &OwnerId, tokens: u64, now: Timestamp) -> Option<Duration> {
        let max = self.tokens_max?;
        let spent = self.spent.get_mut(owner)?;
        while spent.front().is_some_and(|first| now.since(first.at) >= WINDOW) {
            spent.pop_front();
        }
        let mut left: u64 = spent.iter().map(|it| it.tokens).sum();
        let mut wait = None;
        for SpentTokens { at, tokens: amount } in spent.iter() {
            if left == 0 || left.saturating_add(tokens) <= max {
                break;
            }
            left -= amount;
            wait = Some(WINDOW.saturating_sub(now.since(*at)));
        }
        wait
    }

    /// Counts spent tokens.
    pub(super) fn spend(&mut self, owner: &OwnerId, spent: SpentTokens) {
        if self.is_limited() && spent.tokens > 0 {
            self.spent.entry(owner.clone()).or_default().push_back(spent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_waits_until_enough_of_the_hour_is_over() {
        let (ada, bob) = ("ada", "bob");
        let [ada, bob] = [ada, bob].map(|name| OwnerId::try_from(name.to_owned()).unwrap());
        let start = Timestamp::from_millis(1_800_000_000_000);
        let minutes = |n: u64| Duration::from_secs(n * 60);
        let after = |n: u64| start.plus(minutes(n));
        let mut budgets = TokenBudgets::new(Some(1_000));
        assert!(budgets.is_unread(&ada));
        assert_eq!(budgets.wait(&ada, 5_000, start), None, "more than the budget fits into an empty hour");
        budgets.load(&ada, vec![SpentTokens { at: start, tokens: 600 }]);
        assert!(!budgets.is_unread(&ada) && budgets.is_unread(&bob));
        budgets.spend(&ada, SpentTokens { at: after(10), tokens: 300 });
        assert_eq!(budgets.wait(&ada, 100, after(20)), None);
        assert_eq!(budgets.wait(&ada, 200, after(20)), Some(minutes(40)));
        assert_eq!(budgets.wait(&ada, 800, after(20)), Some(minutes(50)));
        assert_eq!(budgets.wait(&bob, 800, after(20)), None, "each owner has a budget");
        assert_eq!(budgets.wait(&ada, 600, after(61)), None);
        let mut unlimited = TokenBudgets::new(None);
        unlimited.spend(&ada, SpentTokens { at: start, tokens: u64::MAX });
        assert_eq!(unlimited.wait(&ada, u64::MAX, start), None);
        assert!(!unlimited.is_unread(&ada), "nothing is counted");
    }
}
