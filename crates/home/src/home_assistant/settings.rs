//! Settings of the Home Assistant client.

use std::{fmt, str::FromStr, sync::Arc, time::Duration};

use protocol::Timestamp;
use secrecy::SecretString;
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::http::Uri;

use super::route::HomeRoute;

/// Settings of the client.
#[derive(Debug, Clone)]
pub struct HomeAssistantSettings {
    /// Its URL, as `http://homeassistant.local:8123`.
    pub url: String,
    /// A long-lived access token.
    pub token: SecretString,
    /// Whether only entities exposed to Home Assistant's own assistant are visible.
    pub exposed_only: bool,
    /// The timeouts.
    pub patience: Timeouts,
    /// The largest message accepted, in bytes.
    pub message_limit: usize,
    /// The source of the time.
    pub now: TimeSource,
    /// How Home Assistant is reached, if that changes; otherwise by a connection of this process.
    pub routes: Option<watch::Receiver<HomeRoute>>,
}

impl HomeAssistantSettings {
    /// The default settings.
    pub fn new(url: impl Into<String>, token: impl Into<SecretString>, now: TimeSource) -> Self {
        Self {
            url: url.into(),
            token: token.into(),
            exposed_only: true,
            patience: Timeouts::default(),
            message_limit: 64 << 20,
            now,
            routes: None,
        }
    }
}

/// Timeouts and intervals.
#[derive(Debug, Clone)]
pub struct Timeouts {
    /// For connecting and authenticating.
    pub connect: Duration,
    /// For the result of a query.
    pub answer: Duration,
    /// For the result of a service call; Home Assistant answers when the service has ended.
    pub call: Duration,
    /// Of silence, before a ping is sent.
    pub heartbeat: Duration,
    /// Before the first reconnect; it doubles with every attempt.
    pub first_pause: Duration,
    /// The longest wait between reconnects.
    pub longest_pause: Duration,
    /// Before a refused token is tried again.
    pub refused_pause: Duration,
    /// After a change of the registries, for further ones to come.
    pub settle: Duration,
    /// Until the registries are read again without a reported change.
    pub refresh: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            answer: Duration::from_secs(20),
            call: Duration::from_secs(30),
            heartbeat: Duration::from_secs(30),
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(30),
            refused_pause: Duration::from_secs(300),
            settle: Duration::from_millis(500),
            refresh: Duration::from_secs(600),
        }
    }
}

/// The source of the time.
#[derive(Clone)]
pub struct TimeSource(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl TimeSource {
    /// Uses this function.
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    pub(super) fn get(&self) -> Timestamp {
        (self.0)()
    }
}

impl fmt::Debug for TimeSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Now")
    }
}

/// Why the settings are invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The URL is invalid.
    #[error(
        "`{0}` is not the address of Home Assistant: write it as in the browser, such as \
         `http://homeassistant.local:8123`"
    )]
    NotAnAddress(String),
    /// The URL contains credentials.
    #[error("the address of Home Assistant contains a user name or a password: leave them out, the token is enough")]
    Credentials,
    /// The token is empty.
    #[error(
        "the token of Home Assistant is empty: create one in your profile there, on the page `Security` under \
         `Long-lived access tokens`"
    )]
    NoToken,
    /// The token contains invalid characters.
    #[error("the token of Home Assistant contains spaces or line breaks: copy it again")]
    BrokenToken,
}

/// Where an add-on reaches Home Assistant.
const SUPERVISOR: &str = "supervisor/core";

/// The address of the WebSocket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WebSocketAddress {
    pub(super) uri: Uri,
    /// For people: without the path of the WebSocket.
    pub(super) shown: String,
}

impl FromStr for WebSocketAddress {
    type Err = SettingsError;

    fn from_str(text: &str) -> Result<Self, SettingsError> {
        let text = text.trim();
        if text.split(['?', '#']).next().is_some_and(|text| text.contains('@')) {
            return Err(SettingsError::Credentials);
        }
        let wrong = || SettingsError::NotAnAddress(text.chars().take(200).collect());
        let base = text.trim_end_matches('/');
        let base = base.strip_suffix("/api/websocket").or_else(|| base.strip_suffix("/api")).unwrap_or(base);
        let (scheme, rest) = base.split_once("://").ok_or_else(wrong)?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" | "ws" => "ws",
            "https" | "wss" => "wss",
            _ => return Err(wrong()),
        };
        // For add-ons the Supervisor passes Home Assistant's WebSocket on, under another path.
        let path = if rest.eq_ignore_ascii_case(SUPERVISOR) { "/websocket" } else { "/api/websocket" };
        let uri: Uri = format!("{scheme}://{rest}{path}").parse().map_err(|_| wrong())?;
        let port_is_none = uri.port_u16().is_none();
        let ends_in_port = uri.authority().is_some_and(|authority| {
            authority.as_str().rsplit_once(']').map_or(authority.as_str(), |(_, port)| port).contains(':')
        });
        if uri.host().is_none_or(str::is_empty) || uri.query().is_some() || (ends_in_port && port_is_none) {
            return Err(wrong());
        }
        Ok(Self { uri, shown: base.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(text: &str) -> Result<String, SettingsError> {
        text.parse::<WebSocketAddress>().map(|address| address.uri.to_string())
    }

    #[test]
    fn the_address_is_the_one_of_the_browser() {
        for text in [
            "http://ha.local:8123",
            " http://ha.local:8123/ ",
            "ws://ha.local:8123/api/websocket",
            "HTTP://ha.local:8123/api",
        ] {
            assert_eq!(uri(text).unwrap(), "ws://ha.local:8123/api/websocket", "{text}");
        }
        assert_eq!(uri("https://home.example/ha/").unwrap(), "wss://home.example/ha/api/websocket");
        assert_eq!(uri("http://supervisor/core").unwrap(), "ws://supervisor/core/websocket");
        assert_eq!(uri("http://[::1]:8123").unwrap(), "ws://[::1]:8123/api/websocket");
    }

    #[test]
    fn an_address_that_is_none_is_refused_with_what_to_write() {
        for text in
            ["", "homeassistant.local:8123", "ftp://ha", "http://", "http://ha local", "http://ha:x", "http://ha?a=1"]
        {
            let error = uri(text).unwrap_err();
            assert!(error.to_string().contains("http://homeassistant.local:8123"), "{text}: {error}");
        }
    }

    #[test]
    fn a_password_in_the_address_is_refused_and_not_repeated() {
        let error = uri("http://me:hunter2@ha.local:8123").unwrap_err();
        assert_eq!(error, SettingsError::Credentials);
        assert!(!error.to_string().contains("hunter2"));
    }

    #[test]
    fn the_token_is_not_in_what_is_printed_of_the_settings() {
        let now = TimeSource::new(|| Timestamp::from_millis(0));
        let settings = HomeAssistantSettings::new("http://ha.local:8123", "very-secret-token", now);
        assert!(!format!("{settings:?} {settings:#?}").contains("very-secret-token"));
    }
}
