//! The state of a running turn: its input, and its progress so far.

use std::sync::{Arc, PoisonError};

use model::Model;
use ports::HomeSection;
use protocol::{ArtifactId, Settings, Step, Timestamp, Usage};
use serde_json::Value;
use session::{Thread, ThreadCall, TurnReport};
use tokio::time::Instant;

use super::{
    Inbox, TurnInput, client_tools, context::PromptBase, pictures::Pictures, recalled_memory::RecalledMemory,
    research_port::SideUsage, session_port::SessionPort, slot::TurnSlot, structured::RejectedAnswer, trace::TurnTrace,
};
use crate::{hub::Services, live::Reporter};

/// A round in progress, and its usage if it fails.
pub(super) struct InFlightRound {
    /// Tokens of the prompt.
    pub(super) sent: u64,
    /// Bytes of its reasoning so far.
    pub(super) thought_bytes: usize,
    /// The usage that the provider has reported.
    pub(super) counted: Option<Usage>,
}

/// Bytes per token of reasoning, roughly: reasoning is not stored, so it cannot be counted.
const THOUGHT_BYTES_PER_TOKEN: u64 = 4;

/// A running turn.
pub(super) struct TurnState {
    pub(super) services: Arc<Services>,
    pub(super) input: TurnInput,
    pub(super) reporter: Reporter,
    pub(super) thread: Thread,
    /// The usage of all rounds so far, including those before an interruption.
    pub(super) usage: Usage,
    /// The usage up to the client's last result: budgets count from there.
    pub(super) usage_before: Usage,
    /// All published text.
    pub(super) text: String,
    /// The text of the unfinished round.
    pub(super) said: String,
    /// The text of a structured answer, which is published once it matches its schema.
    pub(super) unsaid: String,
    /// The structured answer that the model gets back.
    pub(super) rejected: Option<RejectedAnswer>,
    /// The model's reasoning, as far as it is kept for its summary.
    pub(super) thought: String,
    pub(super) artifacts: Vec<ArtifactId>,
    /// Notices for the user about the answer.
    pub(super) notices: Vec<String>,
    /// A notice about how the window contains the conversation.
    pub(super) window_notice: Option<String>,
    /// The images of earlier turns that are sent again.
    pub(super) pictures: Pictures,
    /// The base of the prompt, the same in every round.
    pub(super) prompt_base: Option<PromptBase>,
    /// Memory for this turn.
    pub(super) recalled: RecalledMemory,
    /// The context of the home for this turn.
    pub(super) surroundings: Option<HomeSection>,
    /// The time in the prompt: the same in every round, so that all rounds start with the same
    /// text.
    pub(super) clock: Timestamp,
    /// Whether the context beside the message is untrusted.
    pub(super) is_context_tainted: bool,
    /// Whether that is because of something that only this turn has in its context.
    pub(super) is_tainted_once: bool,
    /// The round in progress.
    pub(super) in_flight: Option<InFlightRound>,
    /// The model that answered last.
    pub(super) model: String,
    pub(super) session_port: Arc<SessionPort>,
    /// The models it calls, in order.
    pub(super) chain: Vec<Arc<dyn Model>>,
    /// Usage of its calls' own model calls that is not in `usage` yet.
    pub(super) side_usage: SideUsage,
    /// Its deadline and permits.
    pub(super) slot: Arc<TurnSlot>,
    /// Its spans.
    pub(super) trace: TurnTrace,
}

impl TurnState {
    pub(super) fn new(services: Arc<Services>, input: TurnInput, reporter: Reporter, slot: Arc<TurnSlot>) -> Self {
        let session_port = Arc::new(SessionPort::new(&services, &input, reporter.clone(), slot.clone()));
        let (thread, usage, text) = (input.turn.thread.clone(), input.turn.usage, input.turn.text.clone());
        let usage_before = if client_tools::is_just_answered(&thread) { usage } else { Usage::default() };
        let artifacts = thread.calls().filter_map(|call| call.result.as_ref()?.artifact_id).collect();
        let clock = services.world.now();
        let trace = TurnTrace::new(&services.options.observers, input.session_id, input.turn.id);
        let (is_context_tainted, is_tainted_once) = (input.turn.was_told_tainted, input.turn.was_tainted_once);
        Self {
            services,
            input,
            reporter,
            thread,
            usage,
            usage_before,
            text,
            said: String::new(),
            unsaid: String::new(),
            rejected: None,
            thought: String::new(),
            artifacts,
            notices: Vec::new(),
            window_notice: None,
            pictures: Pictures::default(),
            prompt_base: None,
            recalled: RecalledMemory::default(),
            surroundings: None,
            clock,
            is_context_tainted,
            is_tainted_once,
            in_flight: None,
            model: String::new(),
            session_port,
            chain: Vec::new(),
            side_usage: SideUsage::default(),
            slot,
            trace,
        }
    }

    pub(super) fn deadline(&self) -> Instant {
        self.slot.deadline()
    }

    /// Waits for a person.
    pub(super) async fn wait_for_person(&mut self, is_enough: impl FnMut(&Inbox) -> bool) {
        let slot = self.slot.clone();
        slot.while_paused(self.wait_for_inbox(is_enough)).await;
    }

    /// Whether it has read untrusted text.
    pub(super) fn is_tainted(&self) -> bool {
        !self.input.turn.request.origin.is_trusted() || self.is_context_tainted || self.thread.is_tainted()
    }

    /// Reads the inbox.
    pub(super) fn read_inbox(&mut self) {
        let inbox = self.input.inbox.borrow_and_update().clone();
        for message in inbox.steers.iter().skip(self.thread.steers() as usize) {
            self.thread.steer(message);
        }
        for (approval_id, decision) in inbox.decisions {
            self.thread.decide(approval_id, decision);
        }
        let mut is_continued = false;
        for result in inbox.results {
            let is_awaited = |call: &ThreadCall| call.awaits_client() && call.planned.call_id == result.call_id;
            if self.thread.calls().any(is_awaited) {
                self.artifacts.extend(result.artifact_id);
                self.note(&Step::ToolResult(result));
                is_continued = true;
            }
        }
        if is_continued {
            self.follow_instructions(inbox.instructions);
        }
        if self.input.turn.request.offer.response_schema != inbox.offer.response_schema {
            // The instructions contain the schema.
            self.prompt_base = None;
        }
        self.input.turn.request.offer = inbox.offer;
        self.input.turn.request.origin = inbox.origin;
    }

    /// Takes over the client's instructions. A client may change them with the results of its
    /// calls, for example when one of its agents hands over to another.
    fn follow_instructions(&mut self, instructions: Option<Value>) {
        let preferences = &mut self.input.settings.preferences;
        if preferences.get(Settings::INSTRUCTIONS) == instructions.as_ref() {
            return;
        }
        match instructions {
            Some(text) => preferences.insert(Settings::INSTRUCTIONS.to_owned(), text),
            None => preferences.remove(Settings::INSTRUCTIONS),
        };
        self.prompt_base = None;
    }

    /// Waits for an update of the inbox and reads it.
    pub(super) async fn wait_for_inbox(&mut self, is_enough: impl FnMut(&Inbox) -> bool) {
        // The channel is closed only when the turn is being stopped.
        if self.input.inbox.wait_for(is_enough).await.is_err() {
            std::future::pending::<()>().await;
        }
        self.read_inbox();
    }

    /// Notes a step and reports it.
    pub(super) async fn step(&mut self, step: Step) {
        self.note(&step);
        self.reporter.tell(TurnReport::Step(step)).await;
    }

    /// Notes a step; reporting it is up to the caller.
    pub(super) fn note(&mut self, step: &Step) {
        let said = if matches!(step, Step::Plan(_)) { std::mem::take(&mut self.said) } else { String::new() };
        self.thread.take_in(step, || said);
        if let Step::Plan(plan) = step {
            self.usage = self.usage.plus(plan.usage.unwrap_or_default());
        }
    }

    /// Adds the usage of its calls' own model calls.
    pub(super) fn settle_side_usage(&mut self) {
        let spent = std::mem::take(&mut *self.side_usage.lock().unwrap_or_else(PoisonError::into_inner));
        self.usage = self.usage.plus(spent);
    }

    /// Adds a notice for the user, once.
    pub(super) fn notice(&mut self, text: String) {
        if !self.notices.contains(&text) {
            self.notices.push(text);
        }
    }

    /// Adds the usage of a failed round, if it had started to answer. Returns it.
    pub(super) fn settle_in_flight(&mut self) -> Usage {
        let Some(InFlightRound { sent, thought_bytes, counted }) = self.in_flight.take() else {
            return Usage::default();
        };
        let spent = match counted {
            Some(counted) => counted,
            None if self.round_text().is_empty() && thought_bytes == 0 => return Usage::default(),
            None => Usage::of(sent, model::count(self.round_text()) + thought_bytes as u64 / THOUGHT_BYTES_PER_TOKEN),
        };
        self.usage = self.usage.plus(spent);
        spent
    }

    /// The text of the unfinished round, whether it is published or not.
    pub(super) fn round_text(&self) -> &str {
        if self.unsaid.is_empty() { &self.said } else { &self.unsaid }
    }

    /// The usage so far, if there is any.
    pub(super) fn spent(&mut self) -> Option<Usage> {
        self.settle_in_flight();
        self.settle_side_usage();
        (self.usage != Usage::default()).then_some(self.usage)
    }

    /// Publishes text.
    pub(super) async fn say(&mut self, words: String) {
        if !words.is_empty() {
            self.slot.spend_bytes(words.len()).await;
            self.text.push_str(&words);
            self.said.push_str(&words);
            self.reporter.tell(TurnReport::Text(words)).await;
        }
    }
}
