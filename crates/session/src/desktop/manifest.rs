//! What apps say of themselves, and whether something can be asked of them.

use std::collections::BTreeSet;

use protocol::{AppRequest, Manifest, Window, WindowId};
use subtle::ConstantTimeEq;

use super::json_bytes;
use crate::limits::{APP_COMMANDS_MAX, APP_NAME_CHARS_MAX, APP_VALUE_BYTES_MAX, MANIFEST_BYTES_MAX, STATE_KEYS_MAX};

/// Why an app is not heard, or not asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppFault {
    /// The window shows something else.
    #[error("window `{window_id}` holds no app")]
    NoApp {
        /// Which.
        window_id: WindowId,
    },
    /// Whoever speaks is not the app of that window.
    #[error("the message does not carry the token of the app in window `{window_id}`")]
    WrongToken {
        /// Which.
        window_id: WindowId,
    },
    /// It has not been loaded anywhere yet.
    #[error("the app in window `{window_id}` has not said yet what it can do; try again shortly")]
    NotReady {
        /// Which.
        window_id: WindowId,
    },
    /// There is no such thing to ask.
    #[error("the app cannot be asked for `{key}`; {}", listed("it can be asked for", there))]
    NoStateKey {
        /// What was asked.
        key: String,
        /// What can be.
        there: Vec<String>,
    },
    /// There is no such thing to do.
    #[error("the app cannot be told to `{name}`; {}", listed("it can be told to", there))]
    NoCommand {
        /// What was told.
        name: String,
        /// What can be.
        there: Vec<String>,
    },
    /// Too much is told to an app.
    #[error("the arguments have {bytes} bytes; at most {APP_VALUE_BYTES_MAX} are passed on")]
    ArgumentsTooLarge {
        /// How much.
        bytes: usize,
    },
    /// An app says too much of itself.
    #[error("a manifest has at most {max} {what}, not {actual}")]
    ManifestTooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much is allowed.
        max: usize,
        /// How much it is.
        actual: usize,
    },
    /// Not a usable name.
    #[error("a name in a manifest has 1 to {APP_NAME_CHARS_MAX} letters, digits, `_` and `-`, not `{name}`")]
    BadName {
        /// The beginning of it.
        name: String,
    },
    /// A name for two things.
    #[error("`{name}` is in the manifest twice")]
    NameTwice {
        /// Which.
        name: String,
    },
}

fn listed(before: &str, names: &[String]) -> String {
    if names.is_empty() {
        "its manifest names nothing".to_owned()
    } else {
        format!("{before} `{}`", names.join("`, `"))
    }
}

/// Whether whoever speaks is the app of this window. How much of a wrong token is right cannot be told from the time it takes.
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

/// Whether the app of a window can be asked this.
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
