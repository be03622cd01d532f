//! Reasoning that a provider wants to get back with its calls; the text of a signature shows whose
//! it is.

use serde_json::{Value, json};

/// The longest reasoning that is kept to be sent back, in bytes.
const REASONING_BYTES_MAX: usize = 64 * 1024;
/// The type of stored plain reasoning.
const PLAIN: &str = "reasoning_content";

/// Reasoning stored with a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ReasoningRecord {
    /// A signed thinking block of Anthropic, unchanged.
    Thinking(Value),
    /// A reasoning block of OpenRouter, unchanged.
    Detail(Value),
    /// Plain reasoning text, of DeepSeek and of local servers.
    Reasoning(String),
    /// A signature of Gemini, which is not JSON.
    Signature(String),
}

impl ReasoningRecord {
    /// Reads a stored signature.
    pub(super) fn read(signature: &str) -> Self {
        let data: Value = serde_json::from_str(signature).unwrap_or_default();
        match data["type"].as_str() {
            Some("thinking" | "redacted_thinking") => Self::Thinking(data),
            Some(PLAIN) => Self::Reasoning(data["text"].as_str().unwrap_or_default().to_owned()),
            Some(kind) if kind.starts_with("reasoning.") => Self::Detail(data),
            _ => Self::Signature(signature.to_owned()),
        }
    }

    /// Plain reasoning as a signature to store; none if it is empty.
    pub(super) fn reasoning(text: &str) -> Option<String> {
        let text = &text[..text.floor_char_boundary(REASONING_BYTES_MAX)];
        (!text.is_empty()).then(|| json!({ "type": PLAIN, "text": text }).to_string())
    }
}

/// Whether a signature is plain reasoning text, which is not signed.
pub fn is_plain_reasoning(signature: &str) -> bool {
    matches!(ReasoningRecord::read(signature), ReasoningRecord::Reasoning(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_says_whose_it_is() {
        let thought = json!({ "type": "thinking", "thinking": "Hm.", "signature": "EqQB" });
        assert_eq!(ReasoningRecord::read(&thought.to_string()), ReasoningRecord::Thinking(thought));
        let detail = json!({ "type": "reasoning.encrypted", "data": "x" });
        assert_eq!(ReasoningRecord::read(&detail.to_string()), ReasoningRecord::Detail(detail));
        let plain = ReasoningRecord::reasoning("Let me see.").unwrap();
        assert_eq!(ReasoningRecord::read(&plain), ReasoningRecord::Reasoning("Let me see.".to_owned()));
        assert_eq!(ReasoningRecord::read("CpQCAVSoXO4"), ReasoningRecord::Signature("CpQCAVSoXO4".to_owned()));
        assert_eq!(ReasoningRecord::reasoning(""), None);
        assert!(ReasoningRecord::reasoning(&"é".repeat(40_000)).unwrap().len() < 70_000);
    }
}
