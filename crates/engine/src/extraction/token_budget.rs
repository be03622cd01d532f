//! The budget of owners for the memory model: tokens within the last hour.

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use protocol::OwnerId;
use tokio::time::Instant;

/// How long tokens count.
const WINDOW: Duration = Duration::from_secs(60 * 60);

/// The tokens that owners have spent within the last hour.
pub(super) struct TokenBudgets {
    /// Tokens per owner and hour; `None` means unlimited.
    tokens_max: Option<u64>,
    spent: HashMap<OwnerId, VecDeque<(Instant, u64)>>,
}

impl TokenBudgets {
    pub(super) fn new(tokens_max: Option<u64>) -> Self {
        Self { tokens_max, spent: HashMap::new() }
    }

    /// How long an owner has to wait until this many tokens fit; none if they do. More than the
    /// whole budget fits once nothing else counts any more, since it would wait for ever otherwise.
    pub(super) fn wait(&mut self, owner: &OwnerId, tokens: u64, now: Instant) -> Option<Duration> {
        let max = self.tokens_max?;
        let spent = self.spent.get_mut(owner)?;
        while spent.front().is_some_and(|(at, _)| now.saturating_duration_since(*at) >= WINDOW) {
            spent.pop_front();
        }
        let mut left: u64 = spent.iter().map(|(_, tokens)| tokens).sum();
        let mut wait = None;
        for (at, amount) in spent.iter() {
            if left == 0 || left.saturating_add(tokens) <= max {
                break;
            }
            left -= amount;
            wait = Some(WINDOW.saturating_sub(now.saturating_duration_since(*at)));
        }
        if spent.is_empty() {
            self.spent.remove(owner);
        }
        wait
    }

    /// Counts spent tokens.
    pub(super) fn spend(&mut self, owner: &OwnerId, tokens: u64, now: Instant) {
        if self.tokens_max.is_some() && tokens > 0 {
            self.spent.entry(owner.clone()).or_default().push_back((now, tokens));
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
        let start = Instant::now();
        let minutes = |n: u64| Duration::from_secs(n * 60);
        let mut budgets = TokenBudgets::new(Some(1_000));
        assert_eq!(budgets.wait(&ada, 5_000, start), None, "more than the budget fits into an empty hour");
        budgets.spend(&ada, 600, start);
        budgets.spend(&ada, 300, start + minutes(10));
        assert_eq!(budgets.wait(&ada, 100, start + minutes(20)), None);
        assert_eq!(budgets.wait(&ada, 200, start + minutes(20)), Some(minutes(40)));
        assert_eq!(budgets.wait(&ada, 800, start + minutes(20)), Some(minutes(50)));
        assert_eq!(budgets.wait(&bob, 800, start + minutes(20)), None, "each owner has a budget");
        assert_eq!(budgets.wait(&ada, 600, start + minutes(61)), None);
        let mut unlimited = TokenBudgets::new(None);
        unlimited.spend(&ada, u64::MAX, start);
        assert_eq!(unlimited.wait(&ada, u64::MAX, start), None);
    }
}
