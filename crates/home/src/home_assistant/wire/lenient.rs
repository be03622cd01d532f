//! Lenient parsing: fields may be missing, null, or of another type in another version.

use std::{borrow::Cow, collections::BTreeMap};

use protocol::Timestamp;
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::{Value, value::RawValue};

/// The items of a list that can be parsed.
pub(in crate::home_assistant) fn each<T: DeserializeOwned>(list: &RawValue) -> Vec<T> {
    let items: Vec<&RawValue> = serde_json::from_str(list.get()).unwrap_or_default();
    items.into_iter().filter_map(readable).collect()
}

/// The items of an object that can be parsed, by key.
pub(in crate::home_assistant) fn each_named<T: DeserializeOwned>(object: &RawValue) -> BTreeMap<String, T> {
    let items: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(object.get()).unwrap_or_default();
    items.into_iter().filter_map(|(name, item)| Some((name.into_owned(), readable(item)?))).collect()
}

fn readable<T: DeserializeOwned>(item: &RawValue) -> Option<T> {
    serde_json::from_str(item.get())
        .inspect_err(|error| tracing::debug!(%error, "skipped an item of Home Assistant that cannot be parsed"))
        .ok()
}

/// A timestamp from seconds since 1970.
pub(in crate::home_assistant) fn moment(seconds: f64) -> Timestamp {
    #[allow(clippy::cast_possible_truncation, reason = "a float that is too large becomes the largest integer")]
    let millis = (seconds * 1000.0).round() as i64;
    Timestamp::from_millis(millis)
}

/// Missing, null or unreadable values become the default.
pub(super) fn or_default<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(from: D) -> Result<T, D::Error> {
    let value = Value::deserialize(from)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

/// A list of strings; other items are skipped, and a single string is a list of one.
pub(super) fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    })
}
