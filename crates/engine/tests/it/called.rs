//! Calls that a client makes itself: what looks is answered at once, what acts is a turn.

use engine::Error;
use protocol::{
    ApprovalAnswer, BY_CALL, Body, CallStatus, ChatSend, Decision, DirectCall, Origin, Policy, SessionId, SessionRef,
    Start, TurnId, TurnStatus,
};
use serde_json::{Value, json};
use session::Refusal;

use crate::{house::House, steps::results, test_tools::note};

fn call(tool: &str, arguments: Value) -> DirectCall {
    DirectCall { tool: tool.to_owned(), arguments: arguments.as_object().cloned().unwrap_or_default() }
}

async fn acted(house: &House, session: SessionId, made: DirectCall) -> TurnId {
    house.hub.call(&house.ada, &session.into(), made, None, protocol::WayIn::default()).await.unwrap().turn_id
}

#[tokio::test]
async fn what_only_looks_is_answered_at_once_and_leaves_nothing_behind() {
    let house = House::new();
    let answer =
        house.hub.look(&house.ada, &call("page", note("hello")), protocol::Origin::Trusted, |_| {}).await.unwrap();
    assert_eq!((answer.status, &answer.value), (CallStatus::Ok, &json!({ "said": "hello" })));
    assert_eq!(answer.origin, Origin::Untrusted);
    let all = house.hub.sessions(&house.ada, &protocol::SessionList::default()).await.unwrap();
    assert!(all.data.is_empty(), "{all:?}");
    assert_eq!(house.hub.stats().tools["page"].calls, 1);
}

#[tokio::test]
async fn what_is_wrong_with_the_arguments_is_told() {
    let house = House::new();
    let answer = house
        .hub
        .look(&house.ada, &call("page", json!({ "nota": 1 })), protocol::Origin::Trusted, |_| {})
        .await
        .unwrap();
    assert_eq!((answer.status, answer.origin), (CallStatus::Error, Origin::Trusted));
    assert!(answer.value.as_str().unwrap().contains("`page` needs `note`"), "{answer:?}");
}

#[tokio::test]
async fn what_acts_is_a_turn_with_no_model_in_it() {
    let house = House::new();
    assert_eq!(house.hub.look(&house.ada, &call("lamp", note("on")), protocol::Origin::Trusted, |_| {}).await, None);
    let session = house.start().await;
    let turn = house.ended(acted(&house, session, call("lamp", note("on"))).await).await;
    let response = turn.response.clone().unwrap();
    assert_eq!(response.model, BY_CALL);
    assert_eq!(response.message, r#"{"said":"switched on"}"#);
    assert_eq!(turn.request.message, r#"lamp {"note":"on"}"#, "a list of turns shows what it was");
    assert_eq!(results(&turn)[0].status, CallStatus::Ok);
    assert_eq!((house.model.calls(), house.workshop.begun()), (0, vec!["lamp on".to_owned()]));
    assert_eq!(house.hub.stats().ways.get("call"), Some(&1));
}

#[tokio::test]
async fn the_same_key_joins_the_turn() {
    let house = House::new();
    let session: SessionRef = house.start().await.into();
    let key = || Some("once".to_owned());
    let first = house
        .hub
        .call(&house.ada, &session, call("lamp", note("on")), key(), protocol::WayIn::default())
        .await
        .unwrap();
    let again = house
        .hub
        .call(&house.ada, &session, call("lamp", note("on")), key(), protocol::WayIn::default())
        .await
        .unwrap();
    assert_eq!((first.turn_id, again.duplicate), (again.turn_id, true));
    let other =
        house.hub.call(&house.ada, &session, call("lamp", note("off")), key(), protocol::WayIn::default()).await;
    assert!(matches!(other, Err(Error::Refused(Refusal::KeyConflict { .. }))), "{other:?}");
    house.ended(first.turn_id).await;
    assert_eq!(house.workshop.begun().len(), 1);
}

#[tokio::test]
async fn calls_of_one_session_run_side_by_side() {
    let house = House::new();
    let session = house.start().await;
    house.workshop.hold();
    let one = acted(&house, session, call("lamp", note("one"))).await;
    let two = acted(&house, session, call("lamp", note("two"))).await;
    house.workshop.until_begun(2).await;
    house.workshop.release();
    assert_eq!(house.ended(one).await.status, TurnStatus::Completed);
    assert_eq!(house.ended(two).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn where_policy_says_so_a_person_is_asked() {
    let house = House::new();
    let policy = Policy { confirm: vec!["lamp".to_owned()], ..Policy::default() };
    let session = house.start_with(Start { policy: Some(policy), ..Start::default() }).await;
    let turn = acted(&house, session, call("lamp", note("on"))).await;
    assert_eq!(house.settled(turn).await.status, TurnStatus::Waiting);
    assert!(house.workshop.begun().is_empty());
    let open = house.hub.approvals(&house.ada, Some(&session.into())).await.unwrap().data.remove(0).request;
    let answer = ApprovalAnswer { approval_id: open.approval_id, decision: Decision::Once, digest: Some(open.digest) };
    house.hub.answer_approval(&house.ada, answer).await.unwrap();
    assert_eq!(results(&house.ended(turn).await)[0].status, CallStatus::Ok);
    assert_eq!(house.workshop.begun(), ["lamp on"]);
}

#[tokio::test]
async fn a_call_is_made_after_a_restart_and_not_twice() {
    let house = House::new();
    let session = house.start().await;
    house.workshop.hold();
    let turn = acted(&house, session, call("lamp", note("on"))).await;
    house.workshop.until_begun(1).await;
    let house = house.restart().await;
    house.workshop.release();
    // Nobody can tell whether it happened, so somebody is asked rather than the lamp switched again.
    assert_eq!(house.settled(turn).await.status, TurnStatus::Waiting);
    assert_eq!(house.workshop.begun().len(), 1);
}

#[tokio::test]
async fn a_call_is_nothing_that_was_said() {
    let house = House::remembering();
    let session = house.start().await;
    let turn = acted(&house, session, call("lamp", note("my name is Ada"))).await;
    house.ended(turn).await;
    house.exchange(session, "The meeting is on Friday.", "Noted.").await;
    let asked = protocol::AwaitConsistency::default();
    assert!(house.hub.await_consistency(&house.ada, &asked).await.unwrap().durable);
    let search = protocol::MemorySearch { query: "name Ada lamp".to_owned(), ..protocol::MemorySearch::default() };
    let found = house.hub.memory_search(&house.ada, &search).await.unwrap();
    assert!(found.items.iter().all(|item| !item.item.text.contains("Ada")), "{found:?}");
    let said = house.journal(session).await.into_iter().filter(|event| matches!(event.body, Body::Final(_))).count();
    assert_eq!(said, 2);
}

#[tokio::test]
async fn there_is_an_end_to_how_many_calls_are_made_at_once() {
    let house = House::new();
    let session = house.start().await;
    let many = ChatSend { calls: vec![call("page", note("x")); 9], ..ChatSend::text("") };
    assert!(matches!(house.send(session, many).await, Err(Error::Refused(Refusal::TooManyCalls))));
    let large = ChatSend { calls: vec![call("page", note(&"x".repeat(300 * 1024)))], ..ChatSend::text("") };
    assert!(matches!(house.send(session, large).await, Err(Error::Refused(Refusal::CallsTooLarge))));
    let nothing = house.send(session, ChatSend::text("")).await;
    assert!(matches!(nothing, Err(Error::Refused(Refusal::EmptyMessage))));
}
