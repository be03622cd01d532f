//! Apps in windows: their capabilities, requests to them and their answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{AppRequestId, SessionRef, Timestamp, WindowId};

/// Capabilities of an app, as declared by the app.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Manifest {
    /// Name of the app.
    pub name: String,
    /// What the app is for.
    pub description: String,
    /// Parts of the state that can be queried.
    pub state: Vec<StateKey>,
    /// The commands that the app supports.
    pub commands: Vec<CommandSpec>,
}

/// A part of an app's state that can be queried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateKey {
    /// Name of the part.
    pub key: String,
    /// What it holds.
    #[serde(default)]
    pub description: String,
}

/// How a command is recorded. The recorded commands are replayed when the app is loaded again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplayMode {
    /// It is not recorded.
    #[default]
    Nothing,
    /// It replaces the last recorded command with the same name and the same value of `slot`.
    Last,
    /// It is appended to the recorded commands.
    All,
    /// It removes all recorded commands.
    Clear,
    /// It removes the recorded commands with the same value of `slot`.
    ClearSlot,
}

/// A command that an app supports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandSpec {
    /// Name of the command.
    pub name: String,
    /// What the command does.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of the arguments.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    /// How the command is recorded. Default: `nothing`.
    #[serde(default)]
    pub keep: ReplayMode,
    /// The argument that identifies the object of the command, for example the id of a note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
}

/// A command with its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppCommand {
    /// Name of the command.
    pub name: String,
    /// Arguments of the command.
    #[serde(default)]
    pub arguments: Value,
}

/// The app in a window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppRegistered {
    /// The token that the app's messages must carry.
    pub token: String,
    /// Capabilities of the app, once it has declared them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Manifest>,
    /// Commands that restore the app's state after it was loaded again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restore: Vec<AppCommand>,
}

/// A request to an app.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AppRequest {
    /// Reads a part of the state.
    Query {
        /// Name of the part.
        key: String,
    },
    /// Runs a command.
    Command(AppCommand),
}

/// A request to an app in a window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppRequested {
    /// Id of the request. The answer repeats it.
    pub request_id: AppRequestId,
    /// The app's window.
    pub window_id: WindowId,
    /// The request.
    pub request: AppRequest,
    /// Deadline for the answer.
    pub expires_at: Timestamp,
}

/// Outcome of a request to an app.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AppOutcome {
    /// The app's result.
    Ok(Value),
    /// The app's error message.
    Error(String),
    /// The app did not answer in time.
    TimedOut,
    /// The window was closed, or the turn that made the request ended.
    Gone,
}

/// The outcome of a request to an app.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppAnswered {
    /// Id of the request.
    pub request_id: AppRequestId,
    /// The app's window.
    pub window_id: WindowId,
    /// The outcome.
    pub outcome: AppOutcome,
}

/// `app.ready`: declares that an app is loaded, and its capabilities. The answer restores the app's
/// earlier state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppReady {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The app's window.
    pub window_id: WindowId,
    /// Token of the app.
    pub token: String,
    /// Capabilities of the app.
    pub manifest: Manifest,
}

/// Capabilities that an app declared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppManifest {
    /// The app's window.
    pub window_id: WindowId,
    /// Capabilities of the app.
    pub manifest: Manifest,
}

/// The answer to `app.ready`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppReadyAnswer {
    /// Commands that restore the app's state, in order.
    pub restore: Vec<AppCommand>,
    /// Requests that the app has not answered yet.
    pub requests: Vec<AppRequested>,
}

/// `app.response`: an app's answer to a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppResponse {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The app's window.
    pub window_id: WindowId,
    /// Token of the app.
    pub token: String,
    /// Id of the request.
    pub request_id: AppRequestId,
    /// The result.
    #[serde(default)]
    pub value: Value,
    /// The error message, if the request failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
