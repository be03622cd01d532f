//! A model that is looked up by its name at each call, for callers that keep it for long.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;

use super::Models;
use crate::{Chunks, Error, Model, Prompt, Traits};

/// The assumed context window while the model cannot be found.
const CONTEXT_UNKNOWN: u64 = 8_192;

struct NamedModel {
    models: Arc<Models>,
    asked: Option<String>,
    /// The full name, once it was found.
    name: OnceLock<String>,
}

impl Models {
    /// The model of that name, or the default one, looked up at each call.
    pub fn by_name(self: &Arc<Self>, asked: Option<&str>) -> Arc<dyn Model> {
        let asked = asked.filter(|name| !name.is_empty()).map(str::to_owned);
        Arc::new(NamedModel { models: self.clone(), asked, name: OnceLock::new() })
    }
}

impl NamedModel {
    fn find(&self) -> Result<Arc<dyn Model>, Error> {
        let chain = self.models.find(self.asked.as_deref())?;
        let first = chain.into_iter().next();
        let missing = || Error::UnknownModel { model: self.asked.clone().unwrap_or_default(), hint: String::new() };
        first.ok_or_else(missing)
    }
}

#[async_trait]
impl Model for NamedModel {
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
