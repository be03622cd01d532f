//! A call that waits for approval as a question: exact for reading, in plain words for speech.

use protocol::{ApprovalId, ApprovalRequest};
use serde_json::Value;

use crate::outcome::{ApprovalChannel, TurnOutcome, sentence};

/// Most characters of a call's arguments that are spoken.
const SPOKEN_MAX: usize = 300;

/// Where a call is allowed if words do not allow it.
const ALLOW_ELSEWHERE: &str = "Allow it in Dwell, with `dwell approvals`; without an answer it is denied.";

/// The question whether a call may run. `by` says how it can be answered.
pub(crate) fn question(open: &ApprovalRequest, by: ApprovalChannel) -> TurnOutcome {
    let ApprovalRequest { tool, arguments, reason, approval_id, .. } = open;
    if let Some(asked) = &open.question {
        return plain_question(asked, *approval_id, by);
    }
    if by == ApprovalChannel::Command {
        let how = allow_by_command(*approval_id);
        return TurnOutcome::Waits(format!(
            "May I use {tool} with {arguments}? {} {how}; without an answer it is denied.",
            sentence(reason)
        ));
    }
    let spoken = SpokenArguments::of(arguments);
    let reason = sentence(&reason.replace('`', ""));
    let asked = match spoken.words.as_str() {
        "" => format!("May I use {tool}? {reason}"),
        words => format!("May I use {tool} with {words}? {reason}"),
    };
    // The user must have heard all of it before saying yes.
    match by {
        ApprovalChannel::Word if spoken.is_whole => {
            TurnOutcome::Asks(*approval_id, format!("{asked} Say yes or no; without an answer it is denied."))
        }
        ApprovalChannel::Elsewhere if spoken.is_whole => {
            TurnOutcome::Asks(*approval_id, format!("{asked} {ALLOW_ELSEWHERE}"))
        }
        _ => TurnOutcome::Waits(format!("{asked} {ALLOW_ELSEWHERE}")),
    }
}

/// A question that the tool has put in plain words, which name all of the call.
fn plain_question(asked: &str, approval_id: ApprovalId, by: ApprovalChannel) -> TurnOutcome {
    match by {
        ApprovalChannel::Word => TurnOutcome::Asks(approval_id, asked.to_owned()),
        ApprovalChannel::Elsewhere => TurnOutcome::Asks(approval_id, format!("{asked} {ALLOW_ELSEWHERE}")),
        ApprovalChannel::Command => {
            let how = allow_by_command(approval_id);
            TurnOutcome::Waits(format!("{asked} {how}; without an answer it is denied."))
        }
    }
}

fn allow_by_command(approval_id: ApprovalId) -> String {
    format!("Allow it in Dwell: `dwell approvals answer {approval_id} once`")
}

/// Arguments as they are spoken.
struct SpokenArguments {
    words: String,
    is_whole: bool,
}

impl SpokenArguments {
    fn of(arguments: &Value) -> Self {
        let mut said = Vec::new();
        say(None, arguments, &mut said);
        let whole = said.join(", ");
        let is_whole = whole.chars().count() <= SPOKEN_MAX;
        let words =
            if is_whole { whole } else { whole.chars().take(SPOKEN_MAX).chain("… and more".chars()).collect() };
        Self { words, is_whole }
    }
}

/// Lists every value with its name. Names of nested objects are left out.
fn say(name: Option<&str>, value: &Value, said: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| say(Some(name), value, said)),
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            items.iter().for_each(|item| say(name, item, said));
        }
        Value::Array(items) if items.is_empty() => said.push(named(name, "nothing")),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(plain).collect();
            said.push(named(name, &items.join(" and ")));
        }
        value => said.push(named(name, &plain(value))),
    }
}

fn named(name: Option<&str>, value: &str) -> String {
    name.map_or_else(|| value.to_owned(), |name| format!("{} {value}", name.replace('_', " ")))
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(is_so) => if *is_so { "yes" } else { "no" }.to_owned(),
        // Quoted, so that the text is not mistaken for further arguments.
        Value::String(text) if text.is_empty() || text.contains(|char: char| !is_of_a_name(char)) => {
            format!("“{}”", text.split_whitespace().collect::<Vec<_>>().join(" "))
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn is_of_a_name(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use protocol::{Effect, Safety};
    use serde_json::json;

    use super::*;

    fn asking(arguments: Value) -> ApprovalRequest {
        ApprovalRequest {
            approval_id: "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap(),
            turn_id: "01ARZ3NDEKTSV4RRFFQ69G5FAW".parse().unwrap(),
            call_id: "c1".to_owned(),
            tool: "call_service".to_owned(),
            arguments,
            digest: String::new(),
            safety: Safety::Acts,
            effect: Effect::AtMostOnce,
            reason: "`lock.unlock` is confirmed each time".to_owned(),
            question: None,
            expires_at: "2026-11-15T10:00:00Z".parse().unwrap(),
        }
    }

    fn words(outcome: TurnOutcome) -> (bool, String) {
        match outcome {
            TurnOutcome::Asks(_, words) => (true, words),
            TurnOutcome::Waits(words) => (false, words),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_heard_is_plain_words() {
        let open = asking(json!({
            "domain": "lock", "service": "unlock", "target": { "entity_id": ["lock.front_door", "lock.shed"] },
        }));
        let expected = "May I use call_service with domain lock, service unlock, entity id lock.front_door and \
                        lock.shed? Lock.unlock is confirmed each time. Say yes or no; without an answer it is denied.";
        assert_eq!(words(question(&open, ApprovalChannel::Word)), (true, expected.to_owned()));
        let (is_asked, elsewhere) = words(question(&open, ApprovalChannel::Elsewhere));
        assert!(is_asked && elsewhere.contains("`dwell approvals`") && !elsewhere.contains('{'), "{elsewhere}");
        assert!(words(question(&asking(json!({})), ApprovalChannel::Word)).1.starts_with("May I use call_service? "));
    }

    #[test]
    fn a_question_in_plain_words_is_asked_as_it_is() {
        let asked = "Shall I unlock the front door?";
        let open = ApprovalRequest { question: Some(asked.to_owned()), ..asking(json!({ "domain": "lock" })) };
        assert_eq!(words(question(&open, ApprovalChannel::Word)), (true, asked.to_owned()));
        for by in [ApprovalChannel::Elsewhere, ApprovalChannel::Command] {
            let (_, told) = words(question(&open, by));
            assert!(told.starts_with(asked) && told.contains("`dwell approvals"), "{told}");
        }
    }

    #[test]
    fn what_is_read_is_exact() {
        let (_, read) = words(question(&asking(json!({ "note": "for two" })), ApprovalChannel::Command));
        assert!(read.contains(r#"{"note":"for two"}"#) && read.contains("answer 01ARZ3NDEKTSV4RRFFQ69G5FAV once"));
    }

    #[test]
    fn a_text_is_told_apart_from_what_stands_beside_it() {
        let spoken = SpokenArguments::of(
            &json!({ "more": null, "note": "all, service\nlock", "on": true, "steps": [{ "n": 1 }, []] }),
        );
        assert_eq!(spoken.words, "more nothing, note “all, service lock”, on yes, n 1, steps nothing");
    }

    #[test]
    fn what_is_too_long_to_be_heard_is_not_allowed_by_a_word() {
        let (is_asked, said) = words(question(&asking(json!({ "note": "x".repeat(400) })), ApprovalChannel::Word));
        assert!(!is_asked && said.contains("and more") && !said.contains("Say yes"), "{said}");
    }
}
