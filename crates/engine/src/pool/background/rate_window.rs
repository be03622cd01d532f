//! A rate limit per minute: the amounts of the last minute, and the requests that wait.

use std::{collections::VecDeque, time::Duration};

use tokio::time::Instant;

/// How long an amount counts.
pub(super) const WINDOW: Duration = Duration::from_secs(60);
/// Amounts within this time are stored as one, so that many small ones take little memory.
const GRAIN: Duration = Duration::from_millis(250);

/// Recent amounts, and the requests that wait.
#[derive(Default)]
pub(super) struct RateWindow {
    /// Start and amount, oldest first.
    spent: VecDeque<(Instant, u64)>,
    /// The waiting requests, in order: a large one would wait for ever if small ones overtook it.
    line: VecDeque<u64>,
}

impl RateWindow {
    pub(super) fn join(&mut self, ticket: u64) {
        self.line.push_back(ticket);
    }

    pub(super) fn leave(&mut self, ticket: u64) {
        self.line.retain(|other| *other != ticket);
    }

    /// Whether there is nothing left to remember.
    pub(super) fn is_blank(&mut self, now: Instant) -> bool {
        self.forget(now);
        self.spent.is_empty() && self.line.is_empty()
    }

    /// Spends an amount if it is the ticket's turn and the amount fits. An amount above the limit
    /// passes once nothing else counts any more. The error says when to check again; `None` means
    /// after another request has passed.
    pub(super) fn spend(&mut self, ticket: u64, amount: u64, max: u64, now: Instant) -> Result<(), Option<Instant>> {
        self.forget(now);
        if self.line.front() != Some(&ticket) {
            return Err(None);
        }
        let total: u64 = self.spent.iter().map(|(_, sum)| sum).sum();
        if total > 0 && total.saturating_add(amount) > max {
            let mut left = total;
            // The oldest amounts are the first that no longer count.
            let in_the_way = self.spent.iter().find(|(_, sum)| {
                left -= sum;
                left == 0 || left.saturating_add(amount) <= max
            });
            return Err(in_the_way.map(|(begun, _)| *begun + WINDOW + GRAIN));
        }
        match self.spent.back_mut() {
            Some((begun, sum)) if now.saturating_duration_since(*begun) < GRAIN => *sum += amount,
            _ => self.spent.push_back((now, amount)),
        }
        Ok(())
    }

    fn forget(&mut self, now: Instant) {
        // An amount counts from the last moment at which a part of it may have been spent.
        while self.spent.front().is_some_and(|(begun, _)| now.saturating_duration_since(*begun) >= WINDOW + GRAIN) {
            self.spent.pop_front();
        }
    }
}
