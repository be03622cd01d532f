//! `pin` and `unpin`: texts that every later turn of the session sees.

use async_trait::async_trait;
use ports::{PinChange, PinStore, ToolFailure};
use protocol::{Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::slug::slug;
use crate::{
    digest::hex,
    tool::{CallContext, Declaration, Tool},
};

/// The longest text of a pin.
pub const PIN_CHARS_MAX: usize = 2_000;
/// The number of pins of one session.
pub const PINS_MAX: usize = 32;
/// The longest name of a pin.
const KEY_CHARS_MAX: usize = 64;
/// The longest name made from a text.
const SLUG_CHARS_MAX: usize = 40;

/// Pins a text.
pub(super) struct PinTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PinInput {
    /// What to remember, at most 2,000 characters.
    text: String,
    /// A short name for it; a pin of the same name is replaced. Made from the text if absent.
    #[serde(default)]
    key: Option<String>,
}

/// The result of pinning.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PinOutput {
    /// The name of the pin.
    pub key: String,
    /// How many pins there are now.
    pub pins: usize,
}

#[async_trait]
impl Tool for PinTool {
    type Input = PinInput;
    type Output = PinOutput;

    fn declaration(&self) -> Declaration {
        keeps(Declaration::new(
            "pin",
            "Keeps a short text in view for the rest of this session: every later turn sees it. Use it for what must \
             not be forgotten here, such as a decision, a constraint or a goal of the user.",
        ))
        .core()
    }

    async fn call(&self, input: PinInput, context: &CallContext) -> Result<PinOutput, ToolFailure> {
        pin(context.pin_store.as_ref(), input.key.as_deref(), &input.text).await
    }
}

/// Pins a text, within the limits.
pub async fn pin(pin_store: &dyn PinStore, key: Option<&str>, text: &str) -> Result<PinOutput, ToolFailure> {
    let text = text.trim();
    if text.is_empty() {
        return Err(ToolFailure::Invalid("`text` is empty: say what to pin".to_owned()));
    }
    let chars = text.chars().count();
    if chars > PIN_CHARS_MAX {
        let long = format!("`text` has {chars} characters, and a pin has at most {PIN_CHARS_MAX}: shorten it");
        return Err(ToolFailure::Invalid(long));
    }
    let pins = pin_store.pins().await?;
    let key = match key.map(str::trim).filter(|key| !key.is_empty()) {
        Some(key) => named(key)?,
        None => free_key(text, &pins),
    };
    let is_new = pins.iter().all(|(taken, _)| *taken != key);
    if is_new && pins.len() >= PINS_MAX {
        return Err(ToolFailure::Invalid(format!(
            "there are {PINS_MAX} pins already: unpin one first ({})",
            keys(&pins)
        )));
    }
    pin_store.change(PinChange::Pin { key: key.clone(), text: text.to_owned() }).await?;
    Ok(PinOutput { key, pins: pins.len() + usize::from(is_new) })
}

/// Removes a pin.
pub(super) struct UnpinTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UnpinInput {
    /// The name of the pin.
    key: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct UnpinOutput {
    /// The name.
    key: String,
    /// Whether there was such a pin.
    removed: bool,
}

#[async_trait]
impl Tool for UnpinTool {
    type Input = UnpinInput;
    type Output = UnpinOutput;

    fn declaration(&self) -> Declaration {
        let description = "Removes a pinned text by its name, when it no longer holds.";
        keeps(Declaration::new("unpin", description)).about(&["pin", "pinned", "forget", "longer"])
    }

    async fn call(&self, input: UnpinInput, context: &CallContext) -> Result<UnpinOutput, ToolFailure> {
        let key = named(input.key.trim())?;
        // A missing pin is not an error: the call may be run a second time.
        let removed = context.pin_store.pins().await?.iter().any(|(known, _)| *known == key);
        if removed {
            context.pin_store.change(PinChange::Unpin { key: key.clone() }).await?;
        }
        Ok(UnpinOutput { key, removed })
    }
}

fn keeps(declaration: Declaration) -> Declaration {
    Declaration { effect: Effect::Idempotent, safety: Safety::Keeps, origin: Origin::Trusted, ..declaration }
}

fn named(key: &str) -> Result<String, ToolFailure> {
    if key.is_empty() || key.chars().count() > KEY_CHARS_MAX || key.chars().any(char::is_control) {
        let rule = format!("`key` is a name of 1 to {KEY_CHARS_MAX} characters without control characters");
        return Err(ToolFailure::Invalid(rule));
    }
    Ok(key.to_owned())
}

fn keys(pins: &[(String, String)]) -> String {
    pins.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>().join(", ")
}

/// A name made from the text that no pin with another text has.
fn free_key(text: &str, pins: &[(String, String)]) -> String {
    let slug = key_of(text);
    let is_free = |key: &String| pins.iter().all(|(taken, other)| taken != key || other == text);
    let numbered = (2..=PINS_MAX + 2).map(|n| format!("{slug}-{n}"));
    std::iter::once(slug.clone()).chain(numbered).find(is_free).unwrap_or(slug)
}

/// A name made from the text.
fn key_of(text: &str) -> String {
    let slug = slug(text, SLUG_CHARS_MAX);
    // No character of the text may be fit for a name, as with a single emoji.
    if slug.is_empty() { format!("pin-{}", &hex(&Sha256::digest(text.as_bytes()))[..8]) } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_from_the_text() {
        assert_eq!(key_of("Allergic to nuts!"), "allergic-to-nuts");
        assert!(key_of("🦉").starts_with("pin-"));
        assert_ne!(key_of("🦉"), key_of("🐻"));
    }

    #[test]
    fn the_same_name_for_another_text_gets_a_number() {
        let pins = [("a-b".to_owned(), "a b".to_owned()), ("a-b-2".to_owned(), "a, b".to_owned())];
        for (text, expected) in [("a b", "a-b"), ("a, b", "a-b-2"), ("a: b", "a-b-3"), ("c", "c")] {
            assert_eq!(free_key(text, &pins), expected);
        }
    }
}
