//! The answer to `describe`: Dwell's services.

use serde_json::{Value, json};

use super::frame::WyomingEvent;

/// The supported languages: those of Home Assistant's own sentences. The model decides in which
/// language it answers.
const LANGUAGES: [&str; 66] = [
    "af", "ar", "bg", "bn", "bs", "ca", "cs", "cy", "da", "de", "de-CH", "el", "en", "es", "et", "eu", "fa", "fi",
    "fr", "fr-CA", "ga", "gl", "gu", "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ja", "ka", "kn", "ko", "kw",
    "lb", "lt", "lv", "ml", "mn", "mr", "ms", "nb", "ne", "nl", "pa", "pl", "pt", "pt-BR", "ro", "ru", "sk", "sl",
    "sr", "sr-Latn", "sv", "sw", "te", "th", "tr", "uk", "ur", "vi", "zh-CN", "zh-TW",
];

/// The answer to `describe`. The `intent` service is listed only if reflexes are enabled.
pub(super) fn info(understands: bool) -> WyomingEvent {
    let handle = program(
        "handle",
        "Answers, remembers and acts",
        json!({ "supports_handled_streaming": true, "supports_home_control": true }),
    );
    let intent = understands.then(|| program("intent", "Recognizes what a sentence asks of a home", json!({})));
    let intent: Vec<Value> = intent.into_iter().collect();
    WyomingEvent::new("info", json!({ "asr": [], "tts": [], "handle": [handle], "intent": intent, "wake": [] }))
}

fn program(model: &str, description: &str, more: Value) -> Value {
    let mut program = artifact("Dwell", description);
    program["models"] = json!([artifact(&format!("dwell-{model}"), description)]);
    program["models"][0]["languages"] = json!(LANGUAGES.as_slice());
    if let (Some(program), Value::Object(more)) = (program.as_object_mut(), more) {
        program.extend(more);
    }
    program
}

fn artifact(name: &str, description: &str) -> Value {
    json!({
        "name": name,
        "attribution": { "name": "Dwell", "url": "" },
        "installed": true,
        "description": description,
        "version": env!("CARGO_PKG_VERSION"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_named_once_and_in_order() {
        assert!(LANGUAGES.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn the_intent_service_is_listed_only_where_sentences_are_understood() {
        assert_eq!(info(false).data["intent"], json!([]));
        assert_eq!(info(true).data["intent"][0]["name"], "Dwell");
        assert_eq!(info(false).data["handle"][0]["models"][0]["languages"][12], "en");
    }
}
