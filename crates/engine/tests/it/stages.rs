//! A turn passes through five stages, and reports its findings at each.

use protocol::{Body, ChatSend, Event, Level, MemoryUsed, SessionId, Stage, TurnId};
use serde_json::Value;

use crate::harness::Harness;

/// The events of a turn by name, with the stage or the status; text in several pieces counts once.
fn names(events: &[Event], turn_id: TurnId) -> Vec<String> {
    let of_turn = events.iter().filter(|event| event.turn_id == Some(turn_id));
    let mut names: Vec<String> = of_turn
        .map(|event| {
            let event = serde_json::to_value(event).unwrap();
            let more = event["data"]["stage"].as_str().or(event["data"]["status"].as_str()).unwrap_or_default();
            format!("{} {more}", event["type"].as_str().unwrap()).trim_end().to_owned()
        })
        .collect();
    names.dedup();
    names
}

async fn detail(harness: &Harness, session: SessionId, stage: Stage) -> Value {
    let journal = harness.journal(session).await;
    let mut details = journal.into_iter().filter_map(|event| match event.body {
        Body::TurnStage(entered) if entered.stage == stage => entered.detail,
        _ => None,
    });
    details.next().unwrap()
}

async fn used(harness: &Harness, session: SessionId) -> MemoryUsed {
    let journal = harness.journal(session).await;
    let mut used = journal.into_iter().filter_map(|event| match event.body {
        Body::MemoryUsed(used) => Some(used),
        _ => None,
    });
    used.next_back().unwrap()
}

fn tokens(used: &MemoryUsed, section: &str) -> u64 {
    used.sections.iter().find(|it| it.name == section).unwrap().tokens
}

#[tokio::test]
async fn a_plain_question_goes_through_them_in_order() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.exchange(session, "Why is the sky blue?", "Because of the air.").await;
    assert_eq!(
        names(&harness.journal(session).await, turn.turn_id),
        [
            "message.accepted",
            "turn.stage receive",
            "turn.stage understand",
            "turn.stage plan",
            "memory.used",
            "turn.stage execute",
            "chat.token",
            "turn.stage complete",
            "chat.final",
            "turn.status completed",
        ]
    );
}

#[tokio::test]
async fn understand_tells_the_intent_and_how_sure_it_is() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.exchange(session, "Why is the sky blue?", "Because of the air.").await;
    let detail = detail(&harness, session, Stage::Understand).await;
    assert_eq!((&detail["intent"], &detail["by"]), (&"question".into(), &"rules".into()));
    assert!(detail["confidence"].as_f64().unwrap() >= 0.5, "{detail}");
    let response = turn.response.unwrap();
    assert_eq!(response.intent.as_deref(), Some("question"), "the answer tells it too");
    assert!(response.confidence.unwrap() >= 0.5);
}

#[tokio::test]
async fn plan_tells_the_way_the_models_and_the_tools() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.exchange(session, "Why is the sky blue?", "Because of the air.").await;
    let detail = detail(&harness, session, Stage::Plan).await;
    assert_eq!((&detail["way"], &detail["models"]), (&"tool_loop".into(), &vec!["driven"].into()));
    let tools: Vec<&str> = detail["tools"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(["calculator", "lamp", "page", "pin"].iter().all(|tool| tools.contains(tool)), "{tools:?}");
}

#[tokio::test]
async fn without_tools_the_model_answers_directly() {
    let harness = Harness::new();
    let session = harness.start().await;
    let send = ChatSend { allow_tools: false, ..ChatSend::text("Why is the sky blue?") };
    let turn = harness.send(session, send).await.unwrap();
    harness.model.call().await.answer("Because of the air.");
    harness.ended(turn).await;
    let detail = detail(&harness, session, Stage::Plan).await;
    assert_eq!((&detail["way"], &detail["tools"]), (&"direct".into(), &Value::Array(Vec::new())));
    assert_eq!(tokens(&used(&harness, session).await, "tools"), 0);
}

#[tokio::test]
async fn facts_about_the_user_are_stored_before_the_model_is_asked() {
    let harness = Harness::remembering();
    let session = harness.start().await;
    let turn = harness.say(session, "My name is Ada.").await;
    let call = harness.model.call().await;
    assert_eq!(call.lines(), ["> My name is Ada."]);
    call.answer("Hello, Ada.");
    harness.ended(turn).await;
    let kept = harness.journal(session).await.into_iter().find_map(|event| match event.body {
        Body::MemoryWritten(written) => Some((written.level, written.key, written.value)),
        _ => None,
    });
    assert_eq!(kept, Some((Level::Profile, "name".to_owned(), Some("Ada".to_owned()))));
    assert_eq!(detail(&harness, session, Stage::Plan).await["way"], "profile_update");

    harness.say(session, "Who are you talking to?").await;
    let prompt = harness.model.call().await.prompt;
    assert!(prompt.system.contains("Ada"), "{}", prompt.system);
}

#[tokio::test]
async fn what_the_model_is_told_is_counted_section_by_section() {
    let harness = Harness::new();
    let session = harness.start().await;
    harness.exchange(session, "Why is the sky blue?", "Because of the air.").await;
    let first = used(&harness, session).await;
    harness.exchange(session, "And the sea?", "Because of the sky.").await;
    let second = used(&harness, session).await;

    let names: Vec<&str> = first.sections.iter().map(|section| section.name.as_str()).collect();
    assert_eq!(names, ["system", "tools", "recent", "task", "clock"]);
    assert!(tokens(&first, "tools") > 100, "the tools' schemas count: {first:?}");
    assert_eq!(tokens(&first, "recent"), 0);
    assert!(tokens(&second, "recent") > 0);
    for used in [first, second] {
        let sum: u64 = used.sections.iter().map(|section| section.tokens).sum();
        assert_eq!(used.tokens, sum, "{used:?}");
        assert!(used.tokens < used.tokens_max, "{used:?}");
    }
}
