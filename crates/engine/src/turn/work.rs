//! A turn's own view of itself while it works: what it was given, and what has come of it so far.

use std::sync::{Arc, PoisonError};

use model::Model;
use protocol::{ArtifactId, Step, Timestamp, Usage};
use session::{Call, Report, Thread};
use tokio::time::Instant;
use tools::Surroundings;

use super::{
    Heard, Job, context::Background, desk::Desk, offer, pictures::Pictures, recalled::Recalled, shift::Shift,
    study::Aside,
};
use crate::{hub::House, live::Reporter};

/// A round that is being asked for: what it takes if it comes to nothing.
pub(super) struct InFlight {
    /// Tokens of what the model was told.
    pub(super) sent: u64,
    /// Bytes of its reasoning so far.
    pub(super) thought_bytes: usize,
    /// What the provider has counted.
    pub(super) counted: Option<Usage>,
}

/// Bytes of a token of reasoning, roughly: it is not kept, so it cannot be counted.
const THOUGHT_BYTES_PER_TOKEN: u64 = 4;

/// A turn at work.
pub(super) struct Work {
    pub(super) house: Arc<House>,
    pub(super) job: Job,
    pub(super) reporter: Reporter,
    pub(super) thread: Thread,
    /// What the rounds so far took, also those before an interruption.
    pub(super) usage: Usage,
    /// What they had taken when the client last told a result: budgets count from there.
    pub(super) usage_before: Usage,
    /// All words that are out.
    pub(super) text: String,
    /// The words of the round that is not finished.
    pub(super) said: String,
    /// The model's reasoning, as far as it is kept for the gist.
    pub(super) thought: String,
    pub(super) artifacts: Vec<ArtifactId>,
    /// What the asker should know of how the answer was made.
    pub(super) notices: Vec<String>,
    /// What they should know of how the window holds the conversation.
    pub(super) window_notice: Option<String>,
    /// The pictures of earlier turns that are shown again.
    pub(super) pictures: Pictures,
    /// What is the same in every round.
    pub(super) background: Option<Background>,
    /// What memory has to say to this turn.
    pub(super) recalled: Recalled,
    /// What the turn is told of the world around.
    pub(super) surroundings: Option<Surroundings>,
    /// The time that the model is told: the same in every round, so that all rounds begin with the same words.
    pub(super) clock: Timestamp,
    /// Whether what the turn is told beside its message may be anybody's words.
    pub(super) is_context_tainted: bool,
    /// Whether that is so by something that is told this once.
    pub(super) is_tainted_once: bool,
    /// The round that is being asked for.
    pub(super) in_flight: Option<InFlight>,
    /// The model that answered last.
    pub(super) model: String,
    pub(super) desk: Arc<Desk>,
    /// The models it asks, in order.
    pub(super) chain: Vec<Arc<dyn Model>>,
    /// What its calls have spent on models themselves, and is not in `usage` yet.
    pub(super) aside: Aside,
    /// Its time, and its place among those at work.
    pub(super) shift: Arc<Shift>,
}

impl Work {
    pub(super) fn new(house: Arc<House>, job: Job, reporter: Reporter, shift: Arc<Shift>) -> Self {
        let desk = Arc::new(Desk::new(&house, &job, reporter.clone(), shift.clone()));
        let (thread, usage, text) = (job.turn.thread.clone(), job.turn.usage, job.turn.text.clone());
        let usage_before = if offer::is_just_answered(&thread) { usage } else { Usage::default() };
        let artifacts = thread.calls().filter_map(|call| call.result.as_ref()?.artifact_id).collect();
        let clock = house.world.now();
        let (is_context_tainted, is_tainted_once) = (job.turn.was_told_tainted, job.turn.was_tainted_once);
        Self {
            house,
            job,
            reporter,
            thread,
            usage,
            usage_before,
            text,
            said: String::new(),
            thought: String::new(),
            artifacts,
            notices: Vec::new(),
            window_notice: None,
            pictures: Pictures::default(),
            background: None,
            recalled: Recalled::default(),
            surroundings: None,
            clock,
            is_context_tainted,
            is_tainted_once,
            in_flight: None,
            model: String::new(),
            desk,
            chain: Vec::new(),
            aside: Aside::default(),
            shift,
        }
    }

    pub(super) fn deadline(&self) -> Instant {
        self.shift.deadline()
    }

    /// Waits for a person.
    pub(super) async fn wait_for_person(&mut self, is_enough: impl FnMut(&Heard) -> bool) {
        let shift = self.shift.clone();
        shift.aside(self.hear(is_enough)).await;
    }

    /// Whether it has read text that is anybody's.
    pub(super) fn is_tainted(&self) -> bool {
        !self.job.turn.request.origin.is_trusted() || self.is_context_tainted || self.thread.is_tainted()
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
        for result in heard.results {
            let is_awaited = |call: &Call| call.awaits_client() && call.planned.call_id == result.call_id;
            if self.thread.calls().any(is_awaited) {
                self.artifacts.extend(result.artifact_id);
                self.note(&Step::ToolResult(result));
            }
        }
        self.job.turn.request.offer = heard.offer;
        self.job.turn.request.origin = heard.origin;
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

    /// Counts in what calls have spent on models themselves.
    pub(super) fn settle_aside(&mut self) {
        let spent = std::mem::take(&mut *self.aside.lock().unwrap_or_else(PoisonError::into_inner));
        self.usage = self.usage.plus(spent);
    }

    /// Notes what the asker should know of how the answer was made, once.
    pub(super) fn notice(&mut self, text: String) {
        if !self.notices.contains(&text) {
            self.notices.push(text);
        }
    }

    /// Counts in what a round took that has come to nothing, where it had begun to answer. Says how much.
    pub(super) fn settle_in_flight(&mut self) -> Usage {
        let Some(InFlight { sent, thought_bytes, counted }) = self.in_flight.take() else { return Usage::default() };
        let spent = match counted {
            Some(counted) => counted,
            None if self.said.is_empty() && thought_bytes == 0 => return Usage::default(),
            None => Usage::of(sent, model::count(&self.said) + thought_bytes as u64 / THOUGHT_BYTES_PER_TOKEN),
        };
        self.usage = self.usage.plus(spent);
        spent
    }

    /// What it has taken so far, where it has taken anything.
    pub(super) fn spent(&mut self) -> Option<Usage> {
        self.settle_in_flight();
        self.settle_aside();
        (self.usage != Usage::default()).then_some(self.usage)
    }

    /// Passes words on.
    pub(super) async fn say(&mut self, words: String) {
        if !words.is_empty() {
            self.shift.spend_bytes(words.len()).await;
            self.text.push_str(&words);
            self.said.push_str(&words);
            self.reporter.tell(Report::Text(words)).await;
        }
    }
}
