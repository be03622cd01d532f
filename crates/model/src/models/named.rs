//! A model by its name, looked up each time it is asked: for those who keep it longer than what is known of it holds.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;

use super::Models;
use crate::{Chunks, Error, Model, Prompt, Traits};

/// What is assumed of a model that cannot be found at the moment.
const CONTEXT_UNKNOWN: u64 = 8_192;

struct Named {
    models: Arc<Models>,
    asked: Option<String>,
    /// The whole name, once it was found.
    name: OnceLock<String>,
}

impl Models {
    /// The model of that name, or the default one, looked up each time it is asked.
    pub fn by_name(self: &Arc<Self>, asked: Option<&str>) -> Arc<dyn Model> {
        let asked = asked.filter(|name| !name.is_empty()).map(str::to_owned);
        Arc::new(Named { models: self.clone(), asked, name: OnceLock::new() })
    }
}

impl Named {
    fn find(&self) -> Result<Arc<dyn Model>, Error> {
        let chain = self.models.find(self.asked.as_deref())?;
        let first = chain.into_iter().next();
        let missing = || Error::UnknownModel { model: self.asked.clone().unwrap_or_default(), hint: String::new() };
        first.ok_or_else(missing)
    }
}

#[async_trait]
impl Model for Named {
    fn name(&self) -> &str {
        let asked = self.asked.as_deref().unwrap_or_default();
        self.name.get().map_or(asked, String::as_str)
    }

    fn traits(&self) -> Traits {
        self.find().map_or(Traits::of_context(CONTEXT_UNKNOWN), |model| model.traits())
    }

    fn takes_choice(&self) -> bool {
        self.find().is_ok_and(|model| model.takes_choice())
    }

    async fn stream(&self, prompt: Prompt) -> Result<Chunks, Error> {
        self.models.ready(self.asked.as_deref(), prompt.now).await;
        let model = self.find()?;
        let _ = self.name.set(model.name().to_owned());
        model.stream(prompt).await
    }
}
