//! Tools that come and go while turns are at work.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::{AgentRef, ApprovalAnswer, CallStatus, Decision, Policy, SessionId, Start, TurnStatus};
use serde_json::{Value, json};
use tools::{AnyTool, Context, Declaration, Failure, Found, Output};

use crate::{house::House, steps::results};

/// A tool that somebody brings along, and takes away again.
struct Guest(&'static str);

#[async_trait]
impl AnyTool for Guest {
    fn declaration(&self) -> Declaration {
        Declaration::new("guest", self.0).core()
    }

    fn input_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn output_schema(&self) -> Option<Value> {
        None
    }

    fn scope(&self, _: &Value) -> Result<Option<String>, Failure> {
        Ok(None)
    }

    async fn call(&self, _: Value, context: &Context) -> Result<Output, Failure> {
        Ok(Output { value: json!("done"), origin: context.origin, artifacts: Vec::new(), sources: Vec::new() })
    }

    async fn look_up(&self, _: Value, _: &Context) -> Result<Found<Output>, Failure> {
        Ok(Found::Unknown)
    }
}

fn come(house: &House, description: &'static str) {
    assert_eq!(house.tools.replace("guests", vec![Arc::new(Guest(description))]), []);
}

fn go(house: &House) {
    assert_eq!(house.tools.replace("guests", Vec::new()), []);
}

async fn tokens(house: &House, session_id: SessionId) -> u64 {
    let asked = AgentRef { session: session_id.into(), agent_id: None };
    house.hub.window(&house.ada, &asked).await.unwrap().tokens
}

#[tokio::test]
async fn a_tool_that_comes_is_seen_by_clients_and_by_the_next_turn() {
    let house = House::new();
    let session = house.start().await;
    let mut changes = house.hub.tools_changed();
    assert!(!changes.has_changed().unwrap());
    come(&house, "Helps.");
    assert!(changes.has_changed().unwrap());
    changes.mark_unchanged();
    let view = house.hub.tools().into_iter().find(|tool| tool.name == "guest").unwrap();
    assert_eq!(view.server.as_deref(), Some("guests"));

    let turn = house.say(session, "Please use the guest.").await;
    let first = house.model.call().await;
    assert!(first.tools().contains(&"guest"));
    first.use_tools(&[("c1", "guest", json!({}))]);
    let second = house.model.call().await;
    assert_eq!(second.lines().pop().unwrap(), "= c1 done");
    second.answer("It helped.");
    house.ended(turn).await;
    go(&house);
    assert!(changes.has_changed().unwrap());
}

#[tokio::test]
async fn a_tool_that_went_before_it_was_called_is_said_to_be_gone() {
    let house = House::new();
    let session = house.start().await;
    come(&house, "Helps.");
    let turn = house.say(session, "Please use the guest.").await;
    let first = house.model.call().await;
    go(&house);
    first.use_tools(&[("c1", "guest", json!({}))]);
    let second = house.model.call().await;
    assert!(second.lines().pop().unwrap().contains("there is no tool `guest`"), "{:?}", second.lines());
    second.answer("It is gone.");
    assert_eq!(house.ended(turn).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn a_tool_that_went_while_a_person_was_asked_was_not_called_and_nothing_is_in_doubt() {
    let house = House::new();
    let policy = Policy { confirm: vec!["guest".to_owned()], ..Policy::default() };
    let session = house.start_with(Start { policy: Some(policy), ..Start::default() }).await;
    come(&house, "Helps.");
    let turn = house.say(session, "Please use the guest.").await;
    house.model.call().await.use_tools(&[("c1", "guest", json!({}))]);
    assert_eq!(house.settled(turn).await.reason.as_deref(), Some("approval"));
    go(&house);
    let asked = house.hub.approvals(&house.ada, Some(&session.into())).await.unwrap().data.remove(0);
    let answer = ApprovalAnswer { approval_id: asked.request.approval_id, decision: Decision::Once, digest: None };
    house.hub.answer_approval(&house.ada, answer).await.unwrap();
    let second = house.model.call().await;
    let told = second.lines().pop().unwrap();
    assert!(told.contains("there is no tool `guest` any more; nothing was done"), "{told}");
    second.answer("It is gone.");
    let turn = house.ended(turn).await;
    assert_eq!((turn.status, results(&turn)[0].status), (TurnStatus::Completed, CallStatus::Error));
}

#[tokio::test]
async fn a_turn_keeps_the_list_it_began_with() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "Please use the guest.").await;
    let first = house.model.call().await;
    assert!(!first.tools().contains(&"guest"));
    come(&house, "Helps.");
    first.use_tools(&[("c1", "guest", json!({}))]);
    let second = house.model.call().await;
    assert!(second.lines().pop().unwrap().contains("`guest` is not available in this turn"), "{:?}", second.lines());
    assert!(!second.tools().contains(&"guest"));
    second.answer("Not yet.");
    house.ended(turn).await;
}

#[tokio::test]
async fn tokens_of_tools_that_came_later_are_counted_as_they_are_told() {
    let house = House::new();
    let session = house.start().await;
    let alone = tokens(&house, session).await;
    come(&house, "Helps.");
    let with_guest = tokens(&house, session).await;
    assert!(with_guest > alone);
    come(&house, "Helps with all that may come up in a large household, and does not tire of it.");
    let with_talkative = tokens(&house, session).await;
    assert!(with_talkative > with_guest, "the same name does not mean the same words");
    go(&house);
    assert_eq!(tokens(&house, session).await, alone);
}
