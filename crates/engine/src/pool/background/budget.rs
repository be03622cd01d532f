//! So much a minute: what was spent in the last one, and who waits until there is room again.

use std::{collections::VecDeque, time::Duration};

use tokio::time::Instant;

/// How long something counts.
pub(super) const WINDOW: Duration = Duration::from_secs(60);
/// What is spent within this is kept as one, so that many small sums take little room.
const GRAIN: Duration = Duration::from_millis(250);

/// What was spent of late, and who waits.
#[derive(Default)]
pub(super) struct Budget {
    /// When it began and how much, oldest first.
    spent: VecDeque<(Instant, u64)>,
    /// Who waits, in order: a large sum would wait for ever if small ones went past it.
    line: VecDeque<u64>,
}

impl Budget {
    pub(super) fn join(&mut self, ticket: u64) {
        self.line.push_back(ticket);
    }

    pub(super) fn leave(&mut self, ticket: u64) {
        self.line.retain(|other| *other != ticket);
    }

    /// Whether there is nothing to remember of it.
    pub(super) fn is_blank(&mut self, now: Instant) -> bool {
        self.forget(now);
        self.spent.is_empty() && self.line.is_empty()
    }

    /// Spends so much if it is the ticket's turn and fits. A sum that never fits goes through once nothing counts any
    /// more. The error says when to look again; none means once somebody else is through.
    pub(super) fn spend(&mut self, ticket: u64, amount: u64, max: u64, now: Instant) -> Result<(), Option<Instant>> {
        self.forget(now);
        if self.line.front() != Some(&ticket) {
            return Err(None);
        }
        let total: u64 = self.spent.iter().map(|(_, sum)| sum).sum();
        if total > 0 && total.saturating_add(amount) > max {
            let mut left = total;
            // The oldest are the first that no longer count.
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
        // A sum counts from the last moment at which a part of it may have been spent.
        while self.spent.front().is_some_and(|(begun, _)| now.saturating_duration_since(*begun) >= WINDOW + GRAIN) {
            self.spent.pop_front();
        }
    }
}
