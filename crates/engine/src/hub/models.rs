//! The available models: discovered in the background, listed, and checked when one is named.

use std::time::Duration;

use model::{ModelChoice, Overrides};
use protocol::ModelPage;

use super::{Hub, Services};
use crate::Error;

/// How often to check whether a provider is due for discovery.
const LOOK_EVERY: Duration = Duration::from_secs(15);

/// Asks all providers for their models, opens a connection to the default one, and asks again when
/// answers become stale. Only a turn that comes before the first answer waits for it.
pub(super) async fn keep_asking(services: &Services) {
    if services.models.has_providers() {
        services.models.ask_due(services.world.now()).await;
        // If no provider was due, there is no connection yet.
        services.models.warm().await;
    }
    // A provider may be set up while the server runs.
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        services.models.ask_due(services.world.now()).await;
    }
}

impl Hub {
    /// The name of the model that answers in a session with this setting.
    pub fn model_name(&self, setting: Option<&str>) -> String {
        self.services().models.name(setting)
    }

    /// The names of the available models, the default one first.
    pub async fn models(&self) -> Vec<String> {
        let services = self.services();
        services.models.ready_all(services.world.now()).await;
        services.models.names()
    }

    /// Refuses an unknown model name. No name means the default model.
    pub async fn check_model_name(&self, asked: Option<&str>) -> Result<(), Error> {
        self.check_model(asked, None).await
    }

    /// The available models and what is known about them.
    pub async fn model_page(&self) -> ModelPage {
        let services = self.services();
        services.models.ready_all(services.world.now()).await;
        services.models.page()
    }

    /// The same after every provider was asked again.
    pub async fn refresh_models(&self) -> ModelPage {
        let services = self.services();
        services.models.refresh(services.world.now()).await;
        services.models.page()
    }

    /// Replaces the providers and the models that answer, from the next turn on. Their keys are
    /// removed from every text from now on.
    pub fn replace_models(&self, choice: ModelChoice) -> Result<(), Error> {
        let services = self.services();
        for provider in &choice.providers {
            if let Some(key) = &provider.api_key {
                services.redactor.add(key.clone());
            }
        }
        services.models.replace(choice).map_err(|error| Error::Invalid(error.to_string()))
    }

    /// Refuses an unknown model and invalid figures, while the client is still there to correct
    /// them.
    pub(super) async fn check_model(&self, asked: Option<&str>, set: Option<&Overrides>) -> Result<(), Error> {
        let services = self.services();
        if let Some(set) = set {
            let checked = services.models.check_overrides(set);
            checked.map_err(|wrong| Error::Invalid(format!("`model_overrides` is wrong: {wrong}")))?;
        }
        let Some(asked) = asked else { return Ok(()) };
        services.models.ready(Some(asked), services.world.now()).await;
        let nothing = Overrides::default();
        match services.models.find_in(Some(asked), set.unwrap_or(&nothing), None) {
            Ok(_) => Ok(()),
            Err(error) => Err(Error::UnknownModel(error.to_string())),
        }
    }
}
