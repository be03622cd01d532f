//! Channels against real local servers: a receiver of requests, a mail server, a push service.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod email;
mod ntfy;
mod receiver;
mod settings;
mod smtp_server;
mod web_push;
mod webhook;

use std::{path::PathBuf, sync::Arc};

use alert::{ChannelDeclaration, FileSubscriptions, LoadParts, LoadedChannels, SettingError};
use ports::AlertChannel;
use protocol::{Alert, AlertId, AlertKind, OwnerId, SessionId, Timestamp};
use secrecy::SecretString;

/// The time of all tests.
const NOW: i64 = 1_790_000_000_000;

fn now() -> Timestamp {
    Timestamp::from_millis(NOW)
}

fn owner() -> OwnerId {
    "ada".parse().unwrap()
}

fn alert(kind: AlertKind) -> Alert {
    Alert {
        alert_id: AlertId::from_bytes([7; 16]),
        session_id: SessionId::from_bytes([1; 16]),
        at: Timestamp::from_millis(NOW - 1000),
        kind,
        title: "Take the pizza out – now".to_owned(),
        text: "You asked for it at 18:20.\n.\nZweite Zeile: Käse!".to_owned(),
        turn_id: None,
        approval_id: None,
        schedule_id: None,
        satellite: None,
        language: None,
    }
}

/// Loads the channels of a configuration file. Variables of the environment have the value
/// `value-of-NAME`, unless their name begins with `NO`.
fn load(file: &str, subscriptions: impl Into<PathBuf>) -> Result<LoadedChannels, String> {
    let mut table: toml::Table = file.parse().unwrap();
    let alerts = table.remove("alerts").unwrap();
    let declared: Vec<ChannelDeclaration> =
        alerts["channels"].clone().try_into().map_err(|error: toml::de::Error| error.to_string())?;
    let variable = |name: &str| (!name.starts_with("NO")).then(|| SecretString::from(format!("value-of-{name}")));
    let parts = LoadParts {
        clock: Arc::new(now),
        variable: &variable,
        home: &|asked| Err(("service", format!("is of no home: {asked:?}"))),
        subscriptions: Arc::new(FileSubscriptions::new(subscriptions)),
    };
    alert::load(&declared, &parts).map_err(|error: SettingError| error.to_string())
}

/// The only channel of a configuration file.
fn channel(file: &str) -> Arc<dyn AlertChannel> {
    load(file, "nowhere").unwrap().channels.remove(0)
}
