//! The turn as a research call accesses it: its findings go into the journal, and the turn's own
//! model works for it, within the turn's budget.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use model::{Message, Model, Prompt, ToolRequirement, count_prompt};
use ports::{CompletionRequest, ToolFailure};
use protocol::{ModelSettings, ResearchEvent, Usage};
use serde::{Serialize, de::DeserializeOwned};
use session::TurnReport;
use tools::redaction::Redactor;

use super::{model_call, state::TurnState};
use crate::{counters::RESEARCH, hub::Services, live::Reporter};

/// Usage of model calls beside the rounds of a turn.
pub(super) type SideUsage = Arc<Mutex<Usage>>;

/// The research port of a call.
pub(super) struct TurnResearchPort {
    services: Arc<Services>,
    reporter: Reporter,
    /// The turn's models with language understanding, in order.
    chain: Vec<Arc<dyn Model>>,
    /// Tokens that its model calls may take.
    tokens_max: u64,
    /// Usage of this call's own model calls.
    own: Mutex<Usage>,
    /// Usage of the model calls of all calls of the turn.
    side_usage: SideUsage,
}

impl TurnResearchPort {
    pub(super) fn new(state: &TurnState) -> Self {
        let spent = state.usage.since(state.usage_before).tokens();
        Self {
            services: state.services.clone(),
            reporter: state.reporter.clone(),
            chain: state.chain.iter().filter(|model| model.traits().understands).cloned().collect(),
            // The answer needs the other half.
            tokens_max: state.input.settings.budgets.max_tokens.saturating_sub(spent) / 2,
            own: Mutex::default(),
            side_usage: state.side_usage.clone(),
        }
    }

    async fn ask(&self, model: &dyn Model, prompt: Prompt) -> Result<String, ToolFailure> {
        let tokens = count_prompt(&prompt).total;
        let output_max = prompt.output_tokens_max.unwrap_or(0);
        if ports::ResearchPort::usage(self).tokens() + tokens + output_max > self.tokens_max {
            return Err(ToolFailure::Failed("the turn's token budget leaves too little for this".to_owned()));
        }
        let counters = &self.services.counters;
        let (text, usage) = model_call::ask_whole(model, prompt).await.map_err(|error| {
            counters.model_failed(RESEARCH, model.name(), error.code(), Usage::default());
            ToolFailure::Failed(self.services.redactor.redact(&error.to_string()).into_owned())
        })?;
        let counted = || Usage::of(tokens, model::count(&text));
        let usage = usage.unwrap_or_else(counted);
        counters.model_answered(RESEARCH, model.name(), usage);
        for total in [&self.own, self.side_usage.as_ref()] {
            let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
            *total = total.plus(usage);
        }
        Ok(self.services.redactor.redact(&text).into_owned())
    }
}

#[async_trait]
impl ports::ResearchPort for TurnResearchPort {
    async fn report(&self, told: ResearchEvent) {
        let redactor = &self.services.redactor;
        let told = match told {
            ResearchEvent::Started(started) => redacted(redactor, &started).map(ResearchEvent::Started),
            ResearchEvent::Chunk(chunk) => redacted(redactor, &chunk).map(ResearchEvent::Chunk),
            ResearchEvent::Done(done) => redacted(redactor, &done).map(ResearchEvent::Done),
        };
        if let Some(told) = told {
            self.reporter.tell(TurnReport::Research(told)).await;
        }
    }

    fn has_model(&self) -> bool {
        !self.chain.is_empty()
    }

    async fn complete(&self, thought: CompletionRequest) -> Result<String, ToolFailure> {
        let redact = |text: &str| self.services.redactor.redact(text).into_owned();
        let mut failure = ToolFailure::Failed("there is no language model to ask".to_owned());
        for model in &self.chain {
            let prompt = Prompt {
                system: redact(&thought.instructions),
                messages: vec![Message::user(redact(&thought.text))],
                tools: Vec::new(),
                choice: ToolRequirement::Free,
                known: Vec::new(),
                now: self.services.world.now(),
                output_tokens_max: Some(thought.tokens_max),
                settings: ModelSettings::default(),
                response_schema: None,
                is_temporary: false,
            };
            match self.ask(model.as_ref(), prompt).await {
                Ok(text) => return Ok(text),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    fn usage(&self) -> Usage {
        *self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The value, redacted.
fn redacted<T: Serialize + DeserializeOwned>(redactor: &Redactor, told: &T) -> Option<T> {
    let value = serde_json::to_value(told).ok()?;
    serde_json::from_value(redactor.redact_json(value)).ok()
}
