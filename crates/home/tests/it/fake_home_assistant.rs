//! Clients of a fake of Home Assistant, with the timeouts of a test.

use std::{sync::Arc, time::Duration};

use home::{HomeAssistantClient, HomeAssistantSettings, TimeSource, Timeouts};
use protocol::Timestamp;
pub(crate) use testkit::{FakeHomeAssistant, FakeReply, HOME_TOKEN as TOKEN};

/// What a test needs of the fake besides.
pub(crate) trait FakeClient {
    /// Settings with short timeouts.
    fn settings(&self) -> HomeAssistantSettings;

    /// A client that has read everything.
    async fn client(&self) -> Arc<HomeAssistantClient>;
}

impl FakeClient for FakeHomeAssistant {
    fn settings(&self) -> HomeAssistantSettings {
        let millis = Duration::from_millis;
        let mut settings = HomeAssistantSettings::new(&self.url, TOKEN, TimeSource::new(|| Timestamp::from_millis(0)));
        settings.patience =
            Timeouts { first_pause: millis(20), longest_pause: millis(100), settle: millis(50), ..Timeouts::default() };
        settings
    }

    async fn client(&self) -> Arc<HomeAssistantClient> {
        let client = HomeAssistantClient::connect(self.settings()).unwrap();
        client.ready(LONG).await.unwrap();
        client
    }
}

/// A timeout longer than anything takes.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// Waits for a condition.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = tokio::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
