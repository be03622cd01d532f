//! Tools that are registered and removed while turns are running.

use std::sync::Arc;

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{AgentRef, ApprovalAnswer, ApprovalDecision, CallStatus, Policy, SessionId, SessionStart, TurnStatus};
use serde_json::{Value, json};
use tools::{AnyTool, CallContext, CallLookup, Declaration, Output};

use crate::{harness::Harness, steps::results};

/// A tool that is registered and removed again.
struct TransientTool(&'static str);

#[async_trait]
impl AnyTool for TransientTool {
    fn declaration(&self) -> Declaration {
        Declaration::new("guest", self.0).core()
    }

    fn input_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn output_schema(&self) -> Option<Value> {
        None
    }

    fn scope(&self, _: &Value) -> Result<Option<String>, ToolFailure> {
        Ok(None)
    }

    async fn call(&self, _: Value, context: &CallContext) -> Result<Output, ToolFailure> {
        Ok(Output { value: json!("done"), origin: context.origin, artifacts: Vec::new(), sources: Vec::new() })
    }

    async fn look_up(&self, _: Value, _: &CallContext) -> Result<CallLookup<Output>, ToolFailure> {
        Ok(CallLookup::Unknown)
    }
}

fn come(harness: &Harness, description: &'static str) {
    assert_eq!(harness.tools.replace("guests", vec![Arc::new(TransientTool(description))]), []);
}

fn go(harness: &Harness) {
    assert_eq!(harness.tools.replace("guests", Vec::new()), []);
}

async fn tokens(harness: &Harness, session_id: SessionId) -> u64 {
    let asked = AgentRef { session: session_id.into(), agent_id: None };
    harness.hub.window(&harness.ada, &asked).await.unwrap().tokens
}

#[tokio::test]
async fn a_tool_that_comes_is_seen_by_clients_and_by_the_next_turn() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut changes = harness.hub.tools_changed();
    assert!(!changes.has_changed().unwrap());
    come(&harness, "Helps.");
    assert!(changes.has_changed().unwrap());
    changes.mark_unchanged();
    let view = harness.hub.tools().into_iter().find(|tool| tool.name == "guest").unwrap();
    assert_eq!(view.server.as_deref(), Some("guests"));

    let turn = harness.say(session, "Please use the guest.").await;
    let first = harness.model.call().await;
    assert!(first.tools().contains(&"guest"));
    first.use_tools(&[("c1", "guest", json!({}))]);
    let second = harness.model.call().await;
    assert_eq!(second.lines().pop().unwrap(), "= c1 done");
    second.answer("It helped.");
    harness.ended(turn).await;
    go(&harness);
    assert!(changes.has_changed().unwrap());
}

#[tokio::test]
async fn a_tool_that_went_before_it_was_called_is_said_to_be_gone() {
    let harness = Harness::new();
    let session = harness.start().await;
    come(&harness, "Helps.");
    let turn = harness.say(session, "Please use the guest.").await;
    let first = harness.model.call().await;
    go(&harness);
    first.use_tools(&[("c1", "guest", json!({}))]);
    let second = harness.model.call().await;
    assert!(second.lines().pop().unwrap().contains("there is no tool `guest`"), "{:?}", second.lines());
    second.answer("It is gone.");
    assert_eq!(harness.ended(turn).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn a_tool_that_went_while_a_person_was_asked_was_not_called_and_nothing_is_in_doubt() {
    let harness = Harness::new();
    let policy = Policy { confirm: vec!["guest".to_owned()], ..Policy::default() };
    let session = harness.start_with(SessionStart { policy: Some(policy), ..SessionStart::default() }).await;
    come(&harness, "Helps.");
    let turn = harness.say(session, "Please use the guest.").await;
    harness.model.call().await.use_tools(&[("c1", "guest", json!({}))]);
    assert_eq!(harness.settled(turn).await.reason.as_deref(), Some("approval"));
    go(&harness);
    let asked = harness.hub.approvals(&harness.ada, Some(&session.into())).await.unwrap().data.remove(0);
    let answer =
        ApprovalAnswer { approval_id: asked.request.approval_id, decision: ApprovalDecision::Once, digest: None };
    harness.hub.answer_approval(&harness.ada, answer).await.unwrap();
    let second = harness.model.call().await;
    let told = second.lines().pop().unwrap();
    assert!(told.contains("there is no tool `guest` any more; nothing was done"), "{told}");
    second.answer("It is gone.");
    let turn = harness.ended(turn).await;
    assert_eq!((turn.status, results(&turn)[0].status), (TurnStatus::Completed, CallStatus::Error));
}

#[tokio::test]
async fn a_turn_keeps_the_list_it_began_with() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Please use the guest.").await;
    let first = harness.model.call().await;
    assert!(!first.tools().contains(&"guest"));
    come(&harness, "Helps.");
    first.use_tools(&[("c1", "guest", json!({}))]);
    let second = harness.model.call().await;
    assert!(second.lines().pop().unwrap().contains("`guest` is not available in this turn"), "{:?}", second.lines());
    assert!(!second.tools().contains(&"guest"));
    second.answer("Not yet.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn tokens_of_tools_that_came_later_are_counted_as_they_are_told() {
    let harness = Harness::new();
    let session = harness.start().await;
    let alone = tokens(&harness, session).await;
    come(&harness, "Helps.");
    let with_guest = tokens(&harness, session).await;
    assert!(with_guest > alone);
    come(&harness, "Helps with all that may come up in a large household, and does not tire of it.");
    let with_talkative = tokens(&harness, session).await;
    assert!(with_talkative > with_guest, "the same name does not mean the same words");
    go(&harness);
    assert_eq!(tokens(&harness, session).await, alone);
}
