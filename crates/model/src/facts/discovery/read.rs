//! Reads figures from the varying JSON of providers.

use serde_json::Value;

/// The first of these fields that is a number of tokens; some servers write numbers as text.
pub(super) fn tokens(document: &Value, fields: &[&str]) -> Option<u64> {
    fields.iter().find_map(|field| {
        let value = document.pointer(field)?;
        value.as_u64().or_else(|| value.as_str()?.trim().parse().ok()).filter(|tokens| *tokens > 0)
    })
}

/// US dollars per million tokens, from dollars per token, which are mostly written as text.
pub(super) fn dollars(document: &Value, field: &str) -> Option<f64> {
    let value = document.pointer(field)?;
    let per_token = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    // A billionth of a dollar is exact enough, and hides the rounding of binary fractions.
    Some((per_token * 1e15).round() / 1e9)
}

/// Whether a list has this word.
pub(super) fn has(document: &Value, list: &str, word: &str) -> Option<bool> {
    let items = document.pointer(list)?.as_array()?;
    Some(items.iter().any(|item| item.as_str() == Some(word)))
}

pub(super) fn text<'a>(document: &'a Value, field: &str) -> &'a str {
    document.pointer(field).and_then(Value::as_str).unwrap_or_default()
}

/// A text that sorts by time, from seconds since 1970 or from a date.
pub(super) fn moment(value: &Value) -> String {
    match value {
        Value::Number(seconds) => format!("{:012}", seconds.as_u64().unwrap_or_default()),
        Value::String(date) => date.clone(),
        _ => String::new(),
    }
}

/// Parts of the names of models that are not for conversations.
const OTHERS: [&str; 18] = [
    "embed",
    "whisper",
    "tts",
    "dall-e",
    "moderation",
    "transcribe",
    "image",
    "imagen",
    "veo",
    "sora",
    "realtime",
    "audio",
    "rerank",
    "babbage",
    "davinci",
    "aqa",
    "instruct-0914",
    "bge-",
];

/// Whether a model's name shows that it is not for conversations.
pub(super) fn is_other(name: &str) -> bool {
    let name = name.to_lowercase();
    OTHERS.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_read_however_they_are_written() {
        let document = json!({ "a": 0, "b": "4096", "price": "0.00000015", "list": ["tools"] });
        assert_eq!(tokens(&document, &["/a", "/none", "/b"]), Some(4_096));
        assert_eq!(dollars(&document, "/price"), Some(0.15));
        assert_eq!((has(&document, "/list", "tools"), has(&document, "/none", "tools")), (Some(true), None));
        assert!(moment(&json!(1_700_000_000)) > moment(&json!(999_999_999)));
        assert!(is_other("text-embedding-3-small") && !is_other("gpt-4.1-mini"));
    }
}
