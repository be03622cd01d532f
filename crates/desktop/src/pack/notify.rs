//! `notify`: a word to the user.

use async_trait::async_trait;
use protocol::{Action, Notification, Toast, Tone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{Context, Declaration, Failure, Tool};

use super::{acts, naming, title};

/// The longest text said in passing.
const TOAST_CHARS_MAX: usize = 300;
/// The longest text that stays.
const NOTIFICATION_CHARS_MAX: usize = 2_000;
/// How much of a text makes a title.
const TITLE_CHARS_MAX: usize = 80;

/// Says something.
pub(super) struct Notify;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NotifyInput {
    /// The words.
    text: String,
    /// What stands above them.
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
pub(super) struct Notified {
    /// `toast`, or `notification` if it stays.
    shown: &'static str,
}

#[async_trait]
impl Tool for Notify {
    type Input = NotifyInput;
    type Output = Notified;

    fn declaration(&self) -> Declaration {
        acts(
            "notify",
            "Shows the user a short message beside the chat: in passing, or with `keep` until it is dismissed. Not for answers.",
        )
        .about(&["notification", "remind", "alert", "toast", "warn"])
    }

    async fn call(&self, input: NotifyInput, context: &Context) -> Result<Notified, Failure> {
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
        Ok(Notified { shown })
    }
}

/// Without a title, the words are the title as far as they fit.
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

fn words(text: &str, chars_max: usize) -> Result<String, Failure> {
    let text = text.trim();
    let chars = text.chars().count();
    if chars == 0 || chars > chars_max {
        let rule = format!("`text` has {chars} characters, and has to have 1 to {chars_max}");
        return Err(Failure::Invalid(rule));
    }
    Ok(text.to_owned())
}

fn tone(text: &str) -> Result<Tone, Failure> {
    match text {
        "plain" => Ok(Tone::Plain),
        "info" => Ok(Tone::Info),
        "success" => Ok(Tone::Success),
        "warning" => Ok(Tone::Warning),
        "danger" => Ok(Tone::Danger),
        _ => Err(Failure::Invalid("`level` is plain, info, success, warning or danger".to_owned())),
    }
}
