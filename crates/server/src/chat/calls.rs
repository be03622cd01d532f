//! The ids of calls as clients see them. A client identifies a call by this id alone, so the id
//! contains the turn.

use protocol::{Step, TurnId, TurnView, WaitingCall};
use serde_json::{Value, json};

/// The prefix of every such id.
const MARK: &str = "call_";
/// The prefix that Anthropic's clients expect instead.
const ANTHROPIC_MARK: &str = "toolu_";

/// A call as these clients see it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OutgoingCall {
    /// Its id for the client.
    pub(super) name: String,
    pub(super) tool: String,
    pub(super) arguments: Value,
}

impl OutgoingCall {
    /// The calls whose results a turn waits for from its client.
    pub(super) fn all_of(turn: &TurnView) -> Vec<Self> {
        let call = |waiting: &WaitingCall| Self {
            name: name_of(turn, &waiting.call_id),
            tool: waiting.tool.clone(),
            arguments: waiting.arguments.clone(),
        };
        turn.client_calls().map(call).collect()
    }

    /// The arguments as JSON text, or the text that the model wrote instead.
    pub(super) fn arguments_as_text(&self) -> String {
        match &self.arguments {
            Value::String(text) => text.clone(),
            Value::Null => "{}".to_owned(),
            other => other.to_string(),
        }
    }

    /// The arguments as an object, which some clients require.
    pub(super) fn arguments_as_object(&self) -> Value {
        match &self.arguments {
            Value::Object(_) => self.arguments.clone(),
            Value::Null => json!({}),
            other => json!({ "value": other }),
        }
    }
}

/// The id of a call for clients: its turn, and its index among the turn's calls.
pub(super) fn name_of(turn: &TurnView, call_id: &str) -> String {
    let place = call_ids(turn).position(|id| id == call_id).unwrap_or(0);
    write(turn.turn_id, place)
}

fn write(turn_id: TurnId, place: usize) -> String {
    format!("{MARK}{turn_id}_{place}")
}

/// An id in the form that the clients of an API expect.
pub(super) fn in_form_of(transport: &str, name: String) -> String {
    match name.strip_prefix(MARK) {
        Some(rest) if transport == "anthropic" => format!("{ANTHROPIC_MARK}{rest}"),
        _ => name,
    }
}

/// The turn and the index in such an id, in either form.
pub(super) fn read(name: &str) -> Option<(TurnId, usize)> {
    let rest = name.strip_prefix(MARK).or_else(|| name.strip_prefix(ANTHROPIC_MARK))?;
    let (turn_id, place) = rest.split_once('_')?;
    Some((turn_id.parse().ok()?, place.parse().ok()?))
}

/// The internal id of the call at an index.
pub(super) fn call_id(turn: &TurnView, place: usize) -> Option<String> {
    call_ids(turn).nth(place).map(str::to_owned)
}

/// The ids of all calls of a turn, in order.
fn call_ids(turn: &TurnView) -> impl Iterator<Item = &str> {
    let plans = turn.steps.iter().filter_map(|step| match step {
        Step::Plan(plan) => Some(plan),
        _ => None,
    });
    plans.flat_map(|plan| &plan.calls).map(|call| call.call_id.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_which_turn_and_which_call() {
        let turn_id: TurnId = "01HF7YAT00TESTTVRNAAAAAAAA".parse().unwrap();
        for place in [0, 7, 1_000] {
            let name = write(turn_id, place);
            assert_eq!(read(&name), Some((turn_id, place)));
            let other = in_form_of("anthropic", name.clone());
            assert_eq!((other.starts_with("toolu_"), read(&other)), (true, Some((turn_id, place))));
            assert_eq!(in_form_of("openai", name.clone()), name);
            assert!(name.len() <= 40, "clients limit ids to 40 characters");
        }
        for other in
            ["", "call_", "call_1", "call_01HF7YAT00TESTTVRNAAAAAAAA", "call_01HF7YAT00TESTTVRNAAAAAAAA_x", "toolu_1"]
        {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn arguments_have_the_form_that_each_wire_wants() {
        let call = |arguments: Value| OutgoingCall { name: String::new(), tool: String::new(), arguments };
        for (written, text, object) in [
            (json!({ "a": 1 }), "{\"a\":1}", json!({ "a": 1 })),
            (json!("{not json"), "{not json", json!({ "value": "{not json" })),
            (Value::Null, "{}", json!({})),
        ] {
            let call = call(written);
            assert_eq!((call.arguments_as_text().as_str(), call.arguments_as_object()), (text, object));
        }
    }
}
