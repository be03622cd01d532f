//! Apps in windows: what they can be asked, and what they answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{AppRequestId, SessionRef, Timestamp, WindowId};

/// What an app says of itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Manifest {
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What can be asked of its state.
    pub state: Vec<StateKey>,
    /// What it can be told to do.
    pub commands: Vec<CommandSpec>,
}

/// Something that can be asked of an app's state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateKey {
    /// Its name.
    pub key: String,
    /// What it is.
    #[serde(default)]
    pub description: String,
}

/// What a command leaves behind, so that it can be done again when the app is loaded anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// Nothing.
    #[default]
    Nothing,
    /// It takes the place of the last one of the same name (and of the same `slot`).
    Last,
    /// It comes after all others.
    All,
    /// It makes all others void.
    Clear,
    /// It makes those of the same `slot` void.
    ClearSlot,
}

/// Something an app can be told to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of its arguments.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    /// What it leaves behind.
    #[serde(default)]
    pub keep: Keep,
    /// The argument that tells one thing it is about from another, as in the id of a note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
}

/// A command with its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppCommand {
    /// Its name.
    pub name: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Value,
}

/// The app in a window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppRegistered {
    /// What its messages have to carry.
    pub token: String,
    /// What it says of itself, once it is ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Manifest>,
    /// What brings it back to where it was after it was loaded anew.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restore: Vec<AppCommand>,
}

/// What an app is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AppRequest {
    /// How does this stand?
    Query {
        /// What of its state.
        key: String,
    },
    /// Do this.
    Command(AppCommand),
}

/// An app is asked something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppRequested {
    /// The id that the answer has to carry.
    pub request_id: AppRequestId,
    /// The app's window.
    pub window_id: WindowId,
    /// What it is asked.
    pub request: AppRequest,
    /// How long an answer is waited for.
    pub expires_at: Timestamp,
}

/// What came of asking an app.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AppOutcome {
    /// It answered.
    Ok(Value),
    /// It could not do it.
    Error(String),
    /// It did not answer in time.
    TimedOut,
    /// Its window was closed, or the turn that asked has ended.
    Gone,
}

/// An app has answered, or has not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppAnswered {
    /// Which request.
    pub request_id: AppRequestId,
    /// The app's window.
    pub window_id: WindowId,
    /// What came of it.
    pub outcome: AppOutcome,
}

/// `app.ready`: an app has been loaded and says what it can do. Answered by what brings it back to where it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppReady {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Its window.
    pub window_id: WindowId,
    /// The window's token.
    pub token: String,
    /// What it says of itself.
    pub manifest: Manifest,
}

/// An app has said what it can do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppManifest {
    /// Its window.
    pub window_id: WindowId,
    /// What it says of itself.
    pub manifest: Manifest,
}

/// The answer to `app.ready`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppReadyAnswer {
    /// What brings the app back to where it was, in order.
    pub restore: Vec<AppCommand>,
    /// What it has been asked and has not answered.
    pub requests: Vec<AppRequested>,
}

/// `app.response`: what an app answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppResponse {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Its window.
    pub window_id: WindowId,
    /// The window's token.
    pub token: String,
    /// Which request.
    pub request_id: AppRequestId,
    /// What it answers.
    #[serde(default)]
    pub value: Value,
    /// Why it could not do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
