//! What a provider wants to see again with a call of its own: the text of a signature says whose it is.

use serde_json::{Value, json};

/// The longest reasoning that is kept to be sent back, in bytes.
const REASONING_BYTES_MAX: usize = 64 * 1024;
/// The type under which plain reasoning is kept.
const PLAIN: &str = "reasoning_content";

/// Something that was kept with a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kept {
    /// A signed thought of Anthropic's, as it came.
    Thinking(Value),
    /// A block of OpenRouter's, as it came.
    Detail(Value),
    /// Reasoning in plain words, of DeepSeek and of local servers.
    Reasoning(String),
    /// A signature of Gemini's, which is no JSON.
    Signature(String),
}

impl Kept {
    /// Reads what was kept.
    pub(super) fn read(signature: &str) -> Self {
        let data: Value = serde_json::from_str(signature).unwrap_or_default();
        match data["type"].as_str() {
            Some("thinking" | "redacted_thinking") => Self::Thinking(data),
            Some(PLAIN) => Self::Reasoning(data["text"].as_str().unwrap_or_default().to_owned()),
            Some(kind) if kind.starts_with("reasoning.") => Self::Detail(data),
            _ => Self::Signature(signature.to_owned()),
        }
    }

    /// Plain reasoning in the form in which it is kept; none if there was none.
    pub(super) fn reasoning(text: &str) -> Option<String> {
        let text = &text[..text.floor_char_boundary(REASONING_BYTES_MAX)];
        (!text.is_empty()).then(|| json!({ "type": PLAIN, "text": text }).to_string())
    }
}

/// Whether that is reasoning in plain words, which nobody has signed.
pub fn is_plain_reasoning(signature: &str) -> bool {
    matches!(Kept::read(signature), Kept::Reasoning(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_says_whose_it_is() {
        let thought = json!({ "type": "thinking", "thinking": "Hm.", "signature": "EqQB" });
        assert_eq!(Kept::read(&thought.to_string()), Kept::Thinking(thought));
        let detail = json!({ "type": "reasoning.encrypted", "data": "x" });
        assert_eq!(Kept::read(&detail.to_string()), Kept::Detail(detail));
        let plain = Kept::reasoning("Let me see.").unwrap();
        assert_eq!(Kept::read(&plain), Kept::Reasoning("Let me see.".to_owned()));
        assert_eq!(Kept::read("CpQCAVSoXO4"), Kept::Signature("CpQCAVSoXO4".to_owned()));
        assert_eq!(Kept::reasoning(""), None);
        assert!(Kept::reasoning(&"é".repeat(40_000)).unwrap().len() < 70_000);
    }
}
