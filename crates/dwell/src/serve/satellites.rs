//! The channel by which alerts reach the voice satellite that they were ordered from.

use alert::spoken;
use async_trait::async_trait;
use home::{AnnounceError, HomeSpeakers};
use ports::{AlertChannel, DeliveryFailure};
use protocol::{Alert, AlertKind, OwnerId, Timestamp};
use server::{SatelliteSpeakers, SpeakError};

/// The name of the channel, which no configured channel may have.
pub(super) const NAME: &str = "satellite";
/// What is spoken: what was ordered for that moment.
const KINDS: [AlertKind; 3] = [AlertKind::Reminder, AlertKind::Timer, AlertKind::Answer];

/// Speaks at satellites, at most once: a satellite does not recognise a repetition.
pub(super) struct SatelliteChannel {
    /// The owner of what is said at satellites. Other owners can name a satellite in a preference,
    /// but not speak there.
    pub(super) owner: OwnerId,
    /// The satellites that Dwell is connected to.
    pub(super) speakers: SatelliteSpeakers,
    /// The language that is spoken where neither session nor satellite name one.
    pub(super) language: Option<String>,
    /// The satellites of Home Assistant.
    pub(super) home: Option<HomeSpeakers>,
}

#[async_trait]
impl AlertChannel for SatelliteChannel {
    fn name(&self) -> &str {
        NAME
    }

    fn takes(&self, owner: &OwnerId, kind: AlertKind) -> bool {
        *owner == self.owner && KINDS.contains(&kind)
    }

    fn suits(&self, alert: &Alert) -> bool {
        alert.satellite.as_deref().is_some_and(|name| {
            self.speakers.has(name) || (self.home.is_some() && HomeSpeakers::satellite(name).is_some())
        })
    }

    fn is_present(&self) -> bool {
        true
    }

    /// A timer rings where it was set, also while a page is open elsewhere.
    fn is_always(&self) -> bool {
        true
    }

    fn is_idempotent(&self) -> bool {
        false
    }

    /// It was ordered aloud, for this moment.
    fn quiet_until(&self, _: &Alert, _: Timestamp) -> Option<Timestamp> {
        None
    }

    async fn deliver(&self, _: &OwnerId, alert: &Alert) -> Result<(), DeliveryFailure> {
        let name = alert.satellite.as_deref().unwrap_or_default();
        let language = alert.language.clone().or_else(|| self.language.clone());
        let text = spoken(alert, language.as_deref());
        if self.speakers.has(name) {
            let timer = alert.schedule_id.filter(|_| alert.kind == AlertKind::Timer);
            // Without a language of the session the satellite's own is the voice's.
            let spoken = self.speakers.speak(name, timer, text, alert.language.clone()).await;
            return spoken.map_err(|error| match error {
                SpeakError::NotSpoken(message) => DeliveryFailure::Refused { message },
                SpeakError::Unknown(message) => DeliveryFailure::Unknown { message },
            });
        }
        let Some((home, satellite)) = self.home.as_ref().zip(HomeSpeakers::satellite(name)) else {
            return Err(DeliveryFailure::Refused { message: format!("there is no satellite `{name}`") });
        };
        home.announce(&satellite, &text).await.map_err(|error| match error {
            AnnounceError::NotSpoken(message) => DeliveryFailure::Refused { message },
            AnnounceError::Unknown(message) => DeliveryFailure::Unknown { message },
        })
    }
}
