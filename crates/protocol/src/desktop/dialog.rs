//! Toasts, notifications, dialogs and prompts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Component, Tone};
use crate::{DialogId, MonitorId, SessionRef, SettledBy, Timestamp, ToastId, TurnId, WindowId};

/// A toast: a short message that disappears by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Toast {
    /// Id of the toast.
    pub toast_id: ToastId,
    /// The text.
    pub text: String,
    /// Tone of the message. Default: `plain`.
    #[serde(default)]
    pub level: Tone,
    /// A button on the toast.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button: Option<ToastButton>,
    /// The turn whose actions were replayed from the cache, if the toast reports this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<TurnId>,
}

/// Action of a toast's button: the replayed actions were wrong.
pub const DIDNT_WORK: &str = "didnt_work";

/// A button on a toast.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToastButton {
    /// Label of the button.
    pub label: String,
    /// Name of the action. `didnt_work` reports that a replay was wrong.
    pub action: String,
}

/// A notification: a message that stays until the user dismisses it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notification {
    /// Id of the notification.
    pub toast_id: ToastId,
    /// The title.
    pub title: String,
    /// The text.
    #[serde(default)]
    pub text: String,
    /// Tone of the message. Default: `plain`.
    #[serde(default)]
    pub level: Tone,
}

/// A choice of a dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DialogChoice {
    /// Value of the choice in the answer.
    pub value: String,
    /// Label of the choice.
    pub label: String,
}

/// How a dialog is answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DialogForm {
    /// The user chooses one of these.
    Choices(Vec<DialogChoice>),
    /// The user fills in these fields.
    Fields(Vec<Component>),
}

/// A question to the user. The turn waits for the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dialog {
    /// Id of the dialog.
    pub dialog_id: DialogId,
    /// The turn that asks.
    pub turn_id: TurnId,
    /// The monitor of the dialog. Default: `main`.
    #[serde(default, skip_serializing_if = "MonitorId::is_primary")]
    pub monitor_id: MonitorId,
    /// The window that the dialog is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<WindowId>,
    /// The title.
    pub title: String,
    /// The question.
    #[serde(default)]
    pub text: String,
    /// How the dialog is answered.
    pub form: DialogForm,
    /// When the dialog expires. Without an answer it is `unanswered` then.
    pub expires_at: Timestamp,
}

/// The answer to a dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DialogAnswer {
    /// Value of the chosen choice.
    Chosen(String),
    /// Values of the fields, by name.
    Filled(BTreeMap<String, String>),
    /// The user dismissed the dialog.
    Dismissed,
    /// No answer came in time.
    Unanswered,
}

/// An answered dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DialogAnswered {
    /// Id of the dialog.
    pub dialog_id: DialogId,
    /// The answer.
    pub answer: DialogAnswer,
    /// How the dialog was settled.
    pub by: SettledBy,
}

/// `dialog.answer`: answers a dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DialogReply {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Id of the dialog.
    pub dialog_id: DialogId,
    /// Value of the choice. If absent, the dialog is dismissed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
}

/// `prompt.answer`: answers a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptReply {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Id of the prompt.
    pub dialog_id: DialogId,
    /// Values of the fields, by name. If absent, the prompt is dismissed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<BTreeMap<String, String>>,
}

/// `toast.action`: what the user did with a toast or a notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToastAction {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Id of the toast or notification.
    pub toast_id: ToastId,
    /// `dismiss`, or the action of its button.
    pub action: String,
}

/// What the user did with a toast or a notification. It is no longer shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToastActed {
    /// Id of the toast or notification.
    pub toast_id: ToastId,
    /// `dismiss`, or the action of its button.
    pub action: String,
    /// With `didnt_work`: the turn whose actions are no longer replayed from the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<TurnId>,
}
