//! The models there are: asked for in the background, shown, and checked when one is named.

use std::time::Duration;

use model::Overrides;
use protocol::ModelPage;

use super::{House, Hub};
use crate::Error;

/// How often it is looked whether a provider is due to be asked.
const LOOK_EVERY: Duration = Duration::from_secs(15);

/// Asks all providers what they have, opens a connection to the default one, and asks again when answers grow old. Nothing
/// waits for it, but a turn that comes before the first answer.
pub(super) async fn keep_asking(house: &House) {
    if !house.models.has_providers() {
        return;
    }
    house.models.ask_due(house.world.now()).await;
    // Where nothing was due to be asked, there is no connection yet.
    house.models.warm().await;
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        house.models.ask_due(house.world.now()).await;
    }
}

impl Hub {
    /// The name of the model that answers in a session with this setting.
    pub fn model_name(&self, setting: Option<&str>) -> String {
        self.house().models.name(setting)
    }

    /// The names of the models there are, the one that answers unless told first.
    pub async fn models(&self) -> Vec<String> {
        let house = self.house();
        house.models.ready_all(house.world.now()).await;
        house.models.names()
    }

    /// Refuses a model that nothing answers to. No name is the default one.
    pub async fn check_model_name(&self, asked: Option<&str>) -> Result<(), Error> {
        self.check_model(asked, None).await
    }

    /// The models there are and what is known of them.
    pub async fn model_page(&self) -> ModelPage {
        let house = self.house();
        house.models.ready_all(house.world.now()).await;
        house.models.page()
    }

    /// The same after every provider was asked again.
    pub async fn refresh_models(&self) -> ModelPage {
        let house = self.house();
        house.models.refresh(house.world.now()).await;
        house.models.page()
    }

    /// Refuses a model that nothing answers to, while the client that asks for it is there to correct it, and figures that
    /// cannot be.
    pub(super) async fn check_model(&self, asked: Option<&str>, set: Option<&Overrides>) -> Result<(), Error> {
        let house = self.house();
        if let Some(set) = set {
            let checked = house.models.check_overrides(set);
            checked.map_err(|wrong| Error::Invalid(format!("`model_overrides` is wrong: {wrong}")))?;
        }
        let Some(asked) = asked else { return Ok(()) };
        house.models.ready(Some(asked), house.world.now()).await;
        let nothing = Overrides::default();
        match house.models.find_in(Some(asked), set.unwrap_or(&nothing), None) {
            Ok(_) => Ok(()),
            Err(error) => Err(Error::UnknownModel(error.to_string())),
        }
    }
}
