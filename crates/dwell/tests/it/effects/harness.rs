//! The harness: a tool server with four tools, a model that calls them, and the program between
//! them.

use serde_json::{Value, json};
use testkit::{LedgerEntry, ModelServer, Program, Reply, Request, RestClient, ToolCall, ToolServer};

use crate::program;

/// The message that starts the turn.
pub(super) const TASK: &str = "Set the label, then book the table and send the letter.";
/// The model's text in its first round and in its last, and the turn's answer made of both.
const OPENING: &str = "On it.";
const CLOSING: &str = "All four are done.";
pub(super) const ANSWER: &str = "On it.\n\nAll four are done.";
/// The tools in the order in which they are called.
pub(super) const TOOLS: [&str; 4] = ["look_at_sky", "set_label", "book_table", "send_letter"];

/// How the model calls its tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallShape {
    OneRound,
    FourRounds,
}

/// A tool server, a model and a program.
pub(super) struct EffectsHarness {
    pub(super) tool_server: ToolServer,
    pub(super) model: ModelServer,
    pub(super) program: Program,
}

impl EffectsHarness {
    pub(super) async fn set(shape: CallShape) -> Self {
        Self::set_with(move |request| script(shape, request), |toml| toml).await
    }

    /// A harness in which the model calls one tool only.
    pub(super) async fn set_for(tool: &'static str) -> Self {
        Self::set_for_changed(tool, |toml| toml).await
    }

    /// The same with changed tool declarations.
    pub(super) async fn set_for_changed(tool: &'static str, change: impl FnOnce(String) -> String) -> Self {
        let ask = move |request: &Request| match results(request) {
            0 if request.last_user() == TASK => Reply::tool_calls([call(tool)]),
            _ => Reply::text(CLOSING),
        };
        Self::set_with(ask, change).await
    }

    async fn set_with(
        rule: impl Fn(&Request) -> Reply + Send + Sync + 'static,
        change: impl FnOnce(String) -> String,
    ) -> Self {
        let (tool_server, model) = (ToolServer::start().await, ModelServer::start().await);
        model.respond_with(rule);
        let program = program().with_model(&model).with("DWELL_LOG_FILTER", "error");
        let file = program.folder().join("tools.toml");
        std::fs::write(&file, change(tool_server.tools_toml())).unwrap();
        let program = program.with("DWELL_TOOLS_FILE", file.to_str().unwrap()).with("DWELL_TOOLS_ACTUATION", "true");
        Self { tool_server, model, program }
    }

    pub(super) fn entries(&self, tool: &str) -> Vec<LedgerEntry> {
        self.tool_server.ledger().into_iter().filter(|entry| entry.tool == tool).collect()
    }

    /// Waits for the end of a turn. When the turn asks whether a call happened, the answer is
    /// looked up in the ledger; returns the turn and the answers.
    pub(super) async fn see_through(&self, rest: &RestClient, turn_id: &str) -> (Value, Vec<&'static str>) {
        let mut answers = Vec::new();
        loop {
            let turn = rest.ended(turn_id).await;
            if turn["status"] != "waiting" {
                return (turn, answers);
            }
            assert_eq!(turn["reason"], "outcome_unknown", "{turn}");
            for call in turn["question"]["calls"].as_array().unwrap() {
                let outcome = self.truth(rest, &turn, call).await;
                let body = json!({ "outcome": outcome, "call_id": call["call_id"] });
                rest.post(&format!("/api/v1/turns/{turn_id}/resume"), body).await.ok();
                answers.push(outcome);
            }
        }
    }

    async fn truth(&self, rest: &RestClient, turn: &Value, call: &Value) -> &'static str {
        let log = rest.log(turn["session_id"].as_str().unwrap()).await;
        let begun = steps(&log, "tool_call").rfind(|begun| begun["call_id"] == call["call_id"]).unwrap();
        assert_eq!(call["arguments"], begun["arguments"], "it asks about exactly that call");
        let tool = call["tool"].as_str().unwrap();
        if self.entries(tool).iter().any(|entry| begun["key"] == entry.key.as_str()) {
            "happened"
        } else {
            "did_not_happen"
        }
    }

    /// Checks what holds after any number of kills: no forbidden repeat of a call, the right
    /// answer, a conversation that was always in order, and a journal without gaps.
    pub(super) async fn check(&self, rest: &RestClient, turn: &Value, kills: usize) {
        assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!(ANSWER)), "{turn}");
        assert_eq!(self.model.violations(), Vec::<String>::new());
        for tool in TOOLS {
            let entries = self.entries(tool);
            let (first, repeats) = entries.split_first().unwrap_or_else(|| panic!("{tool} was never called"));
            assert_eq!((first.is_repeat, &first.arguments), (false, &arguments(tool)));
            assert!(
                repeats.iter().all(|entry| entry.is_repeat && entry.key == first.key),
                "one call, two keys: {tool}"
            );
            let repeats_max = if ["look_at_sky", "set_label"].contains(&tool) { kills } else { 0 };
            assert!(repeats.len() <= repeats_max, "{tool} was called {} times too often", repeats.len());
        }
        assert_eq!(self.tool_server.effects("set_label"), 1, "a repeat changes nothing");
        let log = rest.log(turn["session_id"].as_str().unwrap()).await;
        check_log(&log);
        let results: Vec<&str> = steps(&log, "tool_result").map(|result| result["tool"].as_str().unwrap()).collect();
        assert_eq!(results, TOOLS, "one result for each call, in order");
    }
}

/// Checks that sequence numbers have no gaps and that every planned call has a result.
pub(super) fn check_log(log: &[Value]) {
    for (event, seq) in log.iter().zip(1u64..) {
        assert_eq!(event["seq"], seq, "numbers without gaps");
    }
    let planned = steps(log, "plan").flat_map(|plan| plan["calls"].as_array().unwrap());
    let planned: Vec<&Value> = planned.map(|call| &call["call_id"]).collect();
    let mut answered: Vec<&Value> = steps(log, "tool_result").map(|result| &result["call_id"]).collect();
    answered.sort_by_key(|id| planned.iter().position(|planned| planned == id));
    assert_eq!(planned, answered, "one result for each call");
}

/// The details of the steps of that kind.
pub(super) fn steps<'a>(log: &'a [Value], kind: &'a str) -> impl DoubleEndedIterator<Item = &'a Value> {
    let steps = log.iter().filter(|event| event["type"] == "step").map(|event| &event["data"]);
    steps.filter(move |step| step["type"] == kind).map(|step| &step["detail"])
}

/// The message on a socket that starts the turn; sent twice, it is the same turn.
pub(super) fn task(session: &str) -> String {
    let data = json!({ "session_id": session, "message": TASK, "idempotency_key": "task" });
    json!({ "type": "chat.send", "id": "task", "data": data }).to_string()
}

/// The replies of the model.
pub(super) fn script(shape: CallShape, request: &Request) -> Reply {
    if request.last_user() != TASK {
        return Reply::text("And on we go.");
    }
    match (shape, results(request)) {
        (CallShape::OneRound, 0) => Reply::text(OPENING).then_tool_calls(TOOLS.map(call)),
        (CallShape::FourRounds, 0) => Reply::text(OPENING).then_tool_calls([call(TOOLS[0])]),
        (CallShape::FourRounds, done @ 1..4) => Reply::tool_calls([call(TOOLS[done])]),
        _ => Reply::text(CLOSING),
    }
}

/// How many tool results the request has after the user's message.
fn results(request: &Request) -> usize {
    request.messages().iter().rev().take_while(|message| message["role"] != "user").filter(is_result).count()
}

fn is_result(message: &&Value) -> bool {
    message["role"] == "tool"
}

fn call(tool: &str) -> ToolCall {
    ToolCall::new(format!("call_{tool}"), tool, arguments(tool))
}

fn arguments(tool: &str) -> Value {
    json!({ "note": format!("for {tool}") })
}
