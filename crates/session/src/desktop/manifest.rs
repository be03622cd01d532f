//! App manifests, and whether a request to an app is allowed.

use std::collections::BTreeSet;

use protocol::{AppRequest, Manifest, Window, WindowId};
use subtle::ConstantTimeEq;

use super::json_bytes;
use crate::limits::{APP_COMMANDS_MAX, APP_NAME_CHARS_MAX, APP_VALUE_BYTES_MAX, MANIFEST_BYTES_MAX, STATE_KEYS_MAX};

/// Why a message from an app or a request to an app is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppFault {
    /// The window shows something else.
    #[error("window `{window_id}` shows no app")]
    NoApp {
        /// The window.
        window_id: WindowId,
    },
    /// The sender is not the app of that window.
    #[error("the message does not carry the token of the app in window `{window_id}`")]
    WrongToken {
        /// The window.
        window_id: WindowId,
    },
    /// The app has not been loaded by any page yet.
    #[error("the app in window `{window_id}` has not registered yet; try again shortly")]
    NotReady {
        /// The window.
        window_id: WindowId,
    },
    /// The app has no such state key.
    #[error("the app has no state key `{key}`; {}", listed("available:", there))]
    NoStateKey {
        /// The key that was asked for.
        key: String,
        /// The keys that exist.
        there: Vec<String>,
    },
    /// The app has no such command.
    #[error("the app has no command `{name}`; {}", listed("available:", there))]
    NoCommand {
        /// The command.
        name: String,
        /// The commands that exist.
        there: Vec<String>,
    },
    /// The arguments are too large.
    #[error("the arguments have {bytes} bytes; at most {APP_VALUE_BYTES_MAX} are allowed")]
    ArgumentsTooLarge {
        /// Size of the arguments.
        bytes: usize,
    },
    /// The manifest exceeds a limit.
    #[error("a manifest has at most {max} {what}, not {actual}")]
    ManifestTooLarge {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        max: usize,
        /// The actual number.
        actual: usize,
    },
    /// A name that is not allowed.
    #[error("a name in a manifest has 1 to {APP_NAME_CHARS_MAX} letters, digits, `_` and `-`, not `{name}`")]
    BadName {
        /// The beginning of the name.
        name: String,
    },
    /// A name is used twice.
    #[error("`{name}` is in the manifest twice")]
    NameTwice {
        /// The name.
        name: String,
    },
}

fn listed(before: &str, names: &[String]) -> String {
    if names.is_empty() { "its manifest lists none".to_owned() } else { format!("{before} `{}`", names.join("`, `")) }
}

/// Checks that the sender is the app of this window. Compares in constant time, so that timing does
/// not reveal how much of a wrong token is right.
pub(crate) fn check_token(window: &Window, token: &str) -> Result<(), AppFault> {
    let window_id = || window.window_id.clone();
    let app = window.app.as_ref().ok_or_else(|| AppFault::NoApp { window_id: window_id() })?;
    if bool::from(app.token.as_bytes().ct_eq(token.as_bytes())) {
        Ok(())
    } else {
        Err(AppFault::WrongToken { window_id: window_id() })
    }
}

/// Whether a manifest is within its limits.
pub(crate) fn check_manifest(manifest: &Manifest) -> Result<(), AppFault> {
    let limits = [
        ("bytes", MANIFEST_BYTES_MAX, json_bytes(manifest)),
        ("state keys", STATE_KEYS_MAX, manifest.state.len()),
        ("commands", APP_COMMANDS_MAX, manifest.commands.len()),
    ];
    if let Some((what, max, actual)) = limits.into_iter().find(|(_, max, actual)| actual > max) {
        return Err(AppFault::ManifestTooLarge { what, max, actual });
    }
    check_names(manifest.state.iter().map(|state| state.key.as_str()))?;
    check_names(manifest.commands.iter().map(|command| command.name.as_str()))
}

fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), AppFault> {
    let mut seen = BTreeSet::new();
    for name in names {
        let is_plain = name.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-'));
        if !is_plain || name.is_empty() || name.len() > APP_NAME_CHARS_MAX {
            return Err(AppFault::BadName { name: name.chars().take(APP_NAME_CHARS_MAX).collect() });
        }
        if !seen.insert(name) {
            return Err(AppFault::NameTwice { name: name.to_owned() });
        }
    }
    Ok(())
}

/// Checks that the app of a window supports this request.
pub(crate) fn check_request(window: &Window, request: &AppRequest) -> Result<(), AppFault> {
    let window_id = || window.window_id.clone();
    let app = window.app.as_ref().ok_or_else(|| AppFault::NoApp { window_id: window_id() })?;
    let manifest = app.manifest.as_ref().ok_or_else(|| AppFault::NotReady { window_id: window_id() })?;
    match request {
        AppRequest::Query { key } if manifest.state.iter().any(|state| state.key == *key) => Ok(()),
        AppRequest::Query { key } => Err(AppFault::NoStateKey {
            key: shorten(key),
            there: manifest.state.iter().map(|state| state.key.clone()).collect(),
        }),
        AppRequest::Command(command) if manifest.commands.iter().any(|spec| spec.name == command.name) => {
            let bytes = json_bytes(&command.arguments);
            if bytes > APP_VALUE_BYTES_MAX { Err(AppFault::ArgumentsTooLarge { bytes }) } else { Ok(()) }
        }
        AppRequest::Command(command) => Err(AppFault::NoCommand {
            name: shorten(&command.name),
            there: manifest.commands.iter().map(|spec| spec.name.clone()).collect(),
        }),
    }
}

fn shorten(name: &str) -> String {
    name.chars().take(APP_NAME_CHARS_MAX).collect()
}
