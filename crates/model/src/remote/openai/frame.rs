//! One frame of an answer of OpenAI's API.
//!
//! Nearly all frames are a few characters of text, and those are read without a copy. Servers
//! differ in what else they send, so a field of an unexpected type is ignored rather than refused.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;

/// A frame.
#[derive(Debug, Deserialize)]
pub(super) struct StreamFrame<'a> {
    #[serde(borrow, default)]
    pub(super) choices: Option<Vec<Choice<'a>>>,
    #[serde(default)]
    pub(super) usage: Option<Value>,
    #[serde(default)]
    pub(super) error: Option<Value>,
}

/// One of the answers; only one is asked for.
#[derive(Debug, Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(borrow, default)]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(borrow, default)]
    pub(super) finish_reason: LenientText<'a>,
}

/// What is new in the answer.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(super) content: Content<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning_content: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning: LenientText<'a>,
    #[serde(borrow, default)]
    pub(super) refusal: LenientText<'a>,
    #[serde(default)]
    pub(super) tool_calls: Option<Value>,
    #[serde(default)]
    pub(super) reasoning_details: Option<Value>,
}

/// A text; empty if it is missing or of another type.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct LenientText<'a>(pub(super) Cow<'a, str>);

/// The text of the answer, and reasoning: some servers send both as a list of parts.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Content<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) reasoning: String,
}

impl<'de: 'a, 'a> Deserialize<'de> for LenientText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LenientVisitor).map(|content| Self(content.text))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LenientVisitor)
    }
}

struct LenientVisitor;

impl<'de> Visitor<'de> for LenientVisitor {
    type Value = Content<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Content { text: Cow::Borrowed(text), reasoning: String::new() })
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content { text: Cow::Owned(text.to_owned()), reasoning: String::new() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        let (mut text, mut reasoning) = (String::new(), String::new());
        while let Some(part) = parts.next_element::<Value>()? {
            text.push_str(part["text"].as_str().unwrap_or_default());
            for thought in part["thinking"].as_array().into_iter().flatten() {
                reasoning.push_str(thought["text"].as_str().unwrap_or_default());
            }
        }
        Ok(Content { text: Cow::Owned(text), reasoning })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Content::default())
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Content::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Content::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Content::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Content::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Content::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delta(json: &str) -> Delta<'_> {
        let frame: StreamFrame<'_> = serde_json::from_str(json).unwrap();
        frame.choices.unwrap().remove(0).delta.unwrap()
    }

    #[test]
    fn words_are_read_in_every_form_they_come_in() {
        let plain = delta(r#"{"choices":[{"delta":{"content":"one"}}]}"#);
        assert!(matches!(plain.content.text, Cow::Borrowed("one")), "without a copy");
        assert_eq!(delta(r#"{"choices":[{"delta":{"content":"a\nb"}}]}"#).content.text, "a\nb");
        let parts = r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"No"}]}}]}"#;
        assert_eq!(delta(parts).content, Content { text: "No".into(), reasoning: "hm".to_owned() });
        assert_eq!(delta(r#"{"choices":[{"delta":{"content":null,"reasoning":"hm"}}]}"#).reasoning.0, "hm");
    }

    #[test]
    fn what_is_not_expected_is_passed_over() {
        for odd in ["7", "1.5", "-1", "true", "{\"a\":[1]}", "null"] {
            let json = format!(r#"{{"id":1,"choices":[{{"delta":{{"content":{odd},"refusal":{odd},"x":{odd}}}}}]}}"#);
            assert_eq!(delta(&json).content, Content::default());
        }
        assert!(serde_json::from_str::<StreamFrame<'_>>(r#"{"choices":null,"usage":null,"error":null}"#).is_ok());
    }
}
