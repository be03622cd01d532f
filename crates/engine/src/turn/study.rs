//! The turn as a call reaches it that looks for sources: what it finds goes into the journal, and the turn's own model thinks
//! for it, within the turn's budget.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use model::{Choice, Message, Model, Prompt, count_prompt};
use protocol::{ModelSettings, Research, Usage};
use serde::{Serialize, de::DeserializeOwned};
use session::Report;
use tools::{Failure, Thought, redaction::Redactor};

use super::{model_call, work::Work};
use crate::{counters::RESEARCH, hub::House, live::Reporter};

/// What is spent beside the rounds of a turn.
pub(super) type Aside = Arc<Mutex<Usage>>;

/// What a call that looks for sources is given.
pub(super) struct Study {
    house: Arc<House>,
    reporter: Reporter,
    /// Those of the turn's models that understand words, in order.
    chain: Vec<Arc<dyn Model>>,
    /// Tokens that thinking may take.
    room: u64,
    /// What the call's own thinking took.
    own: Mutex<Usage>,
    /// What all calls of the turn took.
    aside: Aside,
}

impl Study {
    pub(super) fn new(work: &Work) -> Self {
        let spent = work.usage.since(work.usage_before).tokens();
        Self {
            house: work.house.clone(),
            reporter: work.reporter.clone(),
            chain: work.chain.iter().filter(|model| model.traits().understands).cloned().collect(),
            // The answer needs the other half.
            room: work.job.settings.budgets.max_tokens.saturating_sub(spent) / 2,
            own: Mutex::default(),
            aside: work.aside.clone(),
        }
    }

    async fn ask(&self, model: &dyn Model, prompt: Prompt) -> Result<String, Failure> {
        let tokens = count_prompt(&prompt).total;
        let output_max = prompt.output_tokens_max.unwrap_or(0);
        if tools::Study::spent(self).tokens() + tokens + output_max > self.room {
            return Err(Failure::Failed("the turn's budget of tokens leaves no room to think about it".to_owned()));
        }
        let counters = &self.house.counters;
        let (text, usage) = model_call::whole(model, prompt).await.map_err(|error| {
            counters.model_failed(RESEARCH, model.name(), Usage::default());
            Failure::Failed(self.house.redactor.redact(&error.to_string()).into_owned())
        })?;
        let counted = || Usage::of(tokens, model::count(&text));
        let usage = usage.unwrap_or_else(counted);
        counters.model_answered(RESEARCH, model.name(), usage);
        for total in [&self.own, self.aside.as_ref()] {
            let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
            *total = total.plus(usage);
        }
        Ok(self.house.redactor.redact(&text).into_owned())
    }
}

#[async_trait]
impl tools::Study for Study {
    async fn tell(&self, told: Research) {
        let redactor = &self.house.redactor;
        let told = match told {
            Research::Started(started) => redacted(redactor, &started).map(Research::Started),
            Research::Chunk(chunk) => redacted(redactor, &chunk).map(Research::Chunk),
            Research::Done(done) => redacted(redactor, &done).map(Research::Done),
        };
        if let Some(told) = told {
            self.reporter.tell(Report::Research(told)).await;
        }
    }

    fn can_think(&self) -> bool {
        !self.chain.is_empty()
    }

    async fn think(&self, thought: Thought) -> Result<String, Failure> {
        let redact = |text: &str| self.house.redactor.redact(text).into_owned();
        let mut failure = Failure::Failed("there is no language model to ask".to_owned());
        for model in &self.chain {
            let prompt = Prompt {
                system: redact(&thought.instructions),
                messages: vec![Message::user(redact(&thought.text))],
                tools: Vec::new(),
                choice: Choice::Free,
                known: Vec::new(),
                now: self.house.world.now(),
                output_tokens_max: Some(thought.tokens_max),
                settings: ModelSettings::default(),
            };
            match self.ask(model.as_ref(), prompt).await {
                Ok(text) => return Ok(text),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    fn spent(&self) -> Usage {
        *self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The same without secrets.
fn redacted<T: Serialize + DeserializeOwned>(redactor: &Redactor, told: &T) -> Option<T> {
    let value = serde_json::to_value(told).ok()?;
    serde_json::from_value(redactor.redact_json(value)).ok()
}
