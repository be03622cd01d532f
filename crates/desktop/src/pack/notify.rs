//! `notify`: shows the user a message.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Action, Notification, Toast, Tone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::{acts, naming, title};

/// The longest text of a toast.
const TOAST_CHARS_MAX: usize = 300;
/// The longest text of a notification.
const NOTIFICATION_CHARS_MAX: usize = 2_000;
/// The number of characters of a text that make a title.
const TITLE_CHARS_MAX: usize = 80;

/// The tool `notify`.
pub(super) struct Notify;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NotifyInput {
    /// The text.
    text: String,
    /// The title.
    #[serde(default)]
    title: Option<String>,
    /// plain, info, success, warning or danger.
    #[serde(default)]
    level: Option<String>,
    /// true: it stays until the user dismisses it.
    #[serde(default)]
    keep: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct NotifyOutput {
    /// `toast`, or `notification` if it stays.
    shown: &'static str,
}

#[async_trait]
impl Tool for Notify {
    type Input = NotifyInput;
    type Output = NotifyOutput;

    fn declaration(&self) -> Declaration {
        acts(
            "notify",
            "Shows the user a short message beside the chat: briefly, or with `keep` until it is \
             dismissed. Not for answers.",
        )
        .about(&["notification", "remind", "alert", "toast", "warn"])
    }

    async fn call(&self, input: NotifyInput, context: &CallContext) -> Result<NotifyOutput, ToolFailure> {
        let title = input.title.as_deref().map(title).transpose()?;
        let level = input.level.as_deref().map_or(Ok(Tone::Plain), tone)?;
        let keep = input.keep == Some(true);
        let text = words(&input.text, if keep { NOTIFICATION_CHARS_MAX } else { TOAST_CHARS_MAX })?;
        let toast_id = naming::toast(context.session_id, &context.key);
        let (action, shown) = if keep {
            (Action::Notification(notification(toast_id, title, text, level)), "notification")
        } else {
            let text = title.map_or_else(|| text.clone(), |title| format!("{title}: {text}"));
            (Action::Toast(Toast { toast_id, text, level, button: None, replay_of: None }), "toast")
        };
        context.desktop.act(&context.key, vec![action]).await?;
        Ok(NotifyOutput { shown })
    }
}

/// Without a title, the beginning of the text becomes the title.
fn notification(toast_id: protocol::ToastId, title: Option<String>, text: String, level: Tone) -> Notification {
    match title {
        Some(title) => Notification { toast_id, title, text, level },
        None if text.chars().count() <= TITLE_CHARS_MAX && !text.contains('\n') => {
            Notification { toast_id, title: text, text: String::new(), level }
        }
        None => {
            let first = text.lines().next().unwrap_or_default();
            let title = match first.char_indices().nth(TITLE_CHARS_MAX - 1) {
                Some((end, _)) => format!("{}…", &first[..end]),
                None => first.to_owned(),
            };
            Notification { toast_id, title, text, level }
        }
    }
}

fn words(text: &str, chars_max: usize) -> Result<String, ToolFailure> {
    let text = text.trim();
    let chars = text.chars().count();
    if chars == 0 || chars > chars_max {
        let rule = format!("`text` has {chars} characters, and has to have 1 to {chars_max}");
        return Err(ToolFailure::Invalid(rule));
    }
    Ok(text.to_owned())
}

fn tone(text: &str) -> Result<Tone, ToolFailure> {
    match text {
        "plain" => Ok(Tone::Plain),
        "info" => Ok(Tone::Info),
        "success" => Ok(Tone::Success),
        "warning" => Ok(Tone::Warning),
        "danger" => Ok(Tone::Danger),
        _ => Err(ToolFailure::Invalid("`level` is plain, info, success, warning or danger".to_owned())),
    }
}
