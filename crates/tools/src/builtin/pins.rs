//! `pin` and `unpin`: what every later turn of the session is told.

use async_trait::async_trait;
use protocol::{Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::slug::slug;
use crate::{
    digest::hex,
    tool::{Context, Declaration, Failure, Keeper, Keeping, Tool},
};

/// The longest text of a pin.
pub const PIN_CHARS_MAX: usize = 2_000;
/// Pins of one session.
pub const PINS_MAX: usize = 32;
/// The longest name of a pin.
const KEY_CHARS_MAX: usize = 64;
/// The longest name made from a text.
const SLUG_CHARS_MAX: usize = 40;

/// Pins a text.
pub(super) struct Pin;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PinInput {
    /// What to remember, at most 2,000 characters.
    text: String,
    /// A short name for it; a pin of the same name is replaced. Made from the text if absent.
    #[serde(default)]
    key: Option<String>,
}

/// What came of pinning.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Pinned {
    /// The name under which it is kept.
    pub key: String,
    /// How many pins there are now.
    pub pins: usize,
}

#[async_trait]
impl Tool for Pin {
    type Input = PinInput;
    type Output = Pinned;

    fn declaration(&self) -> Declaration {
        keeps(Declaration::new(
            "pin",
            "Keeps a short text in view for the rest of this session: every later turn is told it. Use it for what must not \
             be forgotten here, such as a decision, a constraint or a goal of the user.",
        ))
        .core()
    }

    async fn call(&self, input: PinInput, context: &Context) -> Result<Pinned, Failure> {
        keep(context.keeper.as_ref(), input.key.as_deref(), &input.text).await
    }
}

/// Pins a text, within the limits that hold for everybody who does.
pub async fn keep(keeper: &dyn Keeper, key: Option<&str>, text: &str) -> Result<Pinned, Failure> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Failure::Invalid("`text` is empty: say what to pin".to_owned()));
    }
    let chars = text.chars().count();
    if chars > PIN_CHARS_MAX {
        let long = format!("`text` has {chars} characters, and a pin has at most {PIN_CHARS_MAX}: shorten it");
        return Err(Failure::Invalid(long));
    }
    let pins = keeper.pins().await?;
    let key = match key.map(str::trim).filter(|key| !key.is_empty()) {
        Some(key) => named(key)?,
        None => free_key(text, &pins),
    };
    let is_new = pins.iter().all(|(taken, _)| *taken != key);
    if is_new && pins.len() >= PINS_MAX {
        return Err(Failure::Invalid(format!("there are {PINS_MAX} pins already: unpin one first ({})", keys(&pins))));
    }
    keeper.keep(Keeping::Pin { key: key.clone(), text: text.to_owned() }).await?;
    Ok(Pinned { key, pins: pins.len() + usize::from(is_new) })
}

/// Takes a pin away.
pub(super) struct Unpin;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UnpinInput {
    /// The name of the pin.
    key: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Unpinned {
    /// The name.
    key: String,
    /// Whether there was such a pin.
    removed: bool,
}

#[async_trait]
impl Tool for Unpin {
    type Input = UnpinInput;
    type Output = Unpinned;

    fn declaration(&self) -> Declaration {
        let description = "Takes a pinned text away by its name, when it no longer holds.";
        keeps(Declaration::new("unpin", description)).about(&["pin", "pinned", "forget", "longer"])
    }

    async fn call(&self, input: UnpinInput, context: &Context) -> Result<Unpinned, Failure> {
        let key = named(input.key.trim())?;
        // One that is gone already is no mistake: the call may be run a second time.
        let removed = context.keeper.pins().await?.iter().any(|(known, _)| *known == key);
        if removed {
            context.keeper.keep(Keeping::Unpin { key: key.clone() }).await?;
        }
        Ok(Unpinned { key, removed })
    }
}

fn keeps(declaration: Declaration) -> Declaration {
    Declaration { effect: Effect::Idempotent, safety: Safety::Keeps, origin: Origin::Trusted, ..declaration }
}

fn named(key: &str) -> Result<String, Failure> {
    if key.is_empty() || key.chars().count() > KEY_CHARS_MAX || key.chars().any(char::is_control) {
        let rule = format!("`key` is a name of 1 to {KEY_CHARS_MAX} characters without control characters");
        return Err(Failure::Invalid(rule));
    }
    Ok(key.to_owned())
}

fn keys(pins: &[(String, String)]) -> String {
    pins.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>().join(", ")
}

/// A name made from the text that no other text has.
fn free_key(text: &str, pins: &[(String, String)]) -> String {
    let slug = key_of(text);
    let is_free = |key: &String| pins.iter().all(|(taken, other)| taken != key || other == text);
    let numbered = (2..=PINS_MAX + 2).map(|n| format!("{slug}-{n}"));
    std::iter::once(slug.clone()).chain(numbered).find(is_free).unwrap_or(slug)
}

/// A name made from the text.
fn key_of(text: &str) -> String {
    let slug = slug(text, SLUG_CHARS_MAX);
    // Nothing of it may be fit for a name, as with a lone emoji.
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
