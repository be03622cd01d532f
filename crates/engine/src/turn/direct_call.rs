//! A turn that consists of a client's direct calls: no intent is recognized, and the answer is
//! their results.

use ports::{Reflex, ReflexCall, ReflexCallResult};
use protocol::{CallStatus, DirectCall};
use serde_json::{Map, Value};

use super::state::TurnState;

/// The prefix of the ids of such calls.
pub(super) const CALL_ID: &str = "direct_";
/// The intent of such a turn.
const INTENT: &str = "call";

/// The calls of the turn, if it is such a turn.
pub(super) fn read(state: &TurnState) -> Option<Reflex> {
    let calls = &state.input.turn.request.calls;
    let call = |call: &DirectCall| {
        let (tool, arguments) = (call.tool.clone(), Value::Object(call.arguments.clone()));
        ReflexCall { tool, arguments }
    };
    (!calls.is_empty()).then(|| Reflex {
        intent: INTENT.to_owned(),
        slots: Map::new(),
        language: "en".to_owned(),
        confidence: 1.0,
        is_question: false,
        calls: calls.iter().map(call).collect(),
        answer: None,
        asks_back: false,
    })
}

/// The results of the calls, in order.
pub(super) fn words(settled: &[ReflexCallResult]) -> String {
    let words: Vec<&str> = settled.iter().map(|call| call.content.as_str()).filter(|text| !text.is_empty()).collect();
    if !words.is_empty() {
        return words.join("\n\n");
    }
    let is_done = settled.iter().all(|call| call.status == CallStatus::Ok);
    if is_done { "Done.".to_owned() } else { "That did not work.".to_owned() }
}
