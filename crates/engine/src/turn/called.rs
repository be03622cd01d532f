//! A turn that a client's own calls make up: there is nothing to understand, and what is answered is what they answered.

use protocol::{CallStatus, DirectCall};
use serde_json::{Map, Value};
use tools::{Reflex, ReflexCall, Settled};

use super::work::Work;

/// What the names of such calls begin with.
pub(super) const CALL_ID: &str = "direct_";
/// What is understood of such a turn.
const INTENT: &str = "call";

/// The calls that make up the turn, if it is such a turn.
pub(super) fn read(work: &Work) -> Option<Reflex> {
    let calls = &work.job.turn.request.calls;
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

/// What the calls answered, in their order.
pub(super) fn words(settled: &[Settled]) -> String {
    let words: Vec<&str> = settled.iter().map(|call| call.content.as_str()).filter(|text| !text.is_empty()).collect();
    if !words.is_empty() {
        return words.join("\n\n");
    }
    let is_done = settled.iter().all(|call| call.status == CallStatus::Ok);
    if is_done { "Done.".to_owned() } else { "That did not work.".to_owned() }
}
