//! Sentences that satellites of Home Assistant speak (`assist_satellite.announce`). Home Assistant
//! keeps no connection to Dwell between two sentences, so that this is the way back to them.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value};

use crate::{
    alerts::ANNOUNCE,
    port::{EntityId, EntityState, HomeError, HomePort, ServiceCall},
};

/// The state of a satellite at which nothing is said.
const IDLE: &str = "idle";
/// How long a sentence at the satellite may go on before this one is given up.
const SENTENCE_MAX: Duration = Duration::from_secs(30);

/// Why a sentence was not spoken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnnounceError {
    /// Nothing was heard.
    #[error("{0}")]
    NotSpoken(String),
    /// It is unknown whether it was heard.
    #[error("{0}")]
    Unknown(String),
}

/// Has sentences spoken by satellites of Home Assistant.
#[derive(Clone)]
pub struct HomeSpeakers {
    home_port: Arc<dyn HomePort>,
}

impl HomeSpeakers {
    /// The speakers of a home.
    pub fn new(home_port: Arc<dyn HomePort>) -> Self {
        Self { home_port }
    }

    /// The satellite of this name, if it is one of Home Assistant's.
    pub fn satellite(name: &str) -> Option<EntityId> {
        name.parse::<EntityId>().ok().filter(|entity| entity.domain() == ANNOUNCE.0)
    }

    /// Has a sentence spoken, once no other is under way there.
    pub async fn announce(&self, satellite: &EntityId, text: &str) -> Result<(), AnnounceError> {
        let not_spoken = |why: &str| AnnounceError::NotSpoken(format!("`{satellite}` {why}"));
        let index = self.home_port.index();
        // Home Assistant leaves out satellites that are away, and reports no error. A satellite
        // that is not shown to Dwell has no state here, and may be there.
        let is_away = |state: &EntityState| state.state == EntityState::UNAVAILABLE;
        if index.state(satellite).is_some_and(|state| is_away(&state)) {
            return Err(not_spoken("is not available"));
        }
        let is_free = |index: &crate::HomeIndex| index.state(satellite).is_none_or(|state| state.state == IDLE);
        if !index.wait_until(SENTENCE_MAX, is_free).await {
            return Err(not_spoken("is in the middle of a sentence"));
        }
        let call = ServiceCall {
            domain: ANNOUNCE.0.to_owned(),
            service: ANNOUNCE.1.to_owned(),
            entities: vec![satellite.clone()],
            data: Map::from_iter([("message".to_owned(), Value::from(text))]),
            wants_response: false,
        };
        self.home_port.call(&call).await.map(drop).map_err(|error| {
            let message = format!("`{satellite}`: {error}");
            match error {
                HomeError::Lost(_) => AnnounceError::Unknown(message),
                _ => AnnounceError::NotSpoken(message),
            }
        })
    }
}
