//! What is announced to the user, and what the user is asked.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Component, Tone};
use crate::{DialogId, MonitorId, SessionRef, SettledBy, Timestamp, ToastId, TurnId, WindowId};

/// Something said in passing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Toast {
    /// Its id.
    pub toast_id: ToastId,
    /// The words.
    pub text: String,
    /// How it is meant.
    #[serde(default)]
    pub level: Tone,
    /// What can be pressed on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button: Option<ToastButton>,
    /// The turn that was done once more by rote, if that is what it tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<TurnId>,
}

/// What is pressed on a toast to say that what was done by rote was wrong.
pub const DIDNT_WORK: &str = "didnt_work";

/// What can be pressed on a toast.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToastButton {
    /// What stands on it.
    pub label: String,
    /// What pressing it is called: `didnt_work` says that a replay was wrong.
    pub action: String,
}

/// Something said that stays until it is dismissed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notification {
    /// Its id.
    pub toast_id: ToastId,
    /// What stands above it.
    pub title: String,
    /// The words.
    #[serde(default)]
    pub text: String,
    /// How it is meant.
    #[serde(default)]
    pub level: Tone,
}

/// Something that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// What the choice is called.
    pub value: String,
    /// What stands there.
    pub label: String,
}

/// How an answer is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DialogForm {
    /// By choosing one of these.
    Choices(Vec<Choice>),
    /// By filling these in.
    Fields(Vec<Component>),
}

/// A question to the user. The turn that asks waits for the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dialog {
    /// Its id.
    pub dialog_id: DialogId,
    /// The turn that asks.
    pub turn_id: TurnId,
    /// The monitor it is on.
    #[serde(default, skip_serializing_if = "MonitorId::is_primary")]
    pub monitor_id: MonitorId,
    /// The window it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<WindowId>,
    /// What stands above it.
    pub title: String,
    /// The question.
    #[serde(default)]
    pub text: String,
    /// How it is answered.
    pub form: DialogForm,
    /// When silence becomes an answer.
    pub expires_at: Timestamp,
}

/// What the user answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DialogAnswer {
    /// This was chosen.
    Chosen(String),
    /// This was filled in.
    Filled(BTreeMap<String, String>),
    /// The question was waved away.
    Dismissed,
    /// Nobody has answered in time.
    Unanswered,
}

/// A question is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DialogAnswered {
    /// Which.
    pub dialog_id: DialogId,
    /// How.
    pub answer: DialogAnswer,
    /// By whom.
    pub by: SettledBy,
}

/// `dialog.answer`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DialogReply {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Which question.
    pub dialog_id: DialogId,
    /// What is chosen; none waves the question away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
}

/// `prompt.answer`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptReply {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Which question.
    pub dialog_id: DialogId,
    /// What is filled in, by name; none waves the question away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<BTreeMap<String, String>>,
}

/// `toast.action`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToastAction {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// Which toast or notification.
    pub toast_id: ToastId,
    /// `dismiss`, or the action of its button.
    pub action: String,
}

/// Somebody did something with a toast; it is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToastActed {
    /// Which toast or notification.
    pub toast_id: ToastId,
    /// What was done.
    pub action: String,
    /// With `didnt_work`: the turn that is not done by rote any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<TurnId>,
}
