//! A turn's own view of itself while it works: what it was given, and what has come of it so far.

use std::{sync::Arc, time::Duration};

use protocol::{ArtifactId, Step, Timestamp, Usage};
use session::{Report, Thread};
use tokio::{
    sync::{OwnedSemaphorePermit, watch},
    time::{Instant, sleep_until},
};

use super::{Heard, Job, context::Background, keeper::Desk, recalled::Recalled};
use crate::{hub::House, live::Reporter};

/// Longer than any question stays open.
const PAUSE_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A turn at work.
pub(super) struct Work {
    pub(super) house: Arc<House>,
    pub(super) job: Job,
    pub(super) reporter: Reporter,
    pub(super) thread: Thread,
    /// What the rounds so far took, also those before an interruption.
    pub(super) usage: Usage,
    /// All words that are out.
    pub(super) text: String,
    /// The words of the round that is not finished.
    pub(super) said: String,
    /// The model's reasoning, as far as it is kept for the gist.
    pub(super) thought: String,
    pub(super) artifacts: Vec<ArtifactId>,
    /// What is the same in every round.
    pub(super) background: Option<Background>,
    /// What memory has to say to this turn.
    pub(super) recalled: Recalled,
    /// The time that the model is told: the same in every round, so that all rounds begin with the same words.
    pub(super) clock: Timestamp,
    /// Whether what the turn is told beside its message may be anybody's words.
    pub(super) is_context_tainted: bool,
    /// The model that answered last.
    pub(super) model: String,
    pub(super) desk: Arc<Desk>,
    deadline: watch::Sender<Instant>,
    /// One of the turns that may be at work at once.
    permit: Option<OwnedSemaphorePermit>,
}

/// One of the turns that may be at work at once. The semaphore is never closed; if it were, running without a permit
/// would be the lesser evil.
pub(super) async fn permit(house: &House) -> Option<OwnedSemaphorePermit> {
    house.turn_permits.clone().acquire_owned().await.ok()
}

impl Work {
    pub(super) fn new(house: Arc<House>, job: Job, reporter: Reporter, permit: Option<OwnedSemaphorePermit>) -> Self {
        let budget = job.turn.time_budget_ms(job.settings.budgets.max_duration_ms);
        let deadline = watch::Sender::new(Instant::now() + Duration::from_millis(budget));
        let desk = Arc::new(Desk::new(&job, reporter.clone()));
        let (thread, usage, text) = (job.turn.thread.clone(), job.turn.usage, job.turn.text.clone());
        let artifacts = thread.calls().filter_map(|call| call.result.as_ref()?.artifact_id).collect();
        let clock = house.world.now();
        let is_context_tainted = job.turn.was_told_tainted;
        Self {
            house,
            job,
            reporter,
            thread,
            usage,
            text,
            said: String::new(),
            thought: String::new(),
            artifacts,
            background: None,
            recalled: Recalled::default(),
            clock,
            is_context_tainted,
            model: String::new(),
            desk,
            deadline,
            permit,
        }
    }

    /// What ends the work when its time is up.
    pub(super) fn overtime(&self) -> Overtime {
        Overtime { deadline: self.deadline.subscribe() }
    }

    pub(super) fn deadline(&self) -> Instant {
        *self.deadline.borrow()
    }

    /// Waits for a person. Neither the turn's time nor its place among those at work is spent on that.
    pub(super) async fn wait_for_person(&mut self, is_enough: impl FnMut(&Heard) -> bool) {
        let begun = Instant::now();
        let left = self.deadline.send_replace(begun + PAUSE_MAX).saturating_duration_since(begun);
        self.permit = None;
        self.hear(is_enough).await;
        self.permit = permit(&self.house).await;
        self.deadline.send_replace(Instant::now() + left);
    }

    /// Whether it has read text that is anybody's.
    pub(super) fn is_tainted(&self) -> bool {
        self.is_context_tainted || self.thread.is_tainted()
    }

    /// Takes note of what was said to the turn meanwhile.
    pub(super) fn listen(&mut self) {
        let heard = self.job.heard.borrow_and_update().clone();
        for message in heard.steers.iter().skip(self.thread.steers() as usize) {
            self.thread.steer(message);
        }
        for (approval_id, decision) in heard.decisions {
            self.thread.decide(approval_id, decision);
        }
    }

    /// Waits until something was said to the turn, and takes note of it.
    pub(super) async fn hear(&mut self, is_enough: impl FnMut(&Heard) -> bool) {
        // The line is closed only when the turn is being stopped.
        if self.job.heard.wait_for(is_enough).await.is_err() {
            std::future::pending::<()>().await;
        }
        self.listen();
    }

    /// Notes a step and reports it.
    pub(super) async fn step(&mut self, step: Step) {
        self.note(&step);
        self.reporter.tell(Report::Step(step)).await;
    }

    /// Notes a step; reporting it is up to the caller.
    pub(super) fn note(&mut self, step: &Step) {
        let said = if matches!(step, Step::Plan(_)) { std::mem::take(&mut self.said) } else { String::new() };
        self.thread.take_in(step, || said);
        if let Step::Plan(plan) = step {
            self.usage = self.usage.plus(plan.usage.unwrap_or_default());
        }
    }

    /// Passes words on.
    pub(super) async fn say(&mut self, words: String) {
        if !words.is_empty() {
            self.text.push_str(&words);
            self.said.push_str(&words);
            self.reporter.tell(Report::Text(words)).await;
        }
    }
}

/// Ends a turn's work when its time is up, also when it was given more meanwhile.
pub(super) struct Overtime {
    deadline: watch::Receiver<Instant>,
}

impl Overtime {
    /// Returns once the time is up.
    pub(super) async fn is_up(&mut self) {
        loop {
            let deadline = *self.deadline.borrow_and_update();
            tokio::select! {
                () = sleep_until(deadline) => return,
                changed = self.deadline.changed() => {
                    if changed.is_err() {
                        // The work is gone, so it has ended by itself.
                        std::future::pending::<()>().await;
                    }
                }
            }
        }
    }
}
