//! Statistics of the server since its start.

use protocol::Usage;

use crate::harness::Harness;

fn refusal() -> model::Error {
    model::Error::Refused { provider: "driven".to_owned(), status: 401, message: "no".to_owned() }
}

#[tokio::test]
async fn turns_tools_models_and_errors_are_counted() {
    let harness = Harness::new();
    let session = harness.start().await;
    for tool in ["page", "broken"] {
        let (turn, second) = harness.call(session, tool, "a cat").await;
        second.answer("It is a cat.");
        harness.ended(turn).await;
    }
    let failed = harness.say(session, "Tell me about cats.").await;
    harness.model.call().await.refuse(refusal());
    harness.ended(failed).await;
    let cancelled = harness.say(session, "Tell me about dogs.").await;
    let _call = harness.model.call().await;
    harness.hub.cancel_turn(&harness.ada, cancelled, None).await.unwrap();

    let stats = harness.hub.stats();
    let totals = stats.totals;
    assert_eq!((totals.turns, totals.completed, totals.failed, totals.cancelled), (4, 2, 1, 1));
    assert_eq!((totals.tool_calls, totals.errors), (2, 2), "a tool and a turn failed");
    assert_eq!((totals.input_tokens, totals.output_tokens), (28, 12));
    assert_eq!((stats.first_word.count, stats.duration.count), (2, 4));
    assert!(stats.duration.p50_ms <= stats.duration.p95_ms && stats.duration.p95_ms <= stats.duration.max_ms);

    let driven = stats.models["driven"];
    assert_eq!((driven.calls, driven.errors), (5, 1));
    assert_eq!(driven.usage, Usage::of(28, 12));
    let tools: Vec<_> = stats.tools.iter().map(|(name, tool)| (name.as_str(), tool.calls, tool.errors)).collect();
    assert_eq!(tools, [("broken", 1, 1), ("page", 1, 0)]);
    assert_eq!(stats.tools["page"].duration.count, 1);
    assert_eq!(stats.errors.into_iter().collect::<Vec<_>>(), [("model_refused".to_owned(), 1)]);
    assert_eq!(stats.live_sessions, 1);
}

#[tokio::test]
async fn turns_at_work_are_counted_while_they_are() {
    let harness = Harness::new();
    let session = harness.start().await;
    assert_eq!(harness.hub.stats().running_turns, 0);
    let turn = harness.say(session, "Tell me about cats.").await;
    let call = harness.model.call().await;
    assert_eq!(harness.hub.stats().running_turns, 1);
    call.answer("They purr.");
    harness.ended(turn).await;
}

#[tokio::test]
async fn a_turn_and_its_session_count_the_same() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (turn, second) = harness.call(session, "page", "a cat").await;
    second.answer("It is a cat.");
    let turn = harness.ended(turn).await.stats;
    let session = harness.view(session).await.stats;
    assert_eq!((turn.tool_calls, session.tool_calls), (1, 1));
    assert_eq!((turn.usage.input_tokens, session.input_tokens), (14, 14));
    assert!(turn.first_word_ms.unwrap() <= turn.duration_ms.unwrap());
}
