//! The client's instructions for all answers of a session, and its messages from before the
//! session: the preferences `instructions` and `earlier`.

use protocol::{IngestMessage, Settings};

/// Both as text.
pub(super) fn words(settings: &Settings) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    let instructions = settings.preferences.get(Settings::INSTRUCTIONS).and_then(|value| value.as_str());
    if let Some(text) = instructions.map(str::trim).filter(|text| !text.is_empty()) {
        parts.push(format!("The user's client asks this of every answer:\n{text}"));
    }
    let earlier = earlier(settings);
    if !earlier.is_empty() {
        let lines: Vec<String> = earlier.iter().map(|said| format!("{}: {}", said.role, said.content)).collect();
        let head = "Said earlier in this conversation, as the client reports it; you have no record of it:";
        parts.push(format!("{head}\n{}", lines.join("\n")));
    }
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// Whether some of it is untrusted: it is unknown what an earlier assistant had read, and who wrote
/// a file.
pub(super) fn is_tainted(settings: &Settings) -> bool {
    !earlier(settings).is_empty() || settings.imported.contains(Settings::INSTRUCTIONS)
}

fn earlier(settings: &Settings) -> Vec<IngestMessage> {
    let told = settings.preferences.get(Settings::EARLIER);
    // Preferences are free; a value of another form is the client's own.
    told.and_then(|value| serde_json::from_value(value.clone()).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn set(preferences: &Value) -> Settings {
        Settings {
            preferences: serde_json::from_value(preferences.clone()).expect("preferences"),
            ..Settings::default()
        }
    }

    #[test]
    fn wishes_and_what_was_said_earlier_are_told_apart() {
        let settings = set(&json!({
            "instructions": " Answer in one sentence. ",
            "earlier": [{ "role": "user", "content": "I am Ada." }, { "role": "assistant", "content": "Hello, Ada." }],
        }));
        let words = words(&settings).unwrap();
        assert!(words.contains("asks this of every answer:\nAnswer in one sentence."), "{words}");
        assert!(words.ends_with("no record of it:\nuser: I am Ada.\nassistant: Hello, Ada."), "{words}");
        assert!(is_tainted(&settings), "it is unknown what an earlier assistant had read");
    }

    #[test]
    fn other_preferences_are_a_clients_own() {
        for other in [json!({}), json!({ "instructions": 7, "earlier": "before" }), json!({ "instructions": " " })] {
            assert_eq!(words(&set(&other)), None, "{other}");
            assert!(!is_tainted(&set(&other)));
        }
    }
}
