//! Direct calls of a client: a call that only reads is answered at once, one that acts is a turn.

use engine::Error;
use protocol::{
    ApprovalAnswer, ApprovalDecision, BY_CALL, Body, CallStatus, ChatSend, DirectCall, Origin, Policy, SessionId,
    SessionRef, SessionStart, TurnId, TurnStatus,
};
use serde_json::{Value, json};
use session::Refusal;

use crate::{harness::Harness, steps::results, test_tools::note};

fn call(tool: &str, arguments: Value) -> DirectCall {
    DirectCall { tool: tool.to_owned(), arguments: arguments.as_object().cloned().unwrap_or_default() }
}

async fn acted(harness: &Harness, session: SessionId, made: DirectCall) -> TurnId {
    harness
        .hub
        .call(&harness.ada, &session.into(), made, None, protocol::MessageTrust::default())
        .await
        .unwrap()
        .turn_id
}

#[tokio::test]
async fn what_only_looks_is_answered_at_once_and_leaves_nothing_behind() {
    let harness = Harness::new();
    let answer =
        harness.hub.look(&harness.ada, &call("page", note("hello")), protocol::Origin::Trusted, |_| {}).await.unwrap();
    assert_eq!((answer.status, &answer.value), (CallStatus::Ok, &json!({ "said": "hello" })));
    assert_eq!(answer.origin, Origin::Untrusted);
    let all = harness.hub.sessions(&harness.ada, &protocol::SessionList::default()).await.unwrap();
    assert!(all.data.is_empty(), "{all:?}");
    assert_eq!(harness.hub.stats().tools["page"].calls, 1);
}

#[tokio::test]
async fn what_is_wrong_with_the_arguments_is_told() {
    let harness = Harness::new();
    let answer = harness
        .hub
        .look(&harness.ada, &call("page", json!({ "nota": 1 })), protocol::Origin::Trusted, |_| {})
        .await
        .unwrap();
    assert_eq!((answer.status, answer.origin), (CallStatus::Error, Origin::Trusted));
    assert!(answer.value.as_str().unwrap().contains("`page` needs `note`"), "{answer:?}");
}

#[tokio::test]
async fn what_acts_is_a_turn_with_no_model_in_it() {
    let harness = Harness::new();
    assert_eq!(
        harness.hub.look(&harness.ada, &call("lamp", note("on")), protocol::Origin::Trusted, |_| {}).await,
        None
    );
    let session = harness.start().await;
    let turn = harness.ended(acted(&harness, session, call("lamp", note("on"))).await).await;
    let response = turn.response.clone().unwrap();
    assert_eq!(response.model, BY_CALL);
    assert_eq!(response.message, r#"{"said":"switched on"}"#);
    assert_eq!(turn.request.message, r#"lamp {"note":"on"}"#, "a list of turns shows what it was");
    assert_eq!(results(&turn)[0].status, CallStatus::Ok);
    assert_eq!((harness.model.calls(), harness.tool_runs.begun()), (0, vec!["lamp on".to_owned()]));
    assert_eq!(harness.hub.stats().ways.get("call"), Some(&1));
}

#[tokio::test]
async fn the_same_key_joins_the_turn() {
    let harness = Harness::new();
    let session: SessionRef = harness.start().await.into();
    let key = || Some("once".to_owned());
    let first = harness
        .hub
        .call(&harness.ada, &session, call("lamp", note("on")), key(), protocol::MessageTrust::default())
        .await
        .unwrap();
    let again = harness
        .hub
        .call(&harness.ada, &session, call("lamp", note("on")), key(), protocol::MessageTrust::default())
        .await
        .unwrap();
    assert_eq!((first.turn_id, again.duplicate), (again.turn_id, true));
    let other = harness
        .hub
        .call(&harness.ada, &session, call("lamp", note("off")), key(), protocol::MessageTrust::default())
        .await;
    assert!(matches!(other, Err(Error::Refused(Refusal::KeyConflict { .. }))), "{other:?}");
    harness.ended(first.turn_id).await;
    assert_eq!(harness.tool_runs.begun().len(), 1);
}

#[tokio::test]
async fn calls_of_one_session_run_side_by_side() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.tool_runs.hold();
    let one = acted(&harness, session, call("lamp", note("one"))).await;
    let two = acted(&harness, session, call("lamp", note("two"))).await;
    harness.tool_runs.until_begun(2).await;
    harness.tool_runs.release();
    assert_eq!(harness.ended(one).await.status, TurnStatus::Completed);
    assert_eq!(harness.ended(two).await.status, TurnStatus::Completed);
}

#[tokio::test]
async fn where_policy_says_so_a_person_is_asked() {
    let harness = Harness::new();
    let policy = Policy { confirm: vec!["lamp".to_owned()], ..Policy::default() };
    let session = harness.start_with(SessionStart { policy: Some(policy), ..SessionStart::default() }).await;
    let turn = acted(&harness, session, call("lamp", note("on"))).await;
    assert_eq!(harness.settled(turn).await.status, TurnStatus::Waiting);
    assert!(harness.tool_runs.begun().is_empty());
    let open = harness.hub.approvals(&harness.ada, Some(&session.into())).await.unwrap().data.remove(0).request;
    let answer =
        ApprovalAnswer { approval_id: open.approval_id, decision: ApprovalDecision::Once, digest: Some(open.digest) };
    harness.hub.answer_approval(&harness.ada, answer).await.unwrap();
    assert_eq!(results(&harness.ended(turn).await)[0].status, CallStatus::Ok);
    assert_eq!(harness.tool_runs.begun(), ["lamp on"]);
}

#[tokio::test]
async fn a_call_is_made_after_a_restart_and_not_twice() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.tool_runs.hold();
    let turn = acted(&harness, session, call("lamp", note("on"))).await;
    harness.tool_runs.until_begun(1).await;
    let harness = harness.restart().await;
    harness.tool_runs.release();
    // It is unknown whether it happened, so the user is asked rather than the lamp switched again.
    assert_eq!(harness.settled(turn).await.status, TurnStatus::Waiting);
    assert_eq!(harness.tool_runs.begun().len(), 1);
}

#[tokio::test]
async fn a_call_is_nothing_that_was_said() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    let turn = acted(&harness, session, call("lamp", note("my name is Ada"))).await;
    harness.ended(turn).await;
    harness.exchange(session, "The meeting is on Friday.", "Noted.").await;
    let asked = protocol::AwaitConsistency::default();
    assert!(harness.hub.await_consistency(&harness.ada, &asked).await.unwrap().durable);
    let search = protocol::MemorySearch { query: "name Ada lamp".to_owned(), ..protocol::MemorySearch::default() };
    let found = harness.hub.memory_search(&harness.ada, &search).await.unwrap();
    assert!(found.items.iter().all(|item| !item.item.text.contains("Ada")), "{found:?}");
    let said = harness.journal(session).await.into_iter().filter(|event| matches!(event.body, Body::Final(_))).count();
    assert_eq!(said, 2);
}

#[tokio::test]
async fn there_is_an_end_to_how_many_calls_are_made_at_once() {
    let harness = Harness::new();
    let session = harness.start().await;
    let many = ChatSend { calls: vec![call("page", note("x")); 9], ..ChatSend::text("") };
    assert!(matches!(harness.send(session, many).await, Err(Error::Refused(Refusal::TooManyCalls))));
    let large = ChatSend { calls: vec![call("page", note(&"x".repeat(300 * 1024)))], ..ChatSend::text("") };
    assert!(matches!(harness.send(session, large).await, Err(Error::Refused(Refusal::CallsTooLarge))));
    let nothing = harness.send(session, ChatSend::text("")).await;
    assert!(matches!(nothing, Err(Error::Refused(Refusal::EmptyMessage))));
}
